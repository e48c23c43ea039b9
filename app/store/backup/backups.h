#pragma once

#include <QDateTime>
#include <QHashFunctions>
#include <QList>
#include <QString>

#include <functional>
#include <mutex>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

class Database;

/// Called repeatedly while a file is copied or read: true ends the work soon, with an error and
/// without an incomplete file. Empty: never.
using GivenUp = std::function<bool()>;
/// The error of work that was ended so. It is not shown to the user, who ended the work.
Error gaveUp();

/// Copies all that is committed into a new database at `path`, after SQLite's own check: pages that
/// are in two places at once would fill the disk. Errors: those of checkStructure(); kIo with
/// `path` if the copy cannot be written; gaveUp().
Result<void> copyInto(const Database& database, const QString& path, const GivenUp& givenUp);

/// Held while a backup is made, or while chats are removed from all of them: a backup that began
/// before a chat was removed must not appear after it has left the others. Thread: any.
std::timed_mutex& backupsMutex();

/// A copy of the store in `folder`/backups.
struct Backup {
  enum class Kind { Daily, Migration, Asked };

  QString path;
  QDateTime made;  ///< Local time.
  Kind kind = Kind::Daily;
  qint64 bytes = 0;
  int numChats = -1;  ///< -1: not counted, or it cannot be read.
  int numMessages = -1;
};

/// How many backups are kept. The newest is always kept.
struct BackupPolicy {
  int days = 7;                     ///< The last backup of each of so many days is kept,
  int weeks = 4;                    ///< and the last one of each of so many weeks before them.
  qint64 maxBytes = 2'000'000'000;  ///< Of all together; more if the store is large.
};

/// The backups, newest first; with the numbers of their records if `count`, which opens each.
QList<Backup> listBackups(const QString& folder, bool count);

/// Copies the store as this connection sees it, while others may write. The copy is complete and
/// durable when this returns, or does not exist; it replaces no other. Errors: those of the
/// database; kIo with the path.
Result<QString> makeBackup(const Database& database, Backup::Kind kind, const QDateTime& now,
                           const GivenUp& givenUp = {});

/// Makes today's backup if there is none, or a new one if that is some hours old and the store has
/// changed since, and removes the backups that the policy does not keep. A file that could not be
/// restored is not counted and not removed. The policy's bytes are at least those of three copies
/// of the store, or of the largest backup. Returns none if no backup was due, as for a store
/// without chats.
Result<std::optional<QString>> backUpDaily(const QString& folder, const BackupPolicy& policy,
                                           const QDateTime& now, const GivenUp& givenUp = {});

/// Makes the backup that the user asked for; none if the newest backup has the same content. Errors
/// as above.
Result<std::optional<QString>> backUpNow(const QString& folder, const BackupPolicy& policy,
                                         const QDateTime& now, const GivenUp& givenUp = {});

/// Makes the backup before a migration, unless there is one with the same content: a migration that
/// fails is tried again at each start.
Result<void> backUpBeforeMigration(const Database& database, const QDateTime& now);

/// A chat as it is found again in backups, where another one may have its id: the ids of a store
/// that replaced a lost one begin at 1 again.
struct ErasedChat {
  qint64 id = 0;
  qint64 createdMs = 0;
  bool operator==(const ErasedChat&) const = default;
};

/// For sets of them.
inline size_t qHash(const ErasedChat& chat, size_t seed = 0) {
  return qHashMulti(seed, chat.id, chat.createdMs);
}

/// Chats as setting_keys::kErasing notes them: "id:milliseconds" of each, separated by commas. What
/// is no chat in the text is left out, and so is what stands before the last 100,000: a forged
/// store may name millions.
QString erasedChatsText(const QList<ErasedChat>& chats);
QList<ErasedChat> erasedChats(const QString& text);

/// Called before each backup, with the number of those that are done.
using ErasingProgress = std::function<void(int done, int total)>;

/// Removes chats from all backups, with their messages, files and words in the full-text index;
/// each backup that has one of them is replaced by a copy without. Returns the number of these
/// backups. Backups that cannot be read or replaced stay as they are, and the others are still
/// changed. Errors: kIo with the number of backups that stayed and the path of one; gaveUp().
Result<int> removeFromBackups(const QString& folder, const QList<ErasedChat>& chats,
                              const GivenUp& givenUp = {}, const ErasingProgress& progress = {});

/// The backups that the policy does not keep at this time. It is applied to those that were made
/// more than a day after `now`, by a clock that was ahead of this one, as to the others, which
/// have the first claim to its bytes; the newest of each stays.
QList<Backup> expiredBackups(const QList<Backup>& newestFirst, const BackupPolicy& policy,
                             const QDateTime& now);

/// Removes copies that a kill cut off, which hold chats that may have been deleted since. Nothing
/// if a backup is being made.
void removeCutOffCopies(const QString& folder);

}  // namespace quire
