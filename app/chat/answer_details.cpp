#include "app/chat/answer_details.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

#include "app/chat/footer_text.h"

namespace quire {
namespace {

QString askedAt(qint64 timeMs) {
  return QLocale().toString(QDateTime::fromMSecsSinceEpoch(timeMs), QLocale::ShortFormat);
}

}  // namespace

AnswerDetails::AnswerDetails(QObject* parent) : RoleListModel(parent) {
  setRoles({{kLabel, "label", [this](int row) { return m_rows[row].label; }},
            {kValue, "value", [this](int row) { return m_rows[row].value; }}});
}

QList<AnswerDetails::Row> AnswerDetails::rowsOf(const MessageRecord& answer) {
  const QLocale locale;
  const auto tokens = [&](int count) { return tr("%1 tokens").arg(locale.toString(count)); };
  const auto seconds = [&](double ms) {
    return tr("%1 s").arg(locale.toString(ms / 1000.0, 'f', ms < 10'000.0 ? 2 : 1));
  };
  QList<Row> rows;
  const auto add = [&](bool isKnown, const QString& label, const QString& value) {
    if (isKnown) rows.append({label, value});
  };
  const int prompt = std::max(0, answer.promptTokens);
  const int cached = std::clamp(answer.cachedTokens, 0, prompt);  // A damaged store may hold more.
  add(!answer.modelName.isEmpty(), tr("Model"), answer.modelName);
  add(answer.createdMs > 0, tr("Asked"), askedAt(answer.createdMs));
  add(answer.firstTokenMs > 0.0, tr("Time to first token"), seconds(answer.firstTokenMs));
  add(answer.totalMs > 0.0, tr("Total time"), seconds(answer.totalMs));
  add(!speedText(answer).isEmpty(), tr("Speed"), speedText(answer));
  add(prompt > 0, tr("Prompt"), tokens(prompt));
  if (prompt > 0) {
    const auto percent = static_cast<int>(100LL * cached / prompt);
    add(true, tr("From cache"), tr("%1 (%2%)").arg(tokens(cached)).arg(percent));
  }
  add(answer.outputTokens > 0, tr("Answer"), tokens(answer.outputTokens));
  add(answer.temperature > 0.0, tr("Temperature"), locale.toString(answer.temperature, 'g', 3));
  add(answer.seed != 0, tr("Seed"), QString::number(answer.seed));
  return rows;
}

void AnswerDetails::show(const MessageRecord& answer) {
  beginResetModel();
  m_rows = rowsOf(answer);
  endResetModel();
  m_isOpen = true;
  emit openChanged();
}

void AnswerDetails::close() {
  if (!m_isOpen) return;
  m_isOpen = false;
  emit openChanged();
}

}  // namespace quire
