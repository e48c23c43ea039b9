#include "app/store/database.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <sqlite3.h>

#include "app/store/backup/backups.h"
#include "app/store/backup/store_rescue.h"
#include "app/store/data_folder.h"
#include "app/store/file_system.h"
#include "app/store/schema.h"
#include "app/store/schema_check.h"
#include "app/store/sqlite/content_bytes.h"
#include "app/store/sqlite/files_beside.h"
#include "app/store/store_strings.h"
#include "app/store/system_reason.h"
#include "platform/file.h"
#include "platform/folder.h"

namespace quire {
namespace {

/// Pages that form no list give a value any length. The longest of ours is what the search index
/// takes of a message with 20 files of 8 MiB, up to 2.4 times as much.
constexpr int kMaxRowBytes = 512 << 20;

Error damaged(const QString& path, const QString& detail) {
  QString sentence = StoreWords::tr(
                         "The file \"%1\" is damaged or not a database (%2). Put a backup in "
                         "its place, or move it away to start with an empty history.")
                         .arg(path, systemReason(detail));
  const QString log = path + QStringLiteral("-wal");
  if (QFileInfo(log).size() > 0) {
    // SQLite would write the pages of this log into the backup.
    sentence += u' ' + StoreWords::tr(
                           "Its log \"%1\" may belong to another file: if you put a "
                           "backup in place, delete it.")
                           .arg(log);
  }
  return storeError(ErrorCode::kCorruptFile, sentence);
}

Error inaccessible(const QString& path, const QString& detail, bool isReadOnly) {
  const QString sentence =
      isReadOnly ? StoreWords::tr(
                       "The file \"%1\" cannot be read: %2. Check its disk and the "
                       "folder's permissions, or choose another folder with --data.")
                 : StoreWords::tr(
                       "The file \"%1\" cannot be written: %2. Check its disk and the "
                       "folder's permissions, or choose another folder with --data.");
  return storeError(ErrorCode::kIo, sentence.arg(path, systemReason(detail)));
}

Error moved(const QString& path) {
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("The file \"%1\" is not there any more: it was moved, deleted or "
                     "replaced, or its disk was removed. Put it back, and saving "
                     "goes on.")
          .arg(path));
}

/// The error for a result code of SQLite (https://www.sqlite.org/rescode.html), with the path and
/// what to do.
Error errorOf(const QString& path, bool isReadOnly, int code, const QString& detail) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      // A damaged full-text index is rebuilt automatically.
      if (code != SQLITE_CORRUPT_VTAB && path == storePath(QFileInfo(path).path())) {
        noteDamage(path);
      }
      return damaged(path, detail);
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:  // Read from the file; see Statement::noteBound().
      return damaged(path, detail);
    case SQLITE_NOMEM:
      return storeError(ErrorCode::kOutOfMemory,
                        StoreWords::tr("There is not enough memory for \"%1\". Close other "
                                       "programs; what was saved before is safe.")
                            .arg(path));
    case SQLITE_FULL:
      return storeError(
          ErrorCode::kIo,
          StoreWords::tr("The disk is full: \"%1\" could not be written. Free some space; "
                         "what was saved before is safe.")
              .arg(path));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // Busy for too long, where a log is begun or restored.
      return storeError(ErrorCode::kIo,
                        StoreWords::tr("Another program holds \"%1\" locked. Close it "
                                       "and try again.")
                            .arg(path));
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_NOLFS:
      return inaccessible(path, detail, isReadOnly);
    case SQLITE_CONSTRAINT:
      return storeError(ErrorCode::kInvalidArgument,
                        QStringLiteral("A record was refused by \"%1\": %2.").arg(path, detail));
    default:
      return storeError(ErrorCode::kInternal, QStringLiteral("\"%1\": %2.").arg(path, detail));
  }
}

Error logWithoutDatabase(const QString& log) {
  return storeError(ErrorCode::kCorruptFile,
                    StoreWords::tr("The database of the log \"%1\" is gone or empty. Put the "
                                   "database back beside it, or move the log away to start with "
                                   "an empty history.")
                        .arg(log));
}

/// SQLite deletes the log of a database that is missing or empty, also if it only reads. Checked
/// before an empty file is made for a missing one; of a link, checkStates() knows the log.
Result<void> checkLogHasDatabase(const QString& path) {
  const QString log = path + QStringLiteral("-wal");
  if (QFileInfo(log).size() == 0 || QFileInfo(path).size() > 0) return {};
  return logWithoutDatabase(log);
}

/// Before SQLite opens the file.
Result<void> checkBeside(const QString& path) {
  const auto fault = faultBeside(path.toStdU16String());
  if (!fault) return checkLogHasDatabase(path);
  const QString beside = QString::fromStdU16String(fault->path.u16string());
  if (fault->kind == FaultBeside::Kind::kNamesAnotherFile) {
    return storeError(ErrorCode::kCorruptFile,
                      StoreWords::tr("The journal \"%1\" names another file, which would be "
                                     "deleted. Delete the journal, or put a backup in place.")
                          .arg(beside));
  }
  return storeError(ErrorCode::kIo,
                    StoreWords::tr("\"%1\" is no file that Quire can open. Remove it, or choose "
                                   "another folder with --data.")
                        .arg(beside));
}

/// Before the first statement, which would write the journal's pages into the file.
Result<void> checkStates(const Database& database) {
  const auto beside = fileOfAnotherState(database.handle());
  if (!beside) return {};
  const QString path = QString::fromStdU16String(beside->u16string());
  if (QFileInfo(pathOf(database)).size() == 0) return logWithoutDatabase(path);
  return storeError(ErrorCode::kCorruptFile,
                    StoreWords::tr("\"%1\" was left by another state of the database beside it, "
                                   "whose chats it would overwrite. Move it to another folder.")
                        .arg(path));
}

Result<std::unique_ptr<Database>> connect(const QString& path, bool isReadOnly) {
  if (auto checked = checkBeside(path); !checked) return checked.error();
  const auto makeErrorOf = [path, isReadOnly](int code, const std::string& detail) {
    return errorOf(path, isReadOnly, code, QString::fromStdString(detail));
  };
  auto database =
      Database::open(path.toStdU16String(), {.isReadOnly = isReadOnly, .errorOf = makeErrorOf});
  if (!database) return database;
  setLogIsTrusted(**database, false);
  if (auto checked = checkStates(**database); !checked) return checked.error();
  sqlite3* const handle = (*database)->handle();
  // SQLite opens what may not be written for reading, and fails at the first change.
  if (!isReadOnly && sqlite3_db_readonly(handle, "main") == 1) {
    return makeErrorOf(SQLITE_READONLY, sqlite3_errstr(SQLITE_READONLY));
  }
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxRowBytes);
  // Forbids what a forged schema could run, and direct writes to the tables of SQLite's modules.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Sorting and VACUUM INTO must not leave texts in files of /tmp.
  if (auto set = (*database)->exec("PRAGMA temp_store=MEMORY"); !set) return set.error();
  return database;
}

/// In one transaction, so that no other process makes the store between the two questions.
Result<void> checkOwner(const Database& database) {
  const auto check = [&]() -> Result<void> {
    const auto owner = database.number("PRAGMA application_id");
    if (!owner) return owner.error();
    if (*owner == kApplicationId) return {};
    const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tables.error();
    if (*owner == 0 && *tables == 0) return {};  // New, or its creation was interrupted.
    return storeError(
        ErrorCode::kUnsupported,
        StoreWords::tr("The file \"%1\" is another program's database. Choose another "
                       "folder with --data, or move the file away.")
            .arg(pathOf(database)));
  };
  return database.transaction(check, "BEGIN");
}

/// A log may say that the file has any number of pages. In one transaction, so that no other
/// connection moves pages from the log into the file between the two questions.
Result<void> checkNumberOfPages(const Database& database) {
  const auto compare = [&]() -> Result<void> {
    const auto pages = database.number("PRAGMA page_count");
    if (!pages) return pages.error();
    const auto pageBytes = database.number("PRAGMA page_size");
    if (!pageBytes) return pageBytes.error();
    const int64_t bytes = *pages * *pageBytes;
    const int64_t found = contentBytesOf(database.handle()).claimed;
    if (bytes <= found) return {};
    return damaged(pathOf(database), QStringLiteral("%1 < %2").arg(found).arg(bytes));
  };
  return database.transaction(compare, "BEGIN");
}

/// Whose file it is, of which version, and whether it has that version's tables. Nothing else is
/// read before.
Result<void> checkFile(const Database& database) {
  return checkFileWithinLimits(database, [&]() -> Result<void> {
    if (auto checked = checkOwner(database); !checked) return checked;
    if (auto checked = checkSchemaVersion(database); !checked) return checked;
    if (auto checked = checkSchema(database); !checked) return checked;
    return checkNumberOfPages(database);
  });
}

/// Whether the file system has what a write-ahead log needs; some network file systems lack it.
Result<void> switchToLog(const Database& database) {
  const auto mode = database.text("PRAGMA journal_mode=WAL");
  if (!mode) return mode.error();
  if (*mode == "wal") return {};
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("The file \"%1\" is on a file system that lacks what a database needs. "
                     "Choose a folder on a disk of this computer with --data.")
          .arg(pathOf(database)));
}

/// Backs up the store of an older version before the migration, so that the older Quire can be used
/// again.
Result<void> keepBeforeMigration(const Database& database) {
  const auto version = database.number("PRAGMA user_version");
  if (!version) return version.error();
  if (*version == 0 || *version == std::ssize(schemaMigrations())) return {};
  return backUpBeforeMigration(database, QDateTime::currentDateTime());
}

Result<void> configure(const Database& database, bool uncleanStop) {
  // The owner is checked first: a file of another program or of a newer Quire must not be changed.
  if (auto checked = checkFile(database); !checked) return checked;
  if (auto switched = switchToLog(database); !switched) return switched;
  auto set = database.exec("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON");
  if (!set) return set;
  const QString path = pathOf(database);
  const bool isSuspect = isDamageNoted(path);
  if (uncleanStop || isSuspect) {
    if (auto checked = checkStructure(database); !checked) return checked;
    if (isSuspect) forgetDamage(path);
  }
  if (auto kept = keepBeforeMigration(database); !kept) return kept;
  if (auto migrated = migrate(database); !migrated) return migrated;
  if (auto enforced = database.exec("PRAGMA foreign_keys=ON"); !enforced) return enforced;
  setLogIsTrusted(database, true);
  return {};
}

/// An empty file is a new store, but for one that has had chats: a full disk, a repair of the file
/// system or a program that copies folders may leave it. If the store was moved aside after the
/// last backup, a kill may have cut off the making of a new one.
Result<void> checkNotEmptied(const QString& folder) {
  const QFileInfo file(storePath(folder));
  if (!file.exists() || file.size() > 0) return {};
  const auto backups = listBackups(folder, /*count=*/false);
  const QDateTime aside = lastMovedAside(folder);
  if (backups.isEmpty() || (aside.isValid() && backups.first().made <= aside)) return {};
  return storeError(ErrorCode::kCorruptFile,
                    StoreWords::tr("The file \"%1\" is empty, although it has backups. Put a "
                                   "backup in its place, or move it away to start with an empty "
                                   "history.")
                        .arg(file.filePath()));
}

/// A file of another user can be changed by its owner even if the folder is the user's own.
Result<void> checkFileOwner(const QString& path) {
  const auto rights = platform::rights_of(platform::utf8_path(path.toStdString()));
  if (!rights || rights->is_own) return {};
  const FolderAccess access = {.mode = rights->mode,
                               .isOurs = rights->is_own,
                               .isGroupPrivate = rights->is_group_private,
                               .hasPermissions = fileSystemOf(path).hasPermissions};
  if (!isWritableByOthers(access)) return {};
  return storeError(ErrorCode::kIo,
                    StoreWords::tr("The file \"%1\" belongs to another user, and others may write "
                                   "to it, so that they could change your chats. Move it away, or "
                                   "choose another folder with --data.")
                        .arg(path));
}

}  // namespace

Result<int64_t> countRows(const Database& database, const std::string& table) {
  int64_t count = 0;
  const auto read =
      Statement(database, "SELECT id FROM " + table).forEach([&](const Statement&) { ++count; });
  if (!read) return read.error();
  return count;
}

QString storePath(const QString& folder) {
  return QDir(folder).absoluteFilePath(QStringLiteral("quire.db"));
}

QString pathOf(const Database& database) {
  return QFile::decodeName(database.path().c_str());
}

bool concernsIndexAlone(const QString& fault) {
  return fault.startsWith(QLatin1String("malformed inverted index for FTS5 table")) ||
         fault.startsWith(QLatin1String("unable to validate the inverted index for FTS5 table"));
}

Result<QString> structureFault(const Database& database) {
  Statement check(database, "PRAGMA quick_check");
  while (true) {
    const auto row = check.step();
    if (!row) return row.error();
    if (!*row) return QString();
    const auto fault = Column<QString>::read(check, 0);
    if (fault == QLatin1String("ok") || concernsIndexAlone(fault)) continue;
    // A hundred faults may follow the first, and "*** in database main ***" come before it.
    const QStringList lines = fault.split(u'\n', Qt::SkipEmptyParts);
    const bool hasTitle = lines.size() > 1 && lines.first().startsWith(QLatin1String("*** in "));
    return lines.value(hasTitle ? 1 : 0).trimmed();
  }
}

void setLogIsTrusted(const Database& database, bool isTrusted) {
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isTrusted ? 0 : 1,
                    nullptr);
}

Result<void> checkPlace(const Database& database) {
  int isMoved = 0;
  sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_HAS_MOVED, &isMoved);
  if (isMoved == 0) return {};
  const QString path = pathOf(database);
  // SQLite compares the file's number, which some FUSE file systems make anew each time.
  const bool isCertain = !QFileInfo::exists(path) || fileSystemOf(path).hasPermissions;
  return isCertain ? Result<void>(moved(path)) : Result<void>();
}

Result<void> checkStructure(const Database& database) {
  const auto fault = structureFault(database);
  if (!fault) return fault.error();
  return fault->isEmpty() ? Result<void>() : damaged(pathOf(database), *fault);
}

Result<std::unique_ptr<Database>> openStore(const QString& folder, bool recover) {
  if (auto made = ensureDataFolder(folder); !made) return made.error();
  const QString path = storePath(folder);
  // So that what is no file is named as such.
  if (auto checked = checkBeside(path); !checked) return checked.error();
  if (auto checked = checkNotEmptied(folder); !checked) return checked.error();
  // The last connection to close removes the log: a log that the first one finds was left by a kill
  // or a crash.
  const bool uncleanStop = recover && QFileInfo(path + QStringLiteral("-wal")).size() > 0;
  if (auto checked = checkFileOwner(path); !checked) return checked.error();
  if (auto made = ensurePrivateFile(path); !made) return made.error();
  auto database = connect(path, /*isReadOnly=*/false);
  if (!database) return database;
  if (auto configured = configure(**database, uncleanStop); !configured) return configured.error();
  return database;
}

Result<std::unique_ptr<Database>> openStoreForReading(const QString& folder) {
  return openFileForReading(storePath(folder));
}

Result<std::unique_ptr<Database>> openFileForWriting(const QString& path) {
  auto database = connect(path, /*isReadOnly=*/false);
  if (!database) return database;
  if (auto checked = checkFile(**database); !checked) return checked.error();
  setLogIsTrusted(**database, true);
  return database;
}

Result<std::unique_ptr<Database>> openFileForReading(const QString& path) {
  const auto nothing = [&] {
    return storeError(ErrorCode::kNotFound,
                      StoreWords::tr("There are no conversations in \"%1\". Name the folder that "
                                     "holds Quire's data (quire.db) with --data.")
                          .arg(QFileInfo(path).path()));
  };
  if (!QFileInfo::exists(path)) return nothing();
  auto database = connect(path, /*isReadOnly=*/true);
  if (!database) return database;
  if (auto checked = checkFile(**database); !checked) return checked.error();
  const auto version = (*database)->number("PRAGMA user_version");
  if (!version) return version.error();
  if (*version == 0) return nothing();  // Just created, or its creation was interrupted.
  if (auto seen = readAsNewest(**database); !seen) return seen.error();
  return database;
}

}  // namespace quire
