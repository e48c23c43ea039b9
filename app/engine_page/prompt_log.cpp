#include "app/engine_page/prompt_log.h"

#include <utility>

namespace quire {

PromptLog::PromptLog(ChatLabels labels, QObject* parent)
    : RoleListModel(parent), m_labels(std::move(labels)) {
  const auto color = [this](int row) {
    const auto label = m_labels ? m_labels(m_reports[row].chatId) : std::nullopt;
    return label ? label->color : -1;
  };
  setRoles({{kTitle, "title", [this](int row) { return titleOf(m_labels, m_reports[row].chatId); }},
            {kColor, "colorIndex", color},
            {kFirstToken, "firstTokenText",
             [this](int row) {
               return tr("first token %1").arg(durationText(m_reports[row].firstTokenMs));
             }},
            {kStory, "story", [this](int row) { return promptStory(m_reports[row]); }}});
}

void PromptLog::add(const PromptReport& report) {
  if (count() == kMaxPrompts) {
    beginRemoveRows({}, kMaxPrompts - 1, kMaxPrompts - 1);
    m_reports.removeLast();
    endRemoveRows();
  }
  beginInsertRows({}, 0, 0);
  m_reports.prepend(report);
  endInsertRows();
  emit countChanged();
}

}  // namespace quire
