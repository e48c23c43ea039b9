#include "app/store/backup/backups.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QStorageInfo>

#include <sqlite3.h>

#include <algorithm>
#include <span>

#include "app/store/backup/backup_check.h"
#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "app/store/store_strings.h"
#include "app/store/system_reason.h"

namespace quire {
namespace {

const QString kTimeFormat = QStringLiteral("yyyyMMdd-HHmmss");
const QString kPrefix = QStringLiteral("quire-");
/// The ends of the names of backups, in the order of their kinds.
constexpr std::pair<Backup::Kind, QLatin1String> kEndings[] = {
    {Backup::Kind::Daily, QLatin1String("-daily.db")},
    {Backup::Kind::Migration, QLatin1String("-migration.db")},
    {Backup::Kind::Asked, QLatin1String("-asked.db")},
};

/// Today's backup is made again when it is older than this and the store has changed.
constexpr qint64 kRenewalSecs = 3 * 3600;
/// So many copies fit however large the store is: each new one would remove all older ones
/// otherwise.
constexpr qint64 kFittingCopies = 3;

QString folderOf(const QString& dataFolder) {
  return QDir(dataFolder).absoluteFilePath(QStringLiteral("backups"));
}

Error cannotWrite(const QString& path, const QString& why) {
  return storeError(ErrorCode::kIo,
                    StoreWords::tr("The backup \"%1\" could not be written: %2. Make room, or "
                                   "choose another folder with --data.")
                        .arg(path, why));
}

/// The error of a copy that ended with `error`, which names the store even if the copy could not be
/// written.
Error copyError(const Database& database, const QString& path, const Error& error) {
  const int code = sqlite3_extended_errcode(database.handle());
  if (code == SQLITE_IOERR_READ) return error;  // The copy is not read.
  switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return cannotWrite(path, systemReason(QString::fromLatin1(sqlite3_errstr(code))));
    default:
      return error;
  }
}

/// The path for a backup of that time, or of the next second of which there is none: a clock that
/// was set back comes by a second again, and the backup of then holds other chats.
QString freePath(const QString& backups, Backup::Kind kind, QDateTime time) {
  while (true) {
    const QString name =
        kPrefix + time.toString(kTimeFormat) + kEndings[static_cast<int>(kind)].second;
    const QString path = QDir(backups).absoluteFilePath(name);
    if (!QFile::exists(path)) return path;
    time = time.addSecs(1);
  }
}

std::optional<Backup> backupAt(const QFileInfo& file) {
  const QString name = file.fileName();
  Backup backup{.path = file.absoluteFilePath(), .bytes = file.size()};
  const auto kind = std::find_if(std::begin(kEndings), std::end(kEndings),
                                 [&](const auto& known) { return name.endsWith(known.second); });
  if (!name.startsWith(kPrefix) || kind == std::end(kEndings)) return std::nullopt;
  backup.kind = kind->first;
  backup.made = QDateTime::fromString(name.mid(kPrefix.size(), kTimeFormat.size()), kTimeFormat);
  if (!backup.made.isValid()) return std::nullopt;
  return backup;
}

void countRecords(Backup& backup) {
  const auto database = openFileForReading(backup.path);
  if (!database) return;
  const auto chats = countRows(**database, "chat");
  const auto messages = countRows(**database, "message");
  if (!chats || !messages) return;
  backup.numChats = static_cast<int>(*chats);
  backup.numMessages = static_cast<int>(*messages);
}

/// The policy with room for some copies of the store. Its file keeps the pages of deleted chats,
/// which a copy lacks; the newest pages may be in its log only. The backups may be of a larger
/// store that this one replaced, such as a damaged one: they go by their age alone.
BackupPolicy fittedTo(const QString& folder, const QString& copy, const QList<Backup>& backups,
                      BackupPolicy policy) {
  qint64 bytes = std::max(QFileInfo(storePath(folder)).size(), QFileInfo(copy).size());
  for (const Backup& backup : backups) bytes = std::max(bytes, backup.bytes);
  policy.maxBytes = std::max(policy.maxBytes, kFittingCopies * bytes);
  return policy;
}

/// Those that a restore could use, newest first, with the bytes that they take. Any other file with
/// the name of a backup must not supersede one, and is not ours to remove.
QList<Backup> usableBackups(const QString& folder) {
  QList<Backup> usable;
  for (Backup backup : listBackups(folder, /*count=*/false)) {
    const auto bytes = bytesOfUsable(backup.path);
    if (!bytes) continue;
    backup.bytes = *bytes;
    usable.append(std::move(backup));
  }
  return usable;
}

/// The newest that a restore could use, if there is one.
QList<Backup> newestUsable(const QString& folder) {
  for (const Backup& backup : listBackups(folder, /*count=*/false)) {
    if (bytesOfUsable(backup.path)) return {backup};
  }
  return {};
}

/// Never the one that was just made: it is the oldest if the clock was ahead before and was set
/// back.
Result<void> removeOld(const QString& folder, const BackupPolicy& policy, const QDateTime& now,
                       const QString& made) {
  const QList<Backup> usable = usableBackups(folder);
  const BackupPolicy fitted = fittedTo(folder, made, usable, policy);
  for (const Backup& backup : expiredBackups(usable, fitted, now)) {
    if (backup.path == made || QFile::remove(backup.path)) continue;
    return storeError(ErrorCode::kIo, StoreWords::tr("The old backup \"%1\" cannot be removed. "
                                                     "Check the permissions of its folder.")
                                          .arg(backup.path));
  }
  return {};
}

/// Whether two files are equal except for the header, in which SQLite counts changes.
bool holdSame(const QString& path, const QString& other, const GivenUp& givenUp) {
  constexpr qint64 kHeader = 100;
  constexpr qint64 kPiece = 1 << 20;
  QFile first(path);
  QFile second(other);
  const bool isOpen = first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly);
  if (!isOpen || first.size() != second.size()) return false;
  if (!first.seek(kHeader) || !second.seek(kHeader)) return false;
  while (!first.atEnd()) {
    const QByteArray piece = first.read(kPiece);
    if (piece.isEmpty() || piece != second.read(kPiece)) return false;
    if (givenUp && givenUp()) return false;
  }
  return true;
}

/// Makes a backup; none if one of `others` has the same content.
Result<std::optional<QString>> makeUnlessSame(const Database& database, Backup::Kind kind,
                                              const QDateTime& now, const QList<Backup>& others,
                                              const GivenUp& givenUp) {
  const auto made = makeBackup(database, kind, now, givenUp);
  if (!made) return made.error();
  const bool isKnown = std::any_of(others.begin(), others.end(), [&](const Backup& other) {
    return other.path != *made && holdSame(other.path, *made, givenUp);
  });
  if (!isKnown) return std::optional<QString>(*made);
  QFile::remove(*made);
  return std::optional<QString>();
}

/// When the store was last written to.
QDateTime changedAt(const QString& folder) {
  const QString path = storePath(folder);
  return std::max(QFileInfo(path).lastModified(),
                  QFileInfo(path + QStringLiteral("-wal")).lastModified());
}

bool isDailyDue(const QString& folder, const QDateTime& now) {
  for (const Backup& backup : listBackups(folder, /*count=*/false)) {
    if (backup.kind != Backup::Kind::Daily || backup.made.date() != now.date()) continue;
    if (!bytesOfUsable(backup.path)) continue;
    return backup.made.secsTo(now) >= kRenewalSecs && changedAt(folder) > backup.made;
  }
  return true;
}

QString weekOf(const QDate& date) {
  int year = 0;
  const int week = date.weekNumber(&year);
  return QStringLiteral("%1-%2").arg(year).arg(week);
}

/// Appends what the policy does not keep of `newestFirst`. Returns the bytes of those it keeps.
qint64 appendExpired(std::span<const Backup> newestFirst, const BackupPolicy& policy,
                     QList<Backup>& expired) {
  QSet<QDate> days;
  QSet<QString> weeks;
  qint64 bytes = 0;
  for (const Backup& backup : newestFirst) {
    const QDate day = backup.made.date();
    const bool isOfKeptDays = days.contains(day) || days.size() < policy.days;
    // Backups before a migration and those that were asked for are kept in addition, for as many
    // days.
    bool kept = backup.kind != Backup::Kind::Daily && isOfKeptDays;
    if (backup.kind == Backup::Kind::Asked) {
      // It does not replace the day's own backup.
    } else if (!days.contains(day) && days.size() < policy.days) {
      days.insert(day);
      kept = true;
    } else if (!days.contains(day) && !weeks.contains(weekOf(day)) && weeks.size() < policy.weeks) {
      weeks.insert(weekOf(day));
      kept = true;
    }
    const bool fits = bytes + backup.bytes <= policy.maxBytes || bytes == 0;
    if (kept && fits) {
      bytes += backup.bytes;
    } else {
      expired.append(backup);
    }
  }
  return bytes;
}

}  // namespace

std::timed_mutex& backupsMutex() {
  static std::timed_mutex mutex;
  return mutex;
}

Error gaveUp() {
  return {ErrorCode::kInternal, "The backup was given up."};
}

Result<void> copyInto(const Database& database, const QString& path, const GivenUp& givenUp) {
  const auto watch = database.interruptWhen(givenUp);
  const auto checked = checkStructure(database);
  if (givenUp && givenUp()) return gaveUp();
  if (!checked) return checked;
  // Made first, so that the copy is readable by its owner only from the beginning.
  if (auto made = ensurePrivateFile(path); !made) return made;
  // A copy that does not fit would first fill the disk, which messages need.
  const qint64 room = QStorageInfo(QFileInfo(path).path()).bytesAvailable();
  if (room >= 0 && room < QFileInfo(pathOf(database)).size()) {
    return cannotWrite(path, systemReason(QString::fromLatin1(sqlite3_errstr(SQLITE_FULL))));
  }
  Statement copy(database, "VACUUM INTO ?");
  auto copied = copy.bind(path).run();
  if (givenUp && givenUp()) return gaveUp();
  return copied ? copied : copyError(database, path, copied.error());
}

QList<Backup> listBackups(const QString& folder, bool count) {
  QList<Backup> backups;
  const auto files = QDir(folderOf(folder)).entryInfoList(QDir::Files | QDir::Hidden);
  for (const QFileInfo& file : files) {
    if (auto backup = backupAt(file)) backups.append(std::move(*backup));
  }
  std::sort(backups.begin(), backups.end(),
            [](const Backup& a, const Backup& b) { return a.made > b.made; });
  if (count) std::for_each(backups.begin(), backups.end(), countRecords);
  return backups;
}

Result<QString> makeBackup(const Database& database, Backup::Kind kind, const QDateTime& now,
                           const GivenUp& givenUp) {
  const std::lock_guard lock(backupsMutex());
  const QString folder = folderOf(QFileInfo(pathOf(database)).absolutePath());
  if (auto made = ensureDataFolder(folder); !made) return made.error();
  const QString path = freePath(folder, kind, now);
  const QString unfinished = QDir(folder).absoluteFilePath(QStringLiteral("unfinished.part"));
  QFile::remove(unfinished);
  if (auto copied = copyInto(database, unfinished, givenUp); !copied) {
    QFile::remove(unfinished);
    return copied.error();
  }
  if (replaceDurably(unfinished, path)) return path;
  QFile::remove(unfinished);
  return cannotWrite(path, QStringLiteral("its folder refuses it"));
}

// Those of the future were made while the clock was ahead, or the clock is behind now. Their days
// are counted apart from those that are made from now on, and they get the bytes that these leave.
QList<Backup> expiredBackups(const QList<Backup>& newestFirst, const BackupPolicy& policy,
                             const QDateTime& now) {
  const QDateTime ahead = now.addDays(1);  // Those of a day may be of another time zone.
  const auto firstOfPast = std::find_if(newestFirst.begin(), newestFirst.end(),
                                        [&](const Backup& backup) { return backup.made <= ahead; });
  QList<Backup> expired;
  BackupPolicy left = policy;
  left.maxBytes -= appendExpired({firstOfPast, newestFirst.end()}, policy, expired);
  appendExpired({newestFirst.begin(), firstOfPast}, left, expired);
  return expired;
}

Result<std::optional<QString>> backUpDaily(const QString& folder, const BackupPolicy& policy,
                                           const QDateTime& now, const GivenUp& givenUp) {
  if (!isDailyDue(folder, now)) return std::optional<QString>();
  const auto database = openStoreForReading(folder);
  if (!database) return database.error();
  const auto isThereAny = (*database)->number("SELECT EXISTS (SELECT 1 FROM chat)");
  if (!isThereAny) return isThereAny.error();
  if (*isThereAny == 0) return std::optional<QString>();
  const auto made = makeBackup(**database, Backup::Kind::Daily, now, givenUp);
  if (!made) return made.error();
  if (auto removed = removeOld(folder, policy, now, *made); !removed) return removed.error();
  return std::optional<QString>(*made);
}

Result<std::optional<QString>> backUpNow(const QString& folder, const BackupPolicy& policy,
                                         const QDateTime& now, const GivenUp& givenUp) {
  const auto newest = newestUsable(folder);
  const auto database = openStoreForReading(folder);
  if (!database) return database.error();
  auto made = makeUnlessSame(**database, Backup::Kind::Asked, now, newest, givenUp);
  if (!made || !*made) return made;
  if (auto removed = removeOld(folder, policy, now, **made); !removed) return removed.error();
  return made;
}

Result<void> backUpBeforeMigration(const Database& database, const QDateTime& now) {
  auto others = listBackups(QFileInfo(pathOf(database)).absolutePath(), /*count=*/false);
  others.removeIf([](const Backup& other) { return other.kind != Backup::Kind::Migration; });
  const auto made = makeUnlessSame(database, Backup::Kind::Migration, now, others, {});
  return made ? Result<void>() : made.error();
}

}  // namespace quire
