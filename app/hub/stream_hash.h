#pragma once

#include <QCryptographicHash>

#include "app/hub/hub_model.h"

namespace quire {

/// Hashes the bytes of a file of known size as they come.
class StreamHash {
 public:
  StreamHash(FileHash::Kind kind, qint64 fileBytes)
      : m_kind(kind),
        m_fileBytes(fileBytes),
        m_hash(kind == FileHash::Kind::kSha256 ? QCryptographicHash::Sha256
                                               : QCryptographicHash::Sha1) {
    reset();
  }

  void reset() {
    m_hash.reset();
    if (m_kind == FileHash::Kind::kSha256) return;
    m_hash.addData("blob " + QByteArray::number(m_fileBytes));
    m_hash.addData(QByteArrayView("\0", 1));
  }
  void add(QByteArrayView bytes) { m_hash.addData(bytes); }
  QByteArray hex() const { return m_hash.result().toHex(); }

 private:
  FileHash::Kind m_kind;
  qint64 m_fileBytes;
  QCryptographicHash m_hash;
};

}  // namespace quire
