// Removing chats from backups.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "app/store/backup/backups.h"
#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "app/store/schema.h"
#include "app/store/store_strings.h"

namespace quire {
namespace {

constexpr int kFirstVersionWithIndex = 4;
constexpr int kFirstVersionWithStale = 7;

Result<bool> holds(const Database& database, const ErasedChat& chat) {
  Statement select(database, "SELECT 1 FROM main.chat WHERE id = ? AND created_ms = ?");
  const auto found = select.bind(chat.id).bind(chat.createdMs).first<int64_t>();
  if (!found) return found.error();
  return found->has_value();
}

Result<bool> holdsAny(const Database& database, const QList<ErasedChat>& chats) {
  for (const ErasedChat& chat : chats) {
    const auto found = holds(database, chat);
    if (!found || *found) return found;
  }
  return false;
}

/// The rows of the chat's messages and files go with it.
Result<void> eraseOne(const Database& database, const ErasedChat& chat, int64_t version) {
  const auto found = holds(database, chat);
  if (!found) return found.error();
  if (!*found) return {};
  if (version >= kFirstVersionWithStale) {
    Statement stale(database, "DELETE FROM search_stale WHERE chat_id = ?");
    if (auto done = stale.bind(chat.id).run(); !done) return done;
  }
  return Statement(database, "DELETE FROM chat WHERE id = ?").bind(chat.id).run();
}

/// The index holds the words of the chat, and removing them one by one would need all of its texts.
/// An empty index is filled when the backup has become the store.
Result<void> clearIndex(const Database& database, int64_t version) {
  if (version < kFirstVersionWithIndex) return {};
  for (const char* statement : searchIndexStatements()) {
    if (auto done = database.exec(statement); !done) return done;
  }
  if (version < kFirstVersionWithStale) return {};
  return database.exec("DELETE FROM search_stale");
}

Result<void> eraseAll(const Database& database, const QList<ErasedChat>& chats) {
  // Synced when it replaces the backup.
  auto set =
      database.exec("PRAGMA synchronous=OFF; PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON");
  if (!set) return set;
  return database.transaction([&]() -> Result<void> {
    const auto version = database.number("PRAGMA user_version");
    if (!version) return version.error();
    for (const ErasedChat& chat : chats) {
      if (auto done = eraseOne(database, chat, *version); !done) return done;
    }
    return clearIndex(database, *version);
  });
}

Error cannotErase(const Backup& backup) {
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("The deleted chat could not be removed from the backup \"%1\". Check its "
                     "disk and the folder's permissions, or delete that backup.")
          .arg(backup.path));
}

/// The error if several backups keep the chat, `backup` among them.
Error cannotEraseAll(const Backup& backup, int numBackups) {
  return storeError(
      ErrorCode::kIo,
      StoreWords::tr("The deleted chat could not be removed from %1 backups, \"%2\" among them. "
                     "Check their disk and the folder's permissions, or delete those backups.")
          .arg(QString::number(numBackups), backup.path));
}

QString copyBeside(const Backup& backup) {
  return QFileInfo(backup.path).absoluteDir().absoluteFilePath(QStringLiteral("erasing.part"));
}

/// Copies that a kill cut off hold the chats, and so do their journals. Thread: has backupsMutex().
void removeCopies(const QString& folder) {
  const QDir backups(QDir(folder).absoluteFilePath(QStringLiteral("backups")));
  // No other names that begin so: the folder may be a link to one with files of the user's.
  for (const char* name : {"erasing.part", "unfinished.part"}) {
    for (const char* end : {"", "-journal", "-wal", "-shm"}) {
      QFile::remove(backups.absoluteFilePath(QLatin1String(name) + QLatin1String(end)));
    }
  }
}

/// False if the backup has none of the chats.
Result<bool> eraseFrom(const Backup& backup, const QList<ErasedChat>& chats,
                       const GivenUp& givenUp) {
  const QString copy = copyBeside(backup);
  {
    const auto old = openFileForReading(backup.path);
    if (!old) return old.error();
    const auto isThere = holdsAny(**old, chats);
    if (!isThere || !*isThere) return isThere;
    if (auto copied = copyInto(**old, copy, givenUp); !copied) return copied.error();
  }
  auto erased = [&]() -> Result<void> {
    const auto database = openFileForWriting(copy);
    return database ? eraseAll(**database, chats) : Result<void>(database.error());
  }();
  if (erased && givenUp && givenUp()) erased = gaveUp();
  if (!erased) return erased.error();
  if (!replaceDurably(copy, backup.path)) return cannotErase(backup);
  return true;
}

}  // namespace

QString erasedChatsText(const QList<ErasedChat>& chats) {
  QStringList parts;
  for (const ErasedChat& chat : chats) {
    parts.append(QStringLiteral("%1:%2").arg(chat.id).arg(chat.createdMs));
  }
  return parts.join(u',');
}

QList<ErasedChat> erasedChats(const QString& text) {
  constexpr qsizetype kMaxChats = 100'000;
  QList<ErasedChat> chats;
  const auto parts = QStringView(text).split(u',', Qt::SkipEmptyParts);
  for (const QStringView part : parts.mid(std::max<qsizetype>(0, parts.size() - kMaxChats))) {
    const qsizetype colon = part.indexOf(u':');
    if (colon < 0) continue;
    bool isId = false;
    bool isTime = false;
    const ErasedChat chat{part.left(colon).toLongLong(&isId),
                          part.mid(colon + 1).toLongLong(&isTime)};
    if (isId && isTime) chats.append(chat);
  }
  return chats;
}

void removeCutOffCopies(const QString& folder) {
  const std::unique_lock lock(backupsMutex(), std::try_to_lock);
  if (lock) removeCopies(folder);
}

Result<int> removeFromBackups(const QString& folder, const QList<ErasedChat>& chats,
                              const GivenUp& givenUp, const ErasingProgress& progress) {
  constexpr std::chrono::milliseconds kWait{50};
  std::unique_lock lock(backupsMutex(), std::defer_lock);
  while (!lock.try_lock_for(kWait)) {
    if (givenUp && givenUp()) return gaveUp();
  }
  int numChanged = 0;
  int numStaying = 0;
  std::optional<Backup> first;  // Of the backups that keep the chat.
  const auto backups = listBackups(folder, /*count=*/false);
  removeCopies(folder);
  for (qsizetype i = 0; i < backups.size(); ++i) {
    const Backup& backup = backups[i];
    if (givenUp && givenUp()) return gaveUp();
    if (progress) progress(static_cast<int>(i), static_cast<int>(backups.size()));
    const auto changed = eraseFrom(backup, chats, givenUp);
    if (!changed && QFile::exists(backup.path)) {
      if (!first) first = backup;
      ++numStaying;
    }
    if (changed && *changed) ++numChanged;
    removeCopies(folder);
  }
  if (givenUp && givenUp()) return gaveUp();
  if (numStaying > 1) return cannotEraseAll(*first, numStaying);
  if (first) return cannotErase(*first);
  return numChanged;
}

}  // namespace quire
