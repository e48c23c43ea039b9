#pragma once

#include <QDateTime>
#include <QList>
#include <QString>

#include <functional>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

class Database;

/// Asked again and again while a file is copied or read through: true gives the work up soon, with
/// an error and no half file. Empty: never.
using GivenUp = std::function<bool()>;
/// For nobody to read: the one that gave it up knows, or has left.
Error gaveUp();

/// All that is committed, as a database of its own at `path`.
Result<void> copyInto(const Database& database, const QString& path, const GivenUp& givenUp);

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

/// How many backups stay. The newest stays always.
struct BackupPolicy {
  int days = 7;   ///< The last one of each of so many days,
  int weeks = 4;  ///< and of so many weeks before them.
  qint64 maxBytes = 2'000'000'000;
};

/// Newest first; with what is in them if `count`, which opens each.
QList<Backup> listBackups(const QString& folder, bool count);

/// Copies the store as this connection sees it, while others may write: whole and on disk when this
/// returns, or not there. Errors: those of the database; kIo with the path.
Result<QString> makeBackup(const Database& database, Backup::Kind kind, const QDateTime& now,
                           const GivenUp& givenUp = {});

/// Makes today's backup unless there is one, or anew if that one is some hours old and the store
/// has changed since, and removes what the policy does not keep; none if there was nothing to do,
/// as for a store without chats. A store that is larger than the policy's bytes is not copied: kIo
/// with both sizes.
Result<std::optional<QString>> backUpDaily(const QString& folder, const BackupPolicy& policy,
                                           const QDateTime& now, const GivenUp& givenUp = {});

/// Makes a backup of this moment because someone asked for it; none if the newest one holds the
/// very same. Errors as above.
Result<std::optional<QString>> backUpNow(const QString& folder, const BackupPolicy& policy,
                                         const QDateTime& now, const GivenUp& givenUp = {});

/// Those that the policy does not keep.
QList<Backup> expiredBackups(const QList<Backup>& newestFirst, const BackupPolicy& policy);

}  // namespace quire
