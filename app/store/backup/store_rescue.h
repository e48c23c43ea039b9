#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "app/store/backup/backups.h"

namespace quire {

enum class StoreState {
  Healthy,
  Missing,   ///< There is no file.
  Damaged,   ///< Not a database, or one that fails SQLite's check.
  NotOurs,   ///< Written by a newer Quire, or another program's database.
  Unusable,  ///< Cannot be opened or read, because of its permissions or the disk.
};

struct StoreDiagnosis {
  StoreState state = StoreState::Healthy;
  QString path;      ///< Of the database.
  QString sentence;  ///< What is wrong and what to do; empty if nothing is wrong.
  /// Its chats can be listed: ConversationStore::openForReading opens it, and mergeStore() can copy
  /// its readable records.
  bool isReadable = false;
  int numChats = -1;
  QList<Backup> backups;  ///< Newest first, with the numbers of their records.
};

/// Examines a store without changing it. Reads the whole file, which may take long.
StoreDiagnosis diagnoseStore(const QString& folder, const GivenUp& givenUp = {});

/// Replaces the store by a backup. The replaced store is kept under another name, which is returned
/// (empty if there was none), and is one of storesToMerge() if it can be read. No program may have
/// the store open. Errors: kCorruptFile if the backup is damaged, kIo; the store is then unchanged.
Result<QString> restoreBackup(const QString& folder, const QString& backupPath,
                              const GivenUp& givenUp = {});

/// Moves back a store that an interrupted restoreBackup() or startAfresh() had renamed, so that the
/// next open finds it unchanged, and removes backups that were not finished. No program may have it
/// open.
void finishMoving(const QString& folder);

/// Renames the store and returns its new path; the next open makes an empty store. It is one of
/// storesToMerge() if it can be read.
Result<QString> startAfresh(const QString& folder);

/// The time in the name of the store that was moved aside last; invalid if there is none.
QDateTime lastMovedAside(const QString& folder);

// A file beside the store notes which stores were moved aside and have chats that are to be merged
// into the one in their place, until that is done.

/// Their paths, oldest first; a file may have been removed since.
QStringList storesToMerge(const QString& folder);
/// To be called when the store at that path is merged, or can never be.
void forgetStoreToMerge(const QString& folder, const QString& path);
/// Whether opening a store for reading, which failed with that error, may succeed later.
bool mayBeReadLater(const Error& error);

}  // namespace quire
