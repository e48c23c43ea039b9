#include "app/store/origin_table.h"

#include <QCryptographicHash>
#include <QSet>

#include <algorithm>
#include <limits>

#include "app/store/message_table.h"
#include "app/store/sampling_json.h"

namespace quire::origin_table {
namespace {

using message_table::fromBlob;
using message_table::toBlob;

/// What a message adds to the prompts that are built on it: its sequence is the first `numShared`
/// tokens of the base's sequence, then `own`.
struct Link {
  RecordId id = 0;
  RecordId baseId = 0;
  qint64 numShared = 0;
  QList<qint32> own;        ///< The rest of its prompt, then its answer.
  qsizetype promptEnd = 0;  ///< Where in `own` the answer begins.
};

/// The beginning of a prompt that is kept already: so much of that message's sequence.
struct Base {
  RecordId id = 0;
  qsizetype numShared = 0;
};

QByteArray hashOf(const QList<qint32>& tokens) {
  return QCryptographicHash::hash(toBlob(tokens), QCryptographicHash::Sha256);
}

Error unknownPrompt(RecordId id, const QString& why) {
  return {ErrorCode::kCorruptFile,
          QStringLiteral("The prompt of message %1 is not known any more: %2.")
              .arg(id)
              .arg(why)
              .toStdString()};
}

/// The message and what it is built on, in that order; empty if it has no origin. Ids rise with
/// age and a base is older than what is built on it, so that no damage leads in a circle.
Result<QList<Link>> readLinks(const Database& database, RecordId id) {
  QList<Link> links;
  Statement select(
      database,
      QStringLiteral(
          "WITH RECURSIVE link (id, base, chat) AS ("
          "  SELECT message_id, prompt_base_id, chat_id FROM answer_origin"
          "    JOIN message ON message.id = message_id WHERE message_id = ?"
          "  UNION ALL"
          "  SELECT message_id, prompt_base_id, chat_id FROM link"
          "    JOIN answer_origin ON message_id = link.base AND message_id < link.id"
          "    JOIN message ON message.id = message_id AND chat_id = link.chat) "
          "SELECT link.id, prompt_base_id, prompt_shared, prompt_rest, tokens FROM link "
          "JOIN answer_origin ON message_id = link.id JOIN message ON message.id = link.id "
          "ORDER BY link.id DESC"));
  select.bind(id);
  auto read = select.forEach([&](const QSqlQuery& row) {
    Link link{.id = row.value(0).toLongLong(),
              .baseId = row.value(1).toLongLong(),
              .numShared = row.value(2).toLongLong(),
              .own = fromBlob(row.value(3).toByteArray())};
    link.promptEnd = link.own.size();
    link.own += fromBlob(row.value(4).toByteArray());
    links.append(std::move(link));
  });
  if (!read) return read.error();
  return links;
}

/// The first link's prompt, and its answer if `withAnswer`. Nothing is allocated by a number of the
/// file: each link adds what it holds, from the end to the beginning.
Result<QList<qint32>> assemble(const QList<Link>& links, bool withAnswer) {
  constexpr qint64 kMaxTokens = std::numeric_limits<qint32>::max();
  const RecordId id = links.first().id;
  QList<QList<qint32>> parts;
  qint64 wanted = -1;  // Leading tokens of the link's sequence; of the first: as asked for.
  for (const Link& link : links) {
    if (link.numShared < 0 || link.numShared > kMaxTokens) break;
    if (wanted < 0) wanted = link.numShared + (withAnswer ? link.own.size() : link.promptEnd);
    const qint64 ownWanted = wanted - link.numShared;
    if (ownWanted > link.own.size()) break;
    if (ownWanted > 0) parts.prepend(link.own.first(ownWanted));
    wanted = std::min(wanted, link.numShared);
    if (wanted > 0) continue;
    QList<qint32> tokens;
    for (const QList<qint32>& part : parts) tokens += part;
    return tokens;
  }
  const RecordId lost = links.last().baseId;
  if (lost == 0) return unknownPrompt(id, QStringLiteral("its record is damaged"));
  return unknownPrompt(id, QStringLiteral("it begins as that of message %1, which is gone or "
                                          "damaged")
                               .arg(lost));
}

/// A message's prompt and answer; empty where they are not known, which is no reason to fail: then
/// nothing is shared with them.
QList<qint32> sequenceOf(const Database& database, RecordId id) {
  const auto links = readLinks(database, id);
  if (!links || links->isEmpty()) return {};
  auto tokens = assemble(*links, /*withAnswer=*/true);
  return tokens ? *tokens : QList<qint32>();
}

/// The version before this answer, and the nearest answer above it, of those that have an origin.
Result<QList<RecordId>> candidates(const Database& database, const MessageRecord& answer) {
  QList<RecordId> ids;
  const auto add = [&](const QSqlQuery& row) { ids.append(row.value(0).toLongLong()); };
  Statement sibling(database, QStringLiteral("SELECT id FROM message JOIN answer_origin "
                                             "ON message_id = id WHERE chat_id = ? AND "
                                             "parent_id IS ? AND id < ? ORDER BY id DESC LIMIT 1"));
  sibling.bind(answer.chatId).bindReference(answer.parentId).bind(answer.id);
  if (auto read = sibling.forEach(add); !read) return read.error();
  Statement above(database,
                  QStringLiteral("WITH RECURSIVE up (id, parent) AS ("
                                 "  SELECT id, parent_id FROM message WHERE id = ? AND chat_id = ?"
                                 "  UNION ALL"
                                 "  SELECT message.id, parent_id FROM message "
                                 "    JOIN up ON message.id = up.parent AND message.id < up.id) "
                                 "SELECT id FROM up JOIN answer_origin ON message_id = id "
                                 "WHERE id < ? LIMIT 1"));
  above.bind(answer.parentId).bind(answer.chatId).bind(answer.id);
  if (auto read = above.forEach(add); !read) return read.error();
  return ids;
}

Result<Base> findBase(const Database& database, const MessageRecord& answer,
                      const QList<qint32>& prompt) {
  const auto ids = candidates(database, answer);
  if (!ids) return ids.error();
  Base best;
  for (const RecordId id : *ids) {
    const QList<qint32> known = sequenceOf(database, id);
    const auto differs = std::mismatch(prompt.begin(), prompt.end(), known.begin(), known.end());
    const qsizetype numShared = differs.first - prompt.begin();
    if (numShared > best.numShared) best = {id, numShared};
  }
  return best;
}

AnswerEnd endFrom(int value) {
  const bool known =
      value >= static_cast<int>(AnswerEnd::End) && value <= static_cast<int>(AnswerEnd::CutOff);
  return known ? static_cast<AnswerEnd>(value) : AnswerEnd::CutOff;
}

/// A file that is only read may be of the version before this table.
Result<bool> tableExists(const Database& database) {
  auto count = database.scalar(
      QStringLiteral("SELECT count(*) FROM sqlite_schema WHERE name = 'answer_origin'"));
  if (!count) return count.error();
  return count->toInt() > 0;
}

struct Row {
  OriginRecord origin;  ///< Without its prompt.
  QString sampling;
  QByteArray promptHash;
};

Result<std::optional<Row>> readRow(const Database& database, RecordId messageId) {
  std::optional<Row> found;
  Statement select(database, QStringLiteral("SELECT template_hash, sampling, answer_end, "
                                            "device_name, prompt_hash FROM answer_origin "
                                            "WHERE message_id = ?"));
  select.bind(messageId);
  auto read = select.forEach([&](const QSqlQuery& row) {
    found = Row{.origin = {.templateHash = row.value(0).toString(),
                           .end = endFrom(row.value(2).toInt()),
                           .deviceName = row.value(3).toString()},
                .sampling = row.value(1).toString(),
                .promptHash = row.value(4).toByteArray()};
  });
  if (!read) return read.error();
  return found;
}

/// The whole prompt, checked: a changed answer changes the prompts that are built on it.
Result<QList<qint32>> readPrompt(const Database& database, RecordId messageId,
                                 const QByteArray& promptHash) {
  const auto links = readLinks(database, messageId);
  if (!links) return links.error();
  if (links->isEmpty()) return unknownPrompt(messageId, QStringLiteral("its record is damaged"));
  auto prompt = assemble(*links, /*withAnswer=*/false);
  if (!prompt || hashOf(*prompt) == promptHash) return prompt;
  return unknownPrompt(messageId, QStringLiteral("what it was put together from has been changed"));
}

Result<void> copyWhole(const Database& database, RecordId from, RecordId to) {
  const auto answer = message_table::readOne(database, to);
  if (!answer) return answer.error();
  const auto origin = read(database, from);
  if (!*answer || !origin || !*origin) return {};  // Damaged: the copy has none.
  return put(database, **answer, **origin);
}

/// Copies one origin's row; where its base has no copy, its prompt is put together and kept anew.
Result<void> copyOne(const Database& database, RecordId from, RecordId to,
                     const QHash<RecordId, RecordId>& copyOf) {
  std::optional<RecordId> base;
  Statement select(database,
                   QStringLiteral("SELECT prompt_base_id FROM answer_origin WHERE message_id = ?"));
  select.bind(from);
  auto found = select.forEach([&](const QSqlQuery& row) { base = row.value(0).toLongLong(); });
  if (!found || !base) return found;
  if (*base != 0 && !copyOf.contains(*base)) return copyWhole(database, from, to);
  return Statement(database,
                   QStringLiteral("INSERT INTO answer_origin (message_id, template_hash, sampling, "
                                  "answer_end, device_name, prompt_base_id, prompt_shared, "
                                  "prompt_rest, prompt_hash) SELECT ?, template_hash, sampling, "
                                  "answer_end, device_name, ?, prompt_shared, prompt_rest, "
                                  "prompt_hash FROM answer_origin WHERE message_id = ?"))
      .bind(to)
      .bindReference(*base == 0 ? 0 : copyOf[*base])
      .bind(from)
      .run();
}

}  // namespace

Result<void> put(const Database& database, const MessageRecord& answer,
                 const OriginRecord& origin) {
  const auto base = findBase(database, answer, origin.promptTokens);
  if (!base) return base.error();
  Statement insert(database,
                   QStringLiteral("INSERT OR REPLACE INTO answer_origin (message_id, "
                                  "template_hash, sampling, answer_end, device_name, "
                                  "prompt_base_id, prompt_shared, prompt_rest, prompt_hash) "
                                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  return insert.bind(answer.id)
      .bind(origin.templateHash)
      .bind(samplingToJson(origin.sampling))
      .bind(static_cast<int>(origin.end))
      .bind(origin.deviceName)
      .bindReference(base->id)
      .bind(static_cast<qint64>(base->numShared))
      .bind(toBlob(origin.promptTokens.sliced(base->numShared)))
      .bind(hashOf(origin.promptTokens))
      .run();
}

Result<std::optional<OriginRecord>> read(const Database& database, RecordId messageId) {
  const auto exists = tableExists(database);
  if (!exists) return exists.error();
  if (!*exists) return std::optional<OriginRecord>();
  auto row = readRow(database, messageId);
  if (!row) return row.error();
  if (!*row) return std::optional<OriginRecord>();
  const auto sampling = samplingFromJson((*row)->sampling);
  if (!sampling) {
    return Error{sampling.error().code,
                 "Message " + std::to_string(messageId) + ": " + sampling.error().message};
  }
  auto prompt = readPrompt(database, messageId, (*row)->promptHash);
  if (!prompt) return prompt.error();
  OriginRecord origin = std::move((*row)->origin);
  origin.sampling = *sampling;
  origin.promptTokens = std::move(*prompt);
  return std::optional<OriginRecord>(std::move(origin));
}

Result<void> copy(const Database& database, const QHash<RecordId, RecordId>& copiedFrom) {
  QHash<RecordId, RecordId> copyOf;
  for (auto it = copiedFrom.begin(); it != copiedFrom.end(); ++it)
    copyOf.insert(it.value(), it.key());
  QList<RecordId> oldestFirst = copiedFrom.keys();
  std::sort(oldestFirst.begin(), oldestFirst.end());
  for (const RecordId id : oldestFirst) {
    if (auto done = copyOne(database, copiedFrom[id], id, copyOf); !done) return done;
  }
  return {};
}

Result<QList<std::pair<MessageRecord, OriginRecord>>> builtOn(const Database& database,
                                                              const QList<RecordId>& ids) {
  QList<std::pair<MessageRecord, OriginRecord>> kept;
  const QSet<RecordId> leaving(ids.begin(), ids.end());
  for (const RecordId id : ids) {
    QList<RecordId> dependents;
    Statement select(database, QStringLiteral("SELECT message_id FROM answer_origin "
                                              "WHERE prompt_base_id = ?"));
    select.bind(id);
    auto found = select.forEach([&](const QSqlQuery& row) {
      const RecordId dependent = row.value(0).toLongLong();
      if (!leaving.contains(dependent)) dependents.append(dependent);
    });
    if (!found) return found.error();
    for (const RecordId dependent : dependents) {
      const auto message = message_table::readOne(database, dependent);
      if (!message) return message.error();
      auto origin = read(database, dependent);
      // A damaged one cannot be saved, and is no reason to keep what is to go.
      if (*message && origin && *origin) kept.append({**message, **origin});
    }
  }
  return kept;
}

Result<std::optional<StoredOrigin>> readStored(const Database& database, RecordId messageId) {
  const auto exists = tableExists(database);
  if (!exists) return exists.error();
  std::optional<StoredOrigin> origin;
  if (!*exists) return origin;
  Statement select(database,
                   QStringLiteral("SELECT template_hash, sampling, answer_end, device_name, "
                                  "prompt_base_id, prompt_shared, prompt_rest, prompt_hash "
                                  "FROM answer_origin WHERE message_id = ?"));
  select.bind(messageId);
  auto read = select.forEach([&](const QSqlQuery& row) {
    origin = StoredOrigin{.templateHash = row.value(0).toString(),
                          .sampling = row.value(1).toString(),
                          .end = row.value(2).toInt(),
                          .deviceName = row.value(3).toString(),
                          .baseId = row.value(4).toLongLong(),
                          .numShared = row.value(5).toLongLong(),
                          .rest = fromBlob(row.value(6).toByteArray()),
                          .promptHash = row.value(7).toByteArray()};
  });
  if (!read) return read.error();
  return origin;
}

Result<void> putStored(const Database& database, RecordId messageId, const StoredOrigin& origin) {
  return Statement(database,
                   QStringLiteral("INSERT OR REPLACE INTO answer_origin (message_id, "
                                  "template_hash, sampling, answer_end, device_name, "
                                  "prompt_base_id, prompt_shared, prompt_rest, prompt_hash) "
                                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"))
      .bind(messageId)
      .bind(origin.templateHash)
      .bind(origin.sampling)
      .bind(origin.end)
      .bind(origin.deviceName)
      .bindReference(origin.baseId)
      .bind(origin.numShared)
      .bind(toBlob(origin.rest))
      .bind(origin.promptHash)
      .run();
}

}  // namespace quire::origin_table
