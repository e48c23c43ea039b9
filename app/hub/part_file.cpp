#include "app/hub/part_file.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>

#include "platform/file.h"

namespace quire {

PartFile::PartFile(const QString& folder, const PlannedFile& planned)
    : m_planned(planned),
      m_path(folder + u'/' + planned.path),
      m_file(m_path + QStringLiteral(".part")),
      m_hash(planned.hash.kind, planned.bytes) {}

Error PartFile::failure(const QString& reason) const {
  return make_error(ErrorCode::kIo,
                    "%1 cannot be written: %2. What was downloaded is kept; free some space, then "
                    "try again",
                    {m_file.fileName().toStdString(), reason.toStdString()});
}

/// A disk that becomes full may end a write early without an error.
Error PartFile::notWritten(qint64 written) const {
  const bool isFull = written >= 0 || m_file.error() == QFileDevice::ResourceError;
  if (!isFull) return failure(m_file.errorString());
  return make_error(ErrorCode::kIo,
                    "%1 cannot be written, because the disk is full. What was downloaded is kept; "
                    "free some space, then try again",
                    {m_file.fileName().toStdString()});
}

bool PartFile::isFinished() const {
  const QFileInfo info(m_path);
  return info.isFile() && info.size() == m_planned.bytes;
}

Result<void> PartFile::open(qint64 trustedBytes) {
  const QString folder = QFileInfo(m_path).path();
  if (!QDir().mkpath(folder)) return failure(QStringLiteral("its folder cannot be made"));
  if (!m_file.open(QIODevice::ReadWrite | QIODevice::Unbuffered)) {
    return failure(m_file.errorString());
  }
  m_bytes = std::min(m_file.size(), trustedBytes);
  // A part that is too long is of another file.
  if (m_bytes > m_planned.bytes) m_bytes = 0;
  if (m_file.size() != m_bytes && !m_file.resize(m_bytes)) return failure(m_file.errorString());
  m_syncedBytes = m_bytes;
  return {};
}

Result<bool> PartFile::hashSome(qint64 most) {
  if (m_hashedBytes >= m_bytes) return false;
  if (!m_file.seek(m_hashedBytes)) return failure(m_file.errorString());
  const QByteArray bytes = m_file.read(std::min(most, m_bytes - m_hashedBytes));
  if (bytes.isEmpty()) return failure(m_file.errorString());
  m_hash.add(bytes);
  m_hashedBytes += bytes.size();
  return m_hashedBytes < m_bytes;
}

Result<void> PartFile::append(QByteArrayView bytes) {
  bytes = bytes.first(std::min<qint64>(bytes.size(), m_planned.bytes - m_bytes));
  if (!m_file.seek(m_bytes)) return failure(m_file.errorString());
  const qint64 written = m_file.write(bytes.data(), bytes.size());
  const qint64 whole = std::max<qint64>(written, 0);
  m_hash.add(bytes.first(whole));
  m_bytes += whole;
  m_hashedBytes = m_bytes;
  if (written != bytes.size()) return notWritten(written);
  if (m_bytes - m_syncedBytes >= kSyncBytes) return sync();
  return {};
}

Result<void> PartFile::sync() {
  if (!platform::flush_data(m_file.handle())) return failure(qt_error_string());
  m_syncedBytes = m_bytes;
  return {};
}

Result<void> PartFile::restart() {
  m_hash.reset();
  m_bytes = m_hashedBytes = m_syncedBytes = 0;
  if (!m_file.resize(0)) return failure(m_file.errorString());
  return {};
}

Result<bool> PartFile::finish() {
  if (const auto synced = sync(); !synced) return synced.error();
  if (m_hash.hex() != m_planned.hash.hex || m_bytes != m_planned.bytes) {
    if (const auto begun = restart(); !begun) return begun.error();
    return false;
  }
  m_file.close();
  std::error_code error;
  std::filesystem::rename(m_file.fileName().toStdU16String(), m_path.toStdU16String(), error);
  if (error) return failure(QString::fromStdString(error.message()));
  if (!syncToDisk(QFileInfo(m_path).path())) return failure(qt_error_string());
  return true;
}

bool syncToDisk(const QString& path) {
  return platform::flush_path(platform::utf8_path(path.toStdString()));
}

}  // namespace quire
