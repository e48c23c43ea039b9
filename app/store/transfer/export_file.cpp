#include "app/store/transfer/export_file.h"

#include <QFile>

#include "app/store/store_words.h"

namespace quire {

Result<void> ExportFile::open() {
  if (!m_file.open(QIODevice::WriteOnly)) return error();
  m_file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  return {};
}

Result<void> ExportFile::write(const QByteArray& piece) {
  if (m_file.write(piece) != piece.size()) return error();
  return {};
}

Result<void> ExportFile::commit() {
  if (!m_file.commit()) return error();
  return {};
}

Error ExportFile::error() const {
  return {ErrorCode::kIo, StoreWords::tr("The file \"%1\" could not be written: %2. Choose another "
                                         "place, or make room.")
                              .arg(m_file.fileName(), m_file.errorString())
                              .toStdString()};
}

}  // namespace quire
