#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

/// Messages, and their words in the full-text index: insert, finish and remove want a transaction
/// around them.
namespace quire::message_table {

Result<QList<MessageRecord>> readChat(const Database& database,
                                      RecordId chatId);  ///< Oldest first.
Result<std::optional<MessageRecord>> readOne(const Database& database, RecordId id);
/// The answers of a chat, or of all for 0, that are no longer being written; oldest first.
Result<QList<RecordId>> readAnswerIds(const Database& database, RecordId chatId);
Result<void> insert(const Database& database, const MessageRecord& message);

/// Errors: kNotFound if the message is gone, or no longer streaming.
Result<void> checkpoint(const Database& database, RecordId id, const QString& text,
                        const QList<qint32>& tokens);
/// Errors: kNotFound if the message is gone.
Result<void> finish(const Database& database, const MessageRecord& answer);

/// Removes messages of one chat, which must be all that stand below them too, and heads the chat to
/// what is left: if its head goes, to the nearest message above that stays. Errors:
/// kInvalidArgument (at the end of the transaction) if a message that stays has a parent that goes.
Result<void> remove(const Database& database, RecordId chatId, const QList<RecordId>& ids);

/// Marks the answers that were streaming when the last process died, in a transaction of its own.
Result<void> interruptStreaming(const Database& database);

}  // namespace quire::message_table
