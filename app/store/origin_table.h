#pragma once

#include "app/store/database.h"
#include "app/store/fields.h"

namespace quire {

namespace origin_table {

/// Keeps what a finished answer, whose message is there, was made from. Of its prompt only what
/// differs from an earlier answer's prompt and tokens is written: of the version before it (a
/// regenerated answer has the same prompt) or of the nearest answer above it in its branch,
/// whichever shares more.
Result<void> put(const Database& database, const MessageRecord& answer, const OriginRecord& origin);

/// None if the message has no origin, or the file is from before origins were kept.
/// Errors: kCorruptFile, kUnsupported; they name the message and what is wrong with it.
Result<std::optional<OriginRecord>> read(const Database& database, RecordId messageId);

/// Gives answers that are copies of others (by their new id) the same origins, prompts shared in
/// the same way. The messages must be there already, and those copied from too.
Result<void> copy(const Database& database, const QHash<RecordId, RecordId>& copiedFrom);

/// The origins of those that stay when `ids` are removed, but are built on one that goes: read
/// before the removal, to be put again after it.
Result<QList<std::pair<MessageRecord, OriginRecord>>> builtOn(const Database& database,
                                                              const QList<RecordId>& ids);

/// An origin as the file keeps it: its prompt is so much of another message's sequence, and a rest.
struct StoredOrigin {
  RecordId messageId = 0;
  QString templateHash;
  JsonText sampling;  ///< As of samplingToJson().
  int end = 0;
  QString deviceName;
  RecordId baseId = 0;
  qint64 numShared = 0;
  QList<qint32> rest;
  QByteArray promptHash;
};

Result<std::optional<StoredOrigin>> readStored(const Database& database, RecordId messageId);
/// What does not fit together is found when it is read.
Result<void> putStored(const Database& database, RecordId messageId, const StoredOrigin& origin);

}  // namespace origin_table

template <>
struct Fields<origin_table::StoredOrigin> {
  using R = origin_table::StoredOrigin;
  static constexpr const char* kTable = "answer_origin";
  static constexpr auto kAll = std::tuple{
      Field{"message_id", nullptr, &R::messageId},
      Field{"template_hash", "template_hash", &R::templateHash},
      Field{"sampling", "sampling", &R::sampling},
      Field{"answer_end", "end", &R::end},
      Field{"device_name", "device", &R::deviceName},
      Field{"prompt_base_id", "prompt_base", &R::baseId, kReference},
      Field{"prompt_shared", "prompt_shared", &R::numShared},
      Field{"prompt_rest", "prompt_rest", &R::rest},
      Field{"prompt_hash", "prompt_sha256", &R::promptHash},
  };
};

}  // namespace quire
