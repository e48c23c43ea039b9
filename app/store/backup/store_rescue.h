#pragma once

#include <QList>
#include <QString>

#include "app/store/backup/backups.h"

namespace quire {

enum class StoreState {
  Healthy,
  Missing,   ///< There is none yet.
  Damaged,   ///< Not a database, or one that SQLite's check finds fault with.
  NotOurs,   ///< Written by a newer Quire, or another program's database.
  Unusable,  ///< Cannot be opened or read at all: permissions, the disk.
};

struct StoreDiagnosis {
  StoreState state = StoreState::Healthy;
  QString path;      ///< Of the database.
  QString sentence;  ///< What is wrong and what to do; empty if nothing is.
  /// Its chats can be listed: ConversationStore::openForReading opens it, and mergeStore() can take
  /// what is whole out of it.
  bool isReadable = false;
  int numChats = -1;
  QList<Backup> backups;  ///< Newest first, with what is in them.
};

/// Looks at a store and changes nothing. Reads all of the file: for a thread that may wait.
StoreDiagnosis diagnoseStore(const QString& folder, const GivenUp& givenUp = {});

/// Puts a backup in the store's place; the store that is there is kept under another name, which is
/// returned (empty: there was none). Nobody may have it open. Errors: kCorruptFile if the backup is
/// itself damaged, kIo; then the store is where it was.
Result<QString> restoreBackup(const QString& folder, const QString& backupPath,
                              const GivenUp& givenUp = {});

/// Puts back a store that was moved aside by a restoreBackup() or startAfresh() that was cut off,
/// so that the next open finds it as it was. Nobody may have it open.
void finishMoving(const QString& folder);

/// Keeps the store under another name, which is returned; the next open makes an empty one.
Result<QString> startAfresh(const QString& folder);

}  // namespace quire
