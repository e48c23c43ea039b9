#pragma once

#include <optional>

#include "app/models/files/stored_model.h"

namespace quire {

/// The move of a model to another folder, which is written down before its first step so that it
/// can be undone or completed after a crash.
struct ModelMove {
  QString from;           ///< The model's path before.
  QString to;             ///< And after.
  QString staging;        ///< A folder beside the target, in which the copies are made.
  QString target;         ///< The file or folder that appears at once when all copies are verified.
  bool isFolder = false;  ///< Of `target`.
  QList<StoredFile> files;  ///< Of the source, in the order of `copies`.
  QStringList copies;       ///< Names of the copies, in the staging folder.
  QStringList folders;      ///< Of the source, to be removed if they are empty.
  QStringList records;      ///< Of the source's hashes (hash_record.h), which go along.
  /// The copies as they were verified, under their paths at the target; empty until then. They keep
  /// their identity when they are renamed, so that no other file is taken for them.
  QList<StoredFile> verified = {};

  qint64 bytes() const;
};

/// The file of the move that is not complete. Thread: any, one at a time.
class MoveJournal {
 public:
  explicit MoveJournal(const QString& path) : m_path(path) {}

  /// Durable when it returns true.
  bool write(const ModelMove& move) const;
  /// nullopt if there is none, or it is damaged: it never names relative paths or other folders'
  /// files as copies.
  std::optional<ModelMove> read() const;
  void remove() const;

 private:
  const QString m_path;
};

}  // namespace quire
