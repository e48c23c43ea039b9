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
  /// BestFirst: of a word that stands in more than 10,000 messages, the newest ones are ranked.
  enum class Order { NewestFirst, BestFirst };

  QString text;                     ///< Words, all of which must be there; "quoted" phrases.
  bool typing = true;               ///< The last word, of two letters or more, may be unfinished.
  RecordId chatId = 0;              ///< Within one chat; 0: in all.
  std::optional<MessageRole> role;  ///< Messages of one side only; titles are left out then.
  Order order = Order::NewestFirst;
  int limit = 40;       ///< Messages, at most 200; titles come on top of them.
  int skip = 0;         ///< For the next page, ranked: as many messages as there have been.
  RecordId before = 0;  ///< For the next page, newest first: the last message there has been.
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

/// Answers questions over a connection of its own that only reads, which the first one opens.
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

/// Answers one question; gives up with kInternal soon after `cancelled` says so.
Result<SearchAnswer> askIndex(const Database& database, const SearchQuestion& question,
                              const std::function<bool()>& cancelled);

}  // namespace quire
