#include "app/store/record_rows.h"

#include <QtEndian>

namespace quire {

// Qt's endian functions would pass the null pointers of empty lists to memcpy, which forbids them.
QByteArray toBlob(const QList<qint32>& tokens) {
  if (tokens.isEmpty()) return {};
  QByteArray blob(tokens.size() * qsizetype{sizeof(qint32)}, Qt::Uninitialized);
  qToLittleEndian<qint32>(tokens.constData(), tokens.size(), blob.data());
  return blob;
}

QList<qint32> Column<QList<qint32>>::read(const Statement& row, int column) {
  const auto blob = row.blob(column);
  const auto count = static_cast<qsizetype>(blob.size() / sizeof(qint32));
  // A damaged blob may hold a part of a token.
  if (count == 0 || std::ssize(blob) > kMaxTokenListBytes) return {};
  QList<qint32> tokens(count);
  qFromLittleEndian<qint32>(blob.data(), count, tokens.data());
  return tokens;
}

MessageStatus Column<MessageStatus>::read(const Statement& row, int column) {
  const int64_t value = row.number(column);
  const bool isKnown = value >= static_cast<int>(MessageStatus::Complete) &&
                       value <= static_cast<int>(MessageStatus::Failed);
  return isKnown ? static_cast<MessageStatus>(value) : MessageStatus::Interrupted;
}

}  // namespace quire
