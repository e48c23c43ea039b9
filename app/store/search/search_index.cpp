#include "app/store/search/search_index.h"

#include <sqlite3.h>

#include <QDebug>

#include <algorithm>
#include <functional>

#include "app/store/schema.h"
#include "app/store/search/search_text.h"

namespace quire::search_index {
namespace {

/// The size of a slice, which takes a few ms on an idle machine: messages, characters, or leaves of
/// the index (1 KB each).
constexpr int kMessagesPerSlice = 12;
constexpr qsizetype kCharactersPerSlice = 10'000;
constexpr int kSlicesAtOnce = 3;  ///< Slices of stale entries within the removing transaction.
constexpr int kTitlesPerSlice = 100;
constexpr int kLeavesPerSlice = 96;

// Keys of search_state. "…_below": records with lower ids are still to be entered; 0: none.
const QString kMessagesBelow = QStringLiteral("messages_below");
const QString kTitlesBelow = QStringLiteral("titles_below");
const QString kPurge = QStringLiteral("purge");  ///< A Purge.

enum class Purge { None = 0, Wanted = 1, Running = 2 };

/// The searchable text of a message, as an expression over `message`: its parts, as far as half of
/// what a row may have.
std::string bodyIn(const Database& database) {
  const int maxBytes = sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, -1) / 2;
  return "(SELECT coalesce(group_concat(payload, char(10)), '') FROM (SELECT payload, "
         "sum(length(CAST(payload AS BLOB)) + 1) OVER (ORDER BY position) AS bytes "
         "FROM message_part WHERE message_id = message.id "
         "AND kind IN ('text', 'reasoning', 'attachment')) WHERE bytes <= " +
         std::to_string(maxBytes) + ")";
}

/// Damage where messages are: guarded() would build the index again for it, without end.
Error ofMessages(Error error) {
  if (error.code == ErrorCode::kCorruptFile) error.code = ErrorCode::kInternal;
  return error;
}

struct Text {
  RecordId id = 0;
  RecordId chatId = 0;
  QString text;
};

Result<qint64> state(const Database& database, const QString& key) {
  const auto value =
      Statement(database, "SELECT value FROM search_state WHERE key = ?").bind(key).first<qint64>();
  if (!value) return value.error();
  return value->value_or(0);
}

Result<void> setState(const Database& database, const QString& key, qint64 value) {
  return Statement(database, "INSERT OR REPLACE INTO search_state (key, value) VALUES (?, ?)")
      .bind(key)
      .bind(value)
      .run();
}

/// Empties a table whose records are damaged, which SQLite could not drop otherwise
/// (https://www.sqlite.org/fts5.html, appendix A: the averages and the structure).
Result<void> emptyByHand(const Database& database, const std::string& table) {
  // Only so long may the tables of SQLite's modules be written to (database.cpp).
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  auto done = database.exec("DELETE FROM " + table + "_data; INSERT INTO " + table +
                            "_data (id, block) VALUES (1, x''), (10, x'00000000000000')");
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return done;
}

Result<void> startAgain(const Database& database) {
  if (auto done = database.exec("DELETE FROM search_stale"); !done) return done;
  for (const char* table : {"message_search", "chat_search"}) {
    if (auto done = emptyByHand(database, table); !done) return done;
  }
  for (const char* statement : searchIndexStatements()) {
    if (auto done = database.exec(statement); !done) return done;
  }
  return {};
}

/// Runs a change of the index; if the index is damaged, undoes the change and makes a new index.
Result<void> guarded(const Database& database, const std::function<Result<void>()>& body) {
  if (auto set = Statement(database, "SAVEPOINT search").run(); !set) return set;
  auto result = body();
  if (!result && result.error().code == ErrorCode::kCorruptFile) {
    qWarning("The full-text index is damaged and is built again: %s",
             result.error().message.c_str());
    if (auto undone = database.exec("ROLLBACK TO search"); !undone) return undone;
    result = startAgain(database);
  }
  if (!result) return result;  // The caller rolls back the whole transaction.
  return Statement(database, "RELEASE search").run();
}

Result<bool> isIndexed(const Database& database, RecordId messageId) {
  return Statement(database, "SELECT 1 FROM message_search_docsize WHERE id = ?")
      .bind(messageId)
      .step();
}

Text textFrom(const Statement& row) {
  return {row.number(0), row.number(1), row.get<QString>(2)};
}

Result<QList<Text>> finishedTexts(Statement& select) {
  QList<Text> texts;
  auto read = select.forEach([&](const Statement& row) { texts.append(textFrom(row)); });
  if (!read) return read.error();
  return texts;
}

/// What the index takes of a message; a character (UTF-16) has three bytes at most.
QString entryOf(const Database& database, const Text& text) {
  const int maxCharacters = sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, -1) / 3;
  return toIndexText(text.text, text.chatId).left(maxCharacters);
}

Result<QList<Text>> finishedMessage(const Database& database, RecordId messageId) {
  Statement select(database, "SELECT id, chat_id, " + bodyIn(database) +
                                 " FROM message WHERE id = ? AND status <> 1");
  auto texts = finishedTexts(select.bind(messageId));
  return texts ? std::move(texts) : ofMessages(texts.error());
}

Result<void> enter(const Database& database, const Text& text) {
  const auto indexed = isIndexed(database, text.id);
  if (!indexed) return indexed.error();
  if (*indexed) return {};
  return Statement(database, "INSERT INTO message_search (rowid, body) VALUES (?, ?)")
      .bind(text.id)
      .bind(entryOf(database, text))
      .run();
}

/// Needs exactly the text with which the entry was made.
Result<void> takeOut(const Database& database, const Text& text) {
  const auto indexed = isIndexed(database, text.id);
  if (!indexed) return indexed.error();
  if (!*indexed) return {};
  return Statement(database,
                   "INSERT INTO message_search (message_search, rowid, body) "
                   "VALUES ('delete', ?, ?)")
      .bind(text.id)
      .bind(entryOf(database, text))
      .run();
}

Result<void> replaceTitle(const Database& database, RecordId chatId, const QString& title) {
  const QString words = toIndexText(title);
  const auto old = Statement(database, "SELECT title FROM chat_search WHERE rowid = ?")
                       .bind(chatId)
                       .first<QString>();
  if (!old) return old.error();
  if (*old == words) return {};
  auto removed = Statement(database, "DELETE FROM chat_search WHERE rowid = ?").bind(chatId).run();
  if (!removed) return removed;
  return Statement(database, "INSERT INTO chat_search (rowid, title) VALUES (?, ?)")
      .bind(chatId)
      .bind(words)
      .run();
}

/// Newest slice first, but in the order of ids within a slice, which FTS5 handles fastest.
Result<qint64> enterMessages(const Database& database, qint64 below) {
  QList<Text> texts;
  qsizetype characters = 0;
  qint64 next = 0;
  Statement select(database, "SELECT id, chat_id, " + bodyIn(database) +
                                 ", status = 1 FROM message WHERE id < ? ORDER BY id DESC LIMIT ?");
  select.bind(below).bind(kMessagesPerSlice);
  auto read = select.forEach([&](const Statement& row) {
    if (characters > kCharactersPerSlice) return;
    next = row.number(0);
    if (row.get<bool>(3)) return;
    texts.append(textFrom(row));
    characters += texts.back().text.size();
  });
  if (!read) return ofMessages(read.error());
  std::reverse(texts.begin(), texts.end());
  for (const Text& text : texts) {
    if (auto done = enter(database, text); !done) return done.error();
  }
  return next;
}

Result<qint64> enterTitles(const Database& database, qint64 below) {
  Statement select(database,
                   "SELECT id, id, title FROM chat WHERE id < ? ORDER BY id DESC LIMIT ?");
  select.bind(below).bind(kTitlesPerSlice);
  auto found = finishedTexts(select);
  if (!found) return ofMessages(found.error());
  std::reverse(found->begin(), found->end());
  for (const Text& title : *found) {
    if (auto done = replaceTitle(database, title.id, title.text); !done) return done.error();
  }
  return found->isEmpty() ? qint64{0} : found->first().id;
}

/// Merges the segments of the index, which drops removed entries
/// (https://www.sqlite.org/fts5.html, 6.9). The first call starts the merge, the others continue
/// it.
Result<Purge> purgeSlice(const Database& database, Purge purge) {
  const int leaves = purge == Purge::Wanted ? -kLeavesPerSlice : kLeavesPerSlice;
  constexpr const char* kChanges = "SELECT total_changes()";
  const auto before = database.number(kChanges);
  if (!before) return before.error();
  for (const std::string table : {"message_search", "chat_search"}) {
    auto merged = database.exec("INSERT INTO " + table + " (" + table +
                                ", rank) VALUES ('merge', " + std::to_string(leaves) + ")");
    if (!merged) return merged.error();
  }
  const auto after = database.number(kChanges);
  if (!after) return after.error();
  // Each of the two statements counts as one change, besides the rows that it wrote.
  const bool wroteMore = *after - *before > 2;
  return purge == Purge::Wanted || wroteMore ? Purge::Running : Purge::None;
}

/// Lets the next slices purge removed entries from the index's tables.
Result<void> wantPurge(const Database& database) {
  return setState(database, kPurge, static_cast<qint64>(Purge::Wanted));
}

/// Removes the oldest stale entries, and enters the current text of messages that still exist.
Result<void> replaceStale(const Database& database, int slices) {
  QList<Text> texts;
  qsizetype characters = 0;
  Statement select(database, "SELECT id, chat_id, body FROM search_stale ORDER BY id LIMIT ?");
  select.bind(slices * kMessagesPerSlice);
  auto read = select.forEach([&](const Statement& row) {
    if (characters > slices * kCharactersPerSlice) return;
    texts.append(textFrom(row));
    characters += texts.back().text.size();
  });
  if (!read) return read;
  Statement forget(database, "DELETE FROM search_stale WHERE id = ?");
  for (const Text& text : texts) {
    if (auto done = takeOut(database, text); !done) return done;
    if (auto done = forget.bind(text.id).run(); !done) return done;
    const auto current = finishedMessage(database, text.id);
    if (!current) return current.error();
    if (current->isEmpty()) continue;
    if (auto done = enter(database, current->first()); !done) return done;
  }
  return texts.isEmpty() ? Result<void>() : wantPurge(database);
}

struct Work {
  bool hasStale = false;
  qint64 messagesBelow = 0;
  qint64 titlesBelow = 0;
  Purge purge = Purge::None;

  bool isDone() const {
    return !hasStale && messagesBelow == 0 && titlesBelow == 0 && purge == Purge::None;
  }
};

Result<Work> readWork(const Database& database) {
  const auto stale = database.number("SELECT EXISTS (SELECT 1 FROM search_stale)");
  if (!stale) return stale.error();
  const auto messages = state(database, kMessagesBelow);
  if (!messages) return messages.error();
  const auto titles = state(database, kTitlesBelow);
  if (!titles) return titles.error();
  const auto purge = state(database, kPurge);
  if (!purge) return purge.error();
  return Work{*stale != 0, *messages, *titles,
              static_cast<Purge>(std::clamp<qint64>(*purge, 0, 2))};
}

Result<void> step(const Database& database, const Work& work) {
  if (work.hasStale) return replaceStale(database, 1);
  if (work.titlesBelow > 0) {
    const auto below = enterTitles(database, work.titlesBelow);
    if (!below) return below.error();
    return setState(database, kTitlesBelow, *below);
  }
  if (work.messagesBelow > 0) {
    const auto below = enterMessages(database, work.messagesBelow);
    if (!below) return below.error();
    return setState(database, kMessagesBelow, *below);
  }
  const auto purge = purgeSlice(database, work.purge);
  if (!purge) return purge.error();
  if (*purge == work.purge) return {};
  return setState(database, kPurge, static_cast<qint64>(*purge));
}

}  // namespace

Result<void> add(const Database& database, RecordId messageId) {
  return guarded(database, [&]() -> Result<void> {
    const auto texts = finishedMessage(database, messageId);
    if (!texts) return texts.error();
    return texts->isEmpty() ? Result<void>() : enter(database, texts->first());
  });
}

Result<void> remove(const Database& database, RecordId messageId) {
  return guarded(database, [&]() -> Result<void> {
    const auto isStale =
        Statement(database, "SELECT 1 FROM search_stale WHERE id = ?").bind(messageId).step();
    if (!isStale) return isStale.error();
    if (*isStale) return {};  // maintain() removes the entry, with the text in search_stale.
    const auto texts = finishedMessage(database, messageId);
    if (!texts) return texts.error();
    return texts->isEmpty() ? Result<void>() : takeOut(database, texts->first());
  });
}

Result<void> markStale(const Database& database, RecordId messageId, RecordId chatId) {
  return Statement(database, "INSERT OR IGNORE INTO search_stale SELECT id, chat_id, " +
                                 bodyIn(database) +
                                 " FROM message WHERE id = ? AND chat_id = ? AND status <> 1")
      .bind(messageId)
      .bind(chatId)
      .run();
}

Result<void> markChatStale(const Database& database, RecordId chatId) {
  auto marked =
      Statement(database, "INSERT OR IGNORE INTO search_stale SELECT id, chat_id, " +
                              bodyIn(database) + " FROM message WHERE chat_id = ? AND status <> 1")
          .bind(chatId)
          .run();
  if (!marked) return marked;
  return guarded(database, [&]() -> Result<void> {
    auto removed =
        Statement(database, "DELETE FROM chat_search WHERE rowid = ?").bind(chatId).run();
    return removed ? wantPurge(database) : removed;
  });
}

Result<void> clearSomeStale(const Database& database) {
  return guarded(database, [&] { return replaceStale(database, kSlicesAtOnce); });
}

Result<void> putTitle(const Database& database, RecordId chatId) {
  const auto title =
      Statement(database, "SELECT title FROM chat WHERE id = ?").bind(chatId).first<QString>();
  if (!title) return title.error();
  return guarded(database,
                 [&] { return replaceTitle(database, chatId, title->value_or(QString())); });
}

Result<bool> maintain(const Database& database) {
  const auto work = readWork(database);
  if (!work) return work.error();
  if (work->isDone()) return false;
  auto done = database.transaction([&]() -> Result<void> {
    const auto current = readWork(database);  // Another connection may have done the work.
    if (!current) return current.error();
    if (current->isDone()) return {};
    return guarded(database, [&] { return step(database, *current); });
  });
  if (!done) return done.error();
  return true;
}

Result<bool> isComplete(const Database& database) {
  const auto work = readWork(database);
  if (!work) return work.error();
  return work->messagesBelow == 0 && work->titlesBelow == 0;
}

}  // namespace quire::search_index
