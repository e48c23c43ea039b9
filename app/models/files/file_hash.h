#pragma once

#include <QHash>
#include <QString>

#include <functional>
#include <optional>
#include <stop_token>

#include "app/models/files/hash_record.h"
#include "app/models/files/stored_model.h"

namespace quire {

/// Told how many more bytes were read. Thread: that of the work.
using BytesRead = std::function<void(qint64 bytes)>;

/// The hash of a file's contents, in lower-case hexadecimal digits; empty if it cannot be read, was
/// changed meanwhile, or `stop` was requested. Reads past the cache of the system where it may.
QByteArray hashOf(const StoredFile& file, ExpectedHash::Kind kind, const std::stop_token& stop,
                  const BytesRead& read);

/// SHA-256 of files that were read before, by path, size, time and inode. It is stored in a file,
/// which may be deleted at any time.
///
/// Thread: any, one at a time.
class HashCache {
 public:
  explicit HashCache(const QString& path);  ///< Empty: nothing is stored.

  std::optional<QByteArray> find(const StoredFile& file) const;
  void put(const StoredFile& file, const QByteArray& sha256);
  /// Errors are ignored: the files are then read again.
  void save() const;

 private:
  struct Entry {
    qint64 bytes = 0;
    qint64 modifiedNs = 0;
    quint64 inode = 0;
    QByteArray sha256;
  };

  const QString m_path;
  QHash<QString, Entry> m_entries;
  bool m_isChanged = false;
};

}  // namespace quire
