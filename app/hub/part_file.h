#pragma once

#include <QFile>

#include <optional>

#include "app/hub/download_plan.h"
#include "app/hub/stream_hash.h"

namespace quire {

/// A file that is being downloaded: "NAME.part", which becomes "NAME" when it is complete and its
/// hash is right.
///
/// Thread: one at a time.
/// Invariants: bytes are hashed once, in their order; what is written is what is hashed.
class PartFile {
 public:
  /// After so many bytes the part is written through to the disk.
  static constexpr qint64 kSyncBytes = 64 << 20;

  PartFile(const QString& folder, const PlannedFile& planned);

  /// Whether the file is there: complete and verified, by an earlier run.
  bool isFinished() const;
  /// Opens what an earlier run left; of it at most `trustedBytes` are used. Errors: kIo.
  Result<void> open(qint64 trustedBytes);
  /// Hashes up to `most` of the bytes that were there. False: all are. Errors: kIo.
  Result<bool> hashSome(qint64 most);

  qint64 bytes() const { return m_bytes; }
  qint64 syncedBytes() const { return m_syncedBytes; }
  bool isComplete() const { return m_bytes >= m_planned.bytes; }

  /// Appends what fits; the rest is dropped. Errors: kIo for a full or failing disk; the part then
  /// ends with what was written before.
  Result<void> append(QByteArrayView bytes);
  /// Writes everything through to the disk. Errors: kIo.
  Result<void> sync();
  /// Removes what was written. Errors: kIo.
  Result<void> restart();
  /// Syncs, and renames the file if its hash is right. False: it is not, and nothing is left.
  /// Errors: kIo.
  Result<bool> finish();

 private:
  Error failure(const QString& reason) const;
  Error notWritten(qint64 written) const;

  const PlannedFile m_planned;
  const QString m_path;
  QFile m_file;  ///< The part.
  StreamHash m_hash;
  qint64 m_bytes = 0;        ///< Written or found.
  qint64 m_hashedBytes = 0;  ///< Of those found.
  qint64 m_syncedBytes = 0;
};

/// Makes what was written to a file, or renamed in a folder, durable. False if that failed.
bool syncToDisk(const QString& path);

}  // namespace quire
