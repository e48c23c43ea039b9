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

struct Asked {
  const SearchQuestion& question;
  QList<SearchTerm> terms;
  std::function<bool()> cancelled;
};

/// Whether an older message of another chat has the time, role and parts of message `m`, as the
/// messages of a fork have. Only the oldest of such messages is found.
const std::string kIsCopy =
    "EXISTS (SELECT 1 FROM message AS o WHERE o.created_ms = m.created_ms AND m.created_ms <> 0 "
    "AND o.id < m.id AND o.chat_id <> m.chat_id AND o.role = m.role AND NOT EXISTS ("
    "SELECT kind, payload FROM message_part WHERE message_id = m.id EXCEPT "
    "SELECT kind, payload FROM message_part WHERE message_id = o.id))";

std::string messageSql(const SearchQuestion& question) {
  std::string sql =
      "SELECT m.id, m.chat_id, m.role, m.created_ms FROM message_search AS s "
      "JOIN message AS m ON m.id = s.rowid WHERE message_search MATCH ?";
  if (question.chatId == 0) sql += " AND NOT " + kIsCopy;
  if (question.role) sql += " AND m.role = ?";
  if (question.order == SearchQuestion::Order::NewestFirst) {
    return sql + " AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?";
  }
  return sql + " AND s.rowid >= ? ORDER BY s.rank LIMIT ? OFFSET ?";
}

/// The oldest message that is ranked: ranking reads every hit, so that only the newest hits of a
/// common word are ranked.
Result<RecordId> lastRanked(const Database& database, const QString& match) {
  const auto last = Statement(database,
                              "SELECT rowid FROM message_search WHERE message_search MATCH ? "
                              "ORDER BY rowid DESC LIMIT 1 OFFSET ?")
                        .bind(match)
                        .bind(kMaxRanked)
                        .first<RecordId>();
  if (!last) return last.error();
  return last->value_or(0);
}

Result<void> bindMessageSql(const Database& database, Statement& select, const Asked& asked,
                            int limit) {
  const SearchQuestion& question = asked.question;
  const QString match = toMatch(asked.terms, question.chatId);
  select.bind(match);
  if (question.role) select.bind(question.role->name);
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

/// A snippet of the message's text, or of its reasoning or a file if the text has none of the
/// terms.
Result<Snippet> snippetOf(const Database& database, RecordId messageId, const Asked& asked) {
  QString text;
  QStringList files;
  Statement select(database,
                   "SELECT kind, payload FROM message_part WHERE message_id = ? ORDER BY position");
  auto read = select.bind(messageId).forEach([&](const Statement& row) {
    const QString kind = row.get<QString>(0);
    if (kind == part_kind::kText) text += row.get<QString>(1);
    if (kind == part_kind::kAttachment || kind == part_kind::kReasoning) {
      files.append(row.get<QString>(1));
    }
  });
  if (!read) return read.error();
  const Snippet own = makeSnippet(text, asked.terms, asked.cancelled);
  if (!own.marks.isEmpty()) return own;
  for (const QString& file : std::as_const(files)) {
    Snippet snippet = makeSnippet(file, asked.terms, asked.cancelled);
    if (snippet.marks.isEmpty()) continue;
    snippet.hit = {};  // The hit is not in the message's text.
    return snippet;
  }
  return own;
}

Result<void> findMessages(const Database& database, const Asked& asked, SearchAnswer& answer) {
  const int limit = std::clamp(asked.question.limit, 1, kMaxLimit);
  Statement select(database, messageSql(asked.question));
  if (auto bound = bindMessageSql(database, select, asked, limit + 1); !bound) return bound;
  auto read = select.forEach([&](const Statement& row) {
    answer.messages.append({.chatId = row.number(1),
                            .messageId = row.number(0),
                            .role = {row.get<QString>(2)},
                            .createdMs = row.number(3),
                            .snippet = {}});
  });
  if (!read) return read;
  answer.hasMore = answer.messages.size() > limit;
  if (answer.hasMore) answer.messages.removeLast();
  for (MessageHit& hit : answer.messages) {
    if (asked.cancelled()) return cancelledError();
    auto snippet = snippetOf(database, hit.messageId, asked);
    if (!snippet) return snippet.error();
    hit.snippet = std::move(*snippet);
  }
  return {};
}

Result<void> findTitles(const Database& database, const Asked& asked, SearchAnswer& answer) {
  const SearchQuestion& question = asked.question;
  if (question.chatId != 0 || question.role || question.before != 0 || question.skip != 0) {
    return {};
  }
  Statement select(database,
                   "SELECT c.id, c.title FROM chat_search AS s JOIN chat AS c ON c.id = s.rowid "
                   "WHERE chat_search MATCH ? ORDER BY s.rowid DESC LIMIT ?");
  select.bind(toTitleMatch(asked.terms)).bind(kMaxTitles);
  return select.forEach([&](const Statement& row) {
    answer.titles.append(
        {row.number(0), makeSnippet(row.get<QString>(1), asked.terms, asked.cancelled)});
  });
}

}  // namespace

Result<SearchAnswer> SearchReader::ask(const SearchQuestion& question,
                                       const std::function<bool()>& cancelled) {
  if (!m_database) {
    auto opened = openStoreForReading(m_folder);
    if (!opened) return opened.error();
    m_database = std::move(*opened);
  }
  const auto watch = m_database->interruptWhen(cancelled);
  auto answer = askIndex(*m_database, question, cancelled);
  // A restore may have replaced the file.
  if (!answer && !cancelled()) m_database.reset();
  return answer;
}

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
