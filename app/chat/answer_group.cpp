#include "app/chat/answer_group.h"

namespace quire {
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

void AnswerGroup::add(RecordId answer, const QString& label) {
  m_columns.append(new AnswerColumn(m_conversation, answer, label, this));
}

AnswerColumn* AnswerGroup::find(RecordId answer) const {
  for (AnswerColumn* column : m_columns) {
    if (column->messageId() == answer) return column;
  }
  return nullptr;
}

}  // namespace quire
