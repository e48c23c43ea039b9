#include "app/store/record_rows.h"

#include <QtEndian>

namespace quire {

// Qt's endian functions hand null pointers of empty lists to memcpy, which may not have them.
QByteArray toBlob(const QList<qint32>& tokens) {
  if (tokens.isEmpty()) return {};
  QByteArray blob(tokens.size() * qsizetype{sizeof(qint32)}, Qt::Uninitialized);
  qToLittleEndian<qint32>(tokens.constData(), tokens.size(), blob.data());
  return blob;
}

QList<qint32> fromBlob(const QByteArray& blob) {
  if (blob.size() < qsizetype{sizeof(qint32)}) return {};  // A damaged one may hold a part of one.
  QList<qint32> tokens(blob.size() / qsizetype{sizeof(qint32)});
  qFromLittleEndian<qint32>(blob.constData(), tokens.size(), tokens.data());
  return tokens;
}

Statement& bindValue(Statement& statement, const GenerationSettings& settings) {
  return statement.bind(toJson(settings));
}
Statement& bindValue(Statement& statement, const QList<qint32>& tokens) {
  return statement.bind(toBlob(tokens));
}
Statement& bindValue(Statement& statement, const MessageRole& role) {
  return statement.bind(role.name);
}
Statement& bindValue(Statement& statement, MessageStatus status) {
  return statement.bind(static_cast<int>(status));
}
Statement& bindValue(Statement& statement, quint64 bits) {
  return statement.bind(static_cast<qint64>(bits));
}

void readValue(const QVariant& column, GenerationSettings& settings) {
  settings = generationSettingsFromJson(column.toString());
}
void readValue(const QVariant& column, QList<qint32>& tokens) {
  tokens = fromBlob(column.toByteArray());
}
void readValue(const QVariant& column, MessageRole& role) {
  role.name = column.toString();
}
void readValue(const QVariant& column, MessageStatus& status) {
  const int value = column.toInt();
  const bool isKnown = value >= static_cast<int>(MessageStatus::Complete) &&
                       value <= static_cast<int>(MessageStatus::Failed);
  status = isKnown ? static_cast<MessageStatus>(value) : MessageStatus::Interrupted;
}
void readValue(const QVariant& column, quint64& bits) {
  bits = static_cast<quint64>(column.toLongLong());
}

}  // namespace quire
