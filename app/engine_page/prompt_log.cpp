#include "app/engine_page/prompt_log.h"

#include <utility>

namespace quire {

PromptLog::PromptLog(ChatLabels labels, QObject* parent)
    : QAbstractListModel(parent), m_labels(std::move(labels)) {}

int PromptLog::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant PromptLog::data(const QModelIndex& index, int role) const {
  const PromptReport report = m_reports.value(index.row());
  const auto label = m_labels ? m_labels(report.chatId) : std::nullopt;
  switch (role) {
    case kTitle:
      return titleOf(m_labels, report.chatId);
    case kColor:
      return label ? label->color : -1;
    case kFirstToken:
      return tr("first token %1").arg(durationText(report.firstTokenMs));
    case kStory:
      return promptStory(report);
    default:
      return {};
  }
}

QHash<int, QByteArray> PromptLog::roleNames() const {
  return {{kTitle, "title"},
          {kColor, "colorIndex"},
          {kFirstToken, "firstTokenText"},
          {kStory, "story"}};
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
