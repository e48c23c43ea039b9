#include "app/store/origin_table.h"

#include <QCryptographicHash>
#include <QSet>

#include <algorithm>
#include <limits>

#include "app/store/message_table.h"
#include "app/store/record_rows.h"

namespace quire::origin_table {
namespace {

/// The row of a message: its sequence is the first `numShared` tokens of the base's sequence, then
/// `own`.
struct Link {
  RecordId id = 0;
  RecordId baseId = 0;
  qint64 numShared = 0;
  QList<qint32> own;        ///< The rest of its prompt, then its answer.
  qsizetype promptEnd = 0;  ///< Where in `own` the answer begins.
};

/// The beginning of a prompt that is stored already: the first tokens of that message's sequence.
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

/// The rows of the message, its base, the base of that, and so on; empty if it has no origin. A
/// base has a lower id than what is built on it, which excludes cycles in a damaged file. The
/// answer of the message itself is read only if `withAnswer`.
Result<QList<Link>> readLinks(const Database& database, RecordId id, bool withAnswer) {
  QList<Link> links;
  // Lists that are too long are not given to the sorter, which copies them.
  const auto bounded = [](const std::string& column) {
    return "iif(length(" + column + ") <= " + std::to_string(kMaxTokenListBytes) + ", " + column +
           ", x'')";
  };
  Statement select(database, R"(
      WITH RECURSIVE link (id, base, chat) AS (
        SELECT message_id, prompt_base_id, chat_id FROM answer_origin
          JOIN message ON message.id = message_id WHERE message_id = ?
        UNION ALL
        SELECT message_id, prompt_base_id, chat_id FROM link
          JOIN answer_origin ON message_id = link.base AND message_id < link.id
          JOIN message ON message.id = message_id AND chat_id = link.chat)
      SELECT link.id, prompt_base_id, prompt_shared, )" +
                                 bounded("prompt_rest") + ", " + bounded("tokens") + R"( FROM link
      JOIN answer_origin ON message_id = link.id JOIN message ON message.id = link.id
      ORDER BY link.id DESC)");
  auto read = select.bind(id).forEach([&](const Statement& row) {
    Link link{.id = row.number(0),
              .baseId = row.number(1),
              .numShared = row.number(2),
              .own = row.get<QList<qint32>>(3)};
    link.promptEnd = link.own.size();
    if (withAnswer || link.id != id) link.own += row.get<QList<qint32>>(4);
    links.append(std::move(link));
  });
  if (!read) return read.error();
  return links;
}

/// The prompt of the first link, with its answer if `withAnswer`. Memory is allocated only for
/// tokens that the links hold, never by a number from the file.
Result<QList<qint32>> assemble(const QList<Link>& links, bool withAnswer) {
  constexpr qint64 kMaxTokens = std::numeric_limits<qint32>::max();
  const RecordId id = links.first().id;
  QList<QList<qint32>> parts;
  qint64 wanted = -1;  // How many leading tokens of the link's sequence are needed; -1 at first.
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

/// A message's prompt and answer; empty if they cannot be read, in which case nothing is shared.
QList<qint32> sequenceOf(const Database& database, RecordId id) {
  const auto links = readLinks(database, id, /*withAnswer=*/true);
  if (!links || links->isEmpty()) return {};
  auto tokens = assemble(*links, /*withAnswer=*/true);
  return tokens ? *tokens : QList<qint32>();
}

/// The previous version of the answer and the nearest answer above it that have an origin.
Result<QList<RecordId>> candidates(const Database& database, const MessageRecord& answer) {
  QList<RecordId> ids;
  const auto add = [&](const Statement& row) { ids.append(row.number(0)); };
  Statement sibling(database,
                    "SELECT id FROM message JOIN answer_origin ON message_id = id "
                    "WHERE chat_id = ? AND parent_id IS ? AND id < ? ORDER BY id DESC LIMIT 1");
  sibling.bind(answer.chatId).bind(Reference{answer.parentId}).bind(answer.id);
  if (auto read = sibling.forEach(add); !read) return read.error();
  Statement above(database, R"(
      WITH RECURSIVE up (id, parent) AS (
        SELECT id, parent_id FROM message WHERE id = ? AND chat_id = ?
        UNION ALL
        SELECT message.id, parent_id FROM message
          JOIN up ON message.id = up.parent AND message.id < up.id)
      SELECT id FROM up JOIN answer_origin ON message_id = id WHERE id < ? LIMIT 1)");
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

/// The whole prompt, checked by its hash: a changed answer changes the prompts that are built on
/// it.
Result<QList<qint32>> readPrompt(const Database& database, RecordId messageId,
                                 const QByteArray& promptHash) {
  const auto links = readLinks(database, messageId, /*withAnswer=*/false);
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
  if (!*answer || !origin || !*origin) return {};  // A damaged origin is not copied.
  return put(database, **answer, **origin);
}

/// Copies the row of an origin. If its base has no copy, the prompt is stored anew.
Result<void> copyOne(const Database& database, RecordId from, RecordId to,
                     const QHash<RecordId, RecordId>& copyOf) {
  auto origin = readStored(database, from);
  if (!origin) return origin.error();
  if (!*origin) return {};
  RecordId& base = (*origin)->baseId;
  if (base != 0 && !copyOf.contains(base)) return copyWhole(database, from, to);
  base = copyOf.value(base, 0);
  (*origin)->messageId = to;
  return putRecord(database, **origin);
}

}  // namespace

Result<void> put(const Database& database, const MessageRecord& answer,
                 const OriginRecord& origin) {
  const auto base = findBase(database, answer, origin.promptTokens);
  if (!base) return base.error();
  return putRecord(database, StoredOrigin{.messageId = answer.id,
                                          .templateHash = origin.templateHash,
                                          .sampling = {samplingToJson(origin.sampling)},
                                          .end = static_cast<int>(origin.end),
                                          .deviceName = origin.deviceName,
                                          .baseId = base->id,
                                          .numShared = base->numShared,
                                          .rest = origin.promptTokens.sliced(base->numShared),
                                          .promptHash = hashOf(origin.promptTokens),
                                          .adapterPath = origin.adapterPath});
}

Result<std::optional<OriginRecord>> read(const Database& database, RecordId messageId) {
  const auto stored = readStored(database, messageId);
  if (!stored) return stored.error();
  if (!*stored) return std::optional<OriginRecord>();
  const auto sampling = samplingFromJson((*stored)->sampling.text);
  if (!sampling) {
    return Error{sampling.error().code,
                 "Message " + std::to_string(messageId) + ": " + sampling.error().message};
  }
  auto prompt = readPrompt(database, messageId, (*stored)->promptHash);
  if (!prompt) return prompt.error();
  return std::optional(OriginRecord{.templateHash = (*stored)->templateHash,
                                    .sampling = *sampling,
                                    .promptTokens = std::move(*prompt),
                                    .end = endFrom((*stored)->end),
                                    .deviceName = (*stored)->deviceName,
                                    .adapterPath = (*stored)->adapterPath});
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
    const auto dependents =
        Statement(database, "SELECT message_id FROM answer_origin WHERE prompt_base_id = ?")
            .bind(id)
            .all<QList<RecordId>>();
    if (!dependents) return dependents.error();
    for (const RecordId dependent : *dependents) {
      if (leaving.contains(dependent)) continue;
      const auto message = message_table::readOne(database, dependent);
      if (!message) return message.error();
      auto origin = read(database, dependent);
      // A damaged origin is lost, and does not prevent the removal.
      if (*message && origin && *origin) kept.append({**message, **origin});
    }
  }
  return kept;
}

Result<std::optional<StoredOrigin>> readStored(const Database& database, RecordId messageId) {
  return firstOf(readRecords<StoredOrigin>(database, "WHERE message_id = ?", messageId));
}

}  // namespace quire::origin_table
