#pragma once

#include "app/store/database.h"
#include "app/store/fields.h"

namespace quire {

namespace origin_table {

/// Stores the origin of a finished answer, whose message is stored already. Of its prompt only the
/// difference from an earlier sequence (prompt and answer) is stored: that of the previous version
/// (a regenerated answer has the same prompt), or of the nearest answer above it in its branch,
/// whichever shares more.
Result<void> put(const Database& database, const MessageRecord& answer, const OriginRecord& origin);

/// None if the message has no origin.
/// Errors: kCorruptFile, kUnsupported; they name the message and what is wrong with it.
Result<std::optional<OriginRecord>> read(const Database& database, RecordId messageId);

/// Copies origins to answers that are copies: `copiedFrom` maps the new ids to the old ones, and
/// prompts are shared in the same way. All these messages must be stored already.
Result<void> copy(const Database& database, const QHash<RecordId, RecordId>& copiedFrom);

/// The origins that are built on one of `ids` but do not belong to them. The caller reads them
/// before it removes `ids`, and puts them again afterwards.
Result<QList<std::pair<MessageRecord, OriginRecord>>> builtOn(const Database& database,
                                                              const QList<RecordId>& ids);

/// A row: the prompt is the first `numShared` tokens of another message's sequence, then `rest`.
struct StoredOrigin {
  RecordId messageId = 0;
  QString templateHash;
  JsonText sampling;  ///< See samplingToJson().
  int end = 0;
  QString deviceName;
  RecordId baseId = 0;
  qint64 numShared = 0;
  QList<qint32> rest;
  QByteArray promptHash;
  QString adapterPath;
};

Result<std::optional<StoredOrigin>> readStored(const Database& database, RecordId messageId);

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
      Field{"adapter", "adapter", &R::adapterPath},
  };
};

}  // namespace quire
