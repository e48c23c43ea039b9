#include "app/store/search/search_query.h"

#include <algorithm>
#include <limits>

#include "app/store/database.h"
#include "app/store/search/search_index.h"

namespace quire {
namespace {

constexpr int kMaxLimit = 200;
constexpr int kMaxTitles = 20;
constexpr int kMaxRanked = 10'000;

Error cancelledError() {
  return {ErrorCode::kInternal, "The search was given up for a newer one."};
}

struct Row {
  MessageHit hit;
  QString text;
};

/// Found words as they stand in a title or text.
struct Asked {
  const SearchQuestion& question;
  QList<SearchTerm> terms;
  std::function<bool()> cancelled;
};

QString messageSql(const SearchQuestion& question) {
  QString sql = QStringLiteral(
      "SELECT m.id, m.chat_id, m.role, m.created_ms, m.text FROM message_search AS s "
      "JOIN message AS m ON m.id = s.rowid WHERE message_search MATCH ?");
  if (question.role) sql += QStringLiteral(" AND m.role = ?");
  if (question.order == SearchQuestion::Order::NewestFirst) {
    return sql + QStringLiteral(" AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?");
  }
  return sql + QStringLiteral(" AND s.rowid >= ? ORDER BY s.rank LIMIT ? OFFSET ?");
}

/// Ranking looks at every hit. Of a common word's hits the newest must do: this is the last of
/// them.
Result<RecordId> lastRanked(const Database& database, const QString& match) {
  RecordId last = 0;
  Statement select(database,
                   QStringLiteral("SELECT rowid FROM message_search WHERE message_search MATCH ? "
                                  "ORDER BY rowid DESC LIMIT 1 OFFSET ?"));
  select.bind(match).bind(kMaxRanked);
  auto read = select.forEach([&](const QSqlQuery& row) { last = row.value(0).toLongLong(); });
  if (!read) return read.error();
  return last;
}

Result<void> bindMessageSql(const Database& database, Statement& select, const Asked& asked,
                            int limit) {
  const SearchQuestion& question = asked.question;
  const QString match = toMatch(asked.terms, question.chatId);
  select.bind(match);
  if (question.role) select.bind(static_cast<int>(*question.role));
  if (question.order == SearchQuestion::Order::NewestFirst) {
    const RecordId before = question.before;
    select.bind(before > 0 ? before : std::numeric_limits<RecordId>::max()).bind(limit);
    return {};
  }
  const auto last = lastRanked(database, match);
  if (!last) return last.error();
  select.bind(*last).bind(limit).bind(std::max(0, question.skip));
  return {};
}

Result<void> findMessages(const Database& database, const Asked& asked, SearchAnswer& answer) {
  const int limit = std::clamp(asked.question.limit, 1, kMaxLimit);
  QList<Row> rows;
  Statement select(database, messageSql(asked.question));
  if (auto bound = bindMessageSql(database, select, asked, limit + 1); !bound) return bound;
  auto read = select.forEach([&](const QSqlQuery& row) {
    rows.append({{.chatId = row.value(1).toLongLong(),
                  .messageId = row.value(0).toLongLong(),
                  .role = row.value(2).toInt() == 0 ? MessageRole::User : MessageRole::Assistant,
                  .createdMs = row.value(3).toLongLong()},
                 row.value(4).toString()});
  });
  if (!read) return read;
  answer.hasMore = rows.size() > limit;
  if (answer.hasMore) rows.removeLast();
  for (Row& row : rows) {
    if (asked.cancelled()) return cancelledError();
    row.hit.snippet = makeSnippet(row.text, asked.terms, asked.cancelled);
    answer.messages.append(std::move(row.hit));
  }
  return {};
}

Result<void> findTitles(const Database& database, const Asked& asked, SearchAnswer& answer) {
  const SearchQuestion& question = asked.question;
  if (question.chatId != 0 || question.role || question.before != 0 || question.skip != 0) {
    return {};
  }
  Statement select(database,
                   QStringLiteral("SELECT c.id, c.title FROM chat_search AS s "
                                  "JOIN chat AS c ON c.id = s.rowid WHERE chat_search MATCH ? "
                                  "ORDER BY s.rowid DESC LIMIT ?"));
  select.bind(toTitleMatch(asked.terms)).bind(kMaxTitles);
  return select.forEach([&](const QSqlQuery& row) {
    answer.titles.append({row.value(0).toLongLong(),
                          makeSnippet(row.value(1).toString(), asked.terms, asked.cancelled)});
  });
}

}  // namespace

Result<SearchAnswer> askIndex(const Database& database, const SearchQuestion& question,
                              const std::function<bool()>& cancelled) {
  SearchAnswer answer;
  const Asked asked{question, parseSearch(question.text, question.typing), cancelled};
  answer.isQuestion = !asked.terms.isEmpty();
  if (!answer.isQuestion) return answer;
  const auto complete = search_index::isComplete(database);
  if (!complete) return complete.error();
  answer.isComplete = *complete;
  if (auto done = findTitles(database, asked, answer); !done) return done.error();
  if (cancelled()) return cancelledError();
  if (auto done = findMessages(database, asked, answer); !done) return done.error();
  return answer;
}

}  // namespace quire
