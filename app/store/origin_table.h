#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::origin_table {

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
  QString sampling;  ///< JSON, see sampling_json.h.
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

}  // namespace quire::origin_table
