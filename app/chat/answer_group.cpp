#include "app/chat/answer_group.h"

namespace quire {
namespace {

MessageRecord alone(MessageRecord answer) {
  answer.parentId = 0;
  return answer;
}

}  // namespace

AnswerColumn::AnswerColumn(const MessageRecord& answer, const QString& label, const AnswerRun* run,
                           QObject* parent)
    : QObject(parent),
      m_id(answer.id),
      m_label(label),
      m_conversation({alone(answer)}, answer.id),
      m_timeline(m_conversation) {
  if (run != nullptr) follow(*run);
}

void AnswerColumn::follow(const AnswerRun& run) {
  connect(&run, &AnswerRun::submitted, this,
          [this] { m_timeline.setPhase(m_id, TimelineModel::Phase::Reading); });
  connect(&run, &AnswerRun::started, this, [this, &run] { take(run); });
  connect(&run, &AnswerRun::textAppended, this,
          [this, &run](const QString& text) { append(run, text); });
  connect(&run, &AnswerRun::ended, this, [this, &run] {
    take(run);
    m_timeline.finishMessage(m_id);
  });
}

void AnswerColumn::take(const AnswerRun& run) {
  MessageRecord* message = m_conversation.find(m_id);
  *message = alone(run.answer());
  m_timeline.refreshMessage(m_id);
}

void AnswerColumn::append(const AnswerRun& run, const QString& text) {
  MessageRecord* message = m_conversation.find(m_id);
  message->appendText(text);
  message->outputTokens = run.answer().outputTokens;
  m_timeline.setPhase(m_id, TimelineModel::Phase::Writing);
  m_timeline.appendText(m_id, text);
}

int AnswerGroup::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> AnswerGroup::roleNames() const {
  return {{kColumn, "column"}};
}

QVariant AnswerGroup::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count() || role != kColumn) return {};
  return QVariant::fromValue(m_columns[index.row()]);
}

QList<RecordId> AnswerGroup::answers() const {
  QList<RecordId> ids;
  for (const AnswerColumn* column : m_columns) ids.append(column->messageId());
  return ids;
}

QList<ComparedAnswer> AnswerGroup::toRecords() const {
  QList<ComparedAnswer> records;
  for (const AnswerColumn* column : m_columns) {
    records.append({column->messageId(), column->label()});
  }
  return records;
}

void AnswerGroup::add(const MessageRecord& answer, const QString& label, const AnswerRun* run) {
  m_columns.append(new AnswerColumn(answer, label, run, this));
}

AnswerColumn* AnswerGroup::find(RecordId answer) const {
  for (AnswerColumn* column : m_columns) {
    if (column->messageId() == answer) return column;
  }
  return nullptr;
}

}  // namespace quire
