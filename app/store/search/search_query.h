#pragma once

#include <QList>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

#include "app/store/records.h"
#include "app/store/search/snippet.h"

namespace quire {

class Database;

struct SearchQuestion {
  /// BestFirst ranks only the newest 10,000 messages that match.
  enum class Order { NewestFirst, BestFirst };

  QString text;                     ///< Words and "quoted" phrases, all of which must match.
  bool typing = true;               ///< The last word, of two letters or more, may be unfinished.
  RecordId chatId = 0;              ///< Searches one chat; 0: all.
  std::optional<MessageRole> role;  ///< Searches messages of one role only, and no titles.
  Order order = Order::NewestFirst;
  int limit = 40;       ///< Of messages, at most 200; titles do not count.
  int skip = 0;         ///< For the next page of BestFirst: the number of messages so far.
  RecordId before = 0;  ///< For the next page of NewestFirst: the last message so far.
};

struct MessageHit {
  RecordId chatId = 0;
  RecordId messageId = 0;
  MessageRole role = MessageRole::User;
  qint64 createdMs = 0;
  Snippet snippet;
};

struct TitleHit {
  RecordId chatId = 0;
  Snippet snippet;  ///< Of the title.
};

struct SearchAnswer {
  QList<TitleHit> titles;  ///< Newest chat first, at most 20; on the first page only.
  QList<MessageHit> messages;
  bool hasMore = false;    ///< There are messages beyond the limit.
  bool isComplete = true;  ///< False: older messages are still being entered into the index.
  bool isQuestion = true;  ///< False: there was no word in it.
};

/// Answers questions over its own read-only connection, which the first question opens.
/// Thread: one at a time.
class SearchReader {
 public:
  /// `folder` as for openStoreForReading(); the file must have been made or migrated.
  explicit SearchReader(const QString& folder) : m_folder(folder) {}
  /// Errors: those of openStoreForReading() and askIndex().
  Result<SearchAnswer> ask(const SearchQuestion& question, const std::function<bool()>& cancelled);

 private:
  const QString m_folder;
  std::shared_ptr<Database> m_database;
};

/// Answers one question; fails with kInternal soon after `cancelled` returns true.
Result<SearchAnswer> askIndex(const Database& database, const SearchQuestion& question,
                              const std::function<bool()>& cancelled);

}  // namespace quire
