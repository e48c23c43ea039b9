#include "app/store/backup/store_rescue.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "app/store/store_strings.h"

namespace quire {
namespace {

QString sentenceOf(const Error& error) {
  return QString::fromStdString(error.message);
}

Error damagedError(const QString& path, const QString& detail) {
  return storeError(
      ErrorCode::kCorruptFile,
      StoreWords::tr("The file \"%1\" is damaged (%2). Choose another backup.").arg(path, detail));
}

/// The message of SQLite's own check; empty if it finds nothing wrong. Errors that say nothing of
/// the file, such as too little memory.
Result<QString> faultOf(const Database& database, const GivenUp& givenUp) {
  const auto watch = database.interruptWhen(givenUp);
  const auto fault = structureFault(database);
  if (fault || fault.error().code != ErrorCode::kCorruptFile) return fault;
  return sentenceOf(fault.error());
}

StoreState stateFrom(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return StoreState::Missing;
    case ErrorCode::kCorruptFile:
      return StoreState::Damaged;
    case ErrorCode::kUnsupported:
      return StoreState::NotOurs;
    default:
      return StoreState::Unusable;
  }
}

void examine(const Database& database, StoreDiagnosis& diagnosis, const GivenUp& givenUp) {
  // SQLite counts in an index otherwise, and a damaged one would hide chats that can be read.
  const auto chats = countRows(database, "chat NOT INDEXED");
  diagnosis.isReadable = chats.has_value();
  if (chats) diagnosis.numChats = static_cast<int>(*chats);
  const auto found = faultOf(database, givenUp);
  if (!found) {
    diagnosis.state = stateFrom(found.error());
    diagnosis.sentence = sentenceOf(found.error());
    return;
  }
  const QString& fault = *found;
  if (fault.isEmpty() && chats) return;
  diagnosis.state = StoreState::Damaged;
  diagnosis.sentence =
      StoreWords::tr(
          "The file \"%1\" is damaged (%2). Put a backup in its place; what can still "
          "be read is taken over from it.")
          .arg(diagnosis.path, fault.isEmpty() ? sentenceOf(chats.error()) : fault);
}

bool rename(const QString& from, const QString& to) {
  std::error_code error;
  std::filesystem::rename(from.toStdU16String(), to.toStdU16String(), error);
  return !error;
}

constexpr const char* kParts[] = {"-wal", "-journal", "-shm",
                                  ""};  // The log comes first, see moveAside.

QString copyIn(const QString& folder) {
  return QDir(folder).absoluteFilePath(QStringLiteral("quire-restoring.part"));
}

/// Renames the files of a store that was moved aside back to their old names.
bool moveBack(const QString& aside, const QString& path) {
  bool isBack = true;
  for (const char* suffix : kParts) {
    const QString end = QLatin1String(suffix);
    if (QFile::exists(aside + end)) isBack = rename(aside + end, path + end) && isBack;
  }
  if (isBack) forgetStoreToMerge(QFileInfo(path).path(), aside);
  return isBack;
}

/// The name under which a store is kept that is moved aside at that time (UTC).
QString keptName(const QDateTime& time) {
  return QStringLiteral("quire-kept-") + time.toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")) +
         QStringLiteral(".db");
}

/// The time in the name of a kept store or of its log; invalid if the file is another.
QDateTime keptTime(const QString& name) {
  const QDate date = QDate::fromString(name.section(u'-', 2, 2), QStringLiteral("yyyyMMdd"));
  const QTime time = QTime::fromString(name.section(u'-', 3, 4).left(10),  // Without its ending.
                                       QStringLiteral("HHmmss-zzz"));
  const QDateTime kept(date, time, Qt::UTC);
  return kept.isValid() && name.startsWith(keptName(kept)) ? kept : QDateTime();
}

/// The store that was moved aside last, of which only the log may exist; empty if there is none.
QString newestKept(const QString& folder) {
  QStringList kept = QDir(folder).entryList(
      {QStringLiteral("quire-kept-*.db"), QStringLiteral("quire-kept-*.db-wal")}, QDir::Files);
  kept.removeIf([](const QString& name) { return !keptTime(name).isValid(); });
  if (kept.isEmpty()) return {};
  const QString newest = *std::max_element(kept.cbegin(), kept.cend());
  return QDir(folder).absoluteFilePath(keptName(keptTime(newest)));
}

/// The path for the store that is moved aside now. Its name sorts after those of all others, whose
/// times are local ones of older versions, or of a clock that was ahead.
QString asidePath(const QString& folder) {
  QDateTime now = QDateTime::currentDateTimeUtc();
  const QDateTime newest = lastMovedAside(folder);
  if (newest.isValid() && newest >= now) now = newest.addSecs(1);
  return QDir(folder).absoluteFilePath(keptName(now));
}

QString noteOfMerges(const QString& folder) {
  return QDir(folder).absoluteFilePath(QStringLiteral("quire-merge.txt"));
}

/// Of moves that were cut off before they began.
void forgetMissingStores(const QString& folder) {
  for (const QString& path : storesToMerge(folder)) {
    if (!QFile::exists(path)) forgetStoreToMerge(folder, path);
  }
}

/// The note is appended to, so that a write that is cut off leaves the older lines. A line begins
/// and ends with a line end, because the one before may have been cut off.
Result<void> noteStoreToMerge(const QString& folder, const QString& aside) {
  forgetMissingStores(folder);
  const QString note = noteOfMerges(folder);
  if (QFileInfo(note).isSymLink()) QFile::remove(note);
  if (auto made = ensurePrivateFile(note); !made) return made;
  QFile file(note);
  const QByteArray line = '\n' + QFileInfo(aside).fileName().toUtf8() + '\n';
  const bool isWritten =
      file.open(QIODevice::Append) && file.write(line) == line.size() && file.flush();
  file.close();
  if (isWritten && syncPath(note) && syncPath(folder)) return {};
  forgetStoreToMerge(folder, aside);
  return storeError(ErrorCode::kIo,
                    StoreWords::tr("The file \"%1\" could not be written, so nothing was replaced. "
                                   "Make room and try again.")
                        .arg(note));
}

/// Whether the store's chats can be merged, now or later.
bool mayBeMerged(const QString& folder) {
  const auto opened = openStoreForReading(folder);
  return opened || mayBeReadLater(opened.error());
}

/// Gives the log the date of its store, by which finishMoving() knows that the store was not
/// written to since. A failure is ignored: then the log stays where it is moved to.
void dateLog(const QString& path) {
  const std::filesystem::path store(path.toStdU16String());
  const std::filesystem::path log((path + QStringLiteral("-wal")).toStdU16String());
  std::error_code error;
  const auto date = std::filesystem::last_write_time(store, error);
  if (error || !std::filesystem::exists(log, error)) return;
  std::filesystem::last_write_time(log, date, error);
  syncPath(path + QStringLiteral("-wal"));
}

/// Renames the log first, because the next store would use a log that stays behind. If a file
/// cannot be renamed, all go back, because a store without its log lacks its last messages. First
/// notes that the chats are to be merged, because the program may end before they are.
Result<QString> moveAside(const QString& folder) {
  const QString path = storePath(folder);
  const bool isThereAny = std::any_of(std::begin(kParts), std::end(kParts), [&](const char* end) {
    return QFile::exists(path + QLatin1String(end));
  });
  if (!isThereAny) return QString();
  const QString aside = asidePath(folder);
  dateLog(path);
  if (mayBeMerged(folder)) {
    if (auto noted = noteStoreToMerge(folder, aside); !noted) return noted.error();
  }
  for (const char* suffix : kParts) {
    const QString end = QLatin1String(suffix);
    if (!QFile::exists(path + end)) continue;
    if (rename(path + end, aside + end)) continue;
    moveBack(aside, path);
    return storeError(ErrorCode::kIo, StoreWords::tr("The file \"%1\" cannot be renamed. Check the "
                                                     "permissions of its folder.")
                                          .arg(path + end));
  }
  return aside;
}

/// Copies the backup into the store's folder, so that one rename puts it in place.
Result<QString> copyBeside(const QString& folder, const Database& backup, const GivenUp& givenUp) {
  const QString copy = copyIn(folder);
  QFile::remove(copy);
  const auto copied = copyInto(backup, copy, givenUp);
  if (copied) return copy;
  QFile::remove(copy);
  return copied.error();
}

}  // namespace

StoreDiagnosis diagnoseStore(const QString& folder, const GivenUp& givenUp) {
  StoreDiagnosis diagnosis{.path = storePath(folder)};
  diagnosis.backups = listBackups(folder, /*count=*/true);
  const auto opened = openStoreForReading(folder);
  if (opened) {
    examine(**opened, diagnosis, givenUp);
  } else {
    diagnosis.state = stateFrom(opened.error());
    if (diagnosis.state != StoreState::Missing) diagnosis.sentence = sentenceOf(opened.error());
  }
  return diagnosis;
}

Result<QString> restoreBackup(const QString& folder, const QString& backupPath,
                              const GivenUp& givenUp) {
  const auto backup = openFileForReading(backupPath);
  if (!backup) return backup.error();
  const auto fault = faultOf(**backup, givenUp);
  if (!fault) return fault.error();
  if (!fault->isEmpty()) return damagedError(backupPath, *fault);
  const auto copy = copyBeside(folder, **backup, givenUp);
  if (!copy) return copy.error();
  const Error notReplaced =
      storeError(ErrorCode::kIo,
                 StoreWords::tr("The backup could not take the place of \"%1\". Copy \"%2\" there.")
                     .arg(storePath(folder), backupPath));
  // While the store is still in place: this takes long where the disk is slow.
  if (!syncPath(*copy)) {
    QFile::remove(*copy);
    return notReplaced;
  }
  auto aside = moveAside(folder);
  if (!aside) {
    QFile::remove(*copy);
    return aside;
  }
  // If only the sync of the folder failed, the backup is in place.
  if (replaceDurably(*copy, storePath(folder)) || QFile::exists(storePath(folder))) return aside;
  if (!aside->isEmpty()) moveBack(*aside, storePath(folder));
  QFile::remove(*copy);
  return notReplaced;
}

void finishMoving(const QString& folder) {
  removeCutOffCopies(folder);
  const QString path = storePath(folder);
  const QString aside = newestKept(folder);
  // It was interrupted before the backup took the store's place, if its copy is there.
  if (!QFile::exists(path)) {
    // The log left first. One that is there is of another store, unless it has come back already.
    const QFileInfo log(path + QStringLiteral("-wal"));
    const bool isOther = log.size() > 0 && log.lastModified() != QFileInfo(aside).lastModified();
    const bool isWanted = !aside.isEmpty() && QFile::exists(copyIn(folder)) && !isOther;
    if (!isWanted || moveBack(aside, path)) QFile::remove(copyIn(folder));
    return;
  }
  if (QFile::exists(copyIn(folder))) {
    forgetMissingStores(folder);
    QFile::remove(copyIn(folder));
  }
  // It was interrupted between the log and the store, unless the store was written to since. The
  // dates are compared for equality: the clock may have been set back between the writes.
  const QFileInfo log(aside + QStringLiteral("-wal"));
  const bool isOurs = !aside.isEmpty() && log.exists() && !QFile::exists(aside) &&
                      log.lastModified() == QFileInfo(path).lastModified();
  // A program that reads the store makes an empty log.
  if (isOurs && QFileInfo(path + QStringLiteral("-wal")).size() == 0) moveBack(aside, path);
}

Result<QString> startAfresh(const QString& folder) {
  // In place of a backup's copy: until it is gone, finishMoving() takes the move back.
  const QString copy = copyIn(folder);
  QFile::remove(copy);
  if (auto made = ensurePrivateFile(copy); !made) return made.error();
  auto aside = moveAside(folder);
  QFile::remove(copy);
  return aside;
}

QDateTime lastMovedAside(const QString& folder) {
  return keptTime(QFileInfo(newestKept(folder)).fileName());
}

QStringList storesToMerge(const QString& folder) {
  constexpr qint64 kMaxBytes = 64 << 10;
  QFile file(noteOfMerges(folder));
  // Opening a pipe would wait for its other end.
  if (!QFileInfo(file.fileName()).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  QStringList paths;
  for (const QByteArray& line : file.read(kMaxBytes).split('\n')) {
    const QString name = QString::fromUtf8(line);
    if (!keptTime(name).isValid() || name != keptName(keptTime(name))) continue;
    paths.append(QDir(folder).absoluteFilePath(name));
  }
  paths.removeDuplicates();
  return paths;
}

// A failure is ignored: then the merge is resumed at its end, which adds nothing.
void forgetStoreToMerge(const QString& folder, const QString& path) {
  QStringList paths = storesToMerge(folder);
  if (paths.removeAll(path) == 0) return;
  const QString note = noteOfMerges(folder);
  if (paths.isEmpty()) {
    QFile::remove(note);
    return;
  }
  QSaveFile file(note);
  if (!file.open(QIODevice::WriteOnly)) return;
  for (const QString& left : std::as_const(paths)) {
    file.write(QFileInfo(left).fileName().toUtf8() + '\n');
  }
  file.commit();
}

bool mayBeReadLater(const Error& error) {
  return error.code != ErrorCode::kNotFound && error.code != ErrorCode::kCorruptFile &&
         error.code != ErrorCode::kUnsupported;
}

}  // namespace quire
