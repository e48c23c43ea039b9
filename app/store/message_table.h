#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

/// Messages, and their text in the full-text index. The caller begins a transaction for insert,
/// finish and remove.
namespace quire::message_table {

Result<QList<MessageRecord>> readChat(const Database& database,
                                      RecordId chatId);  ///< Oldest first.
Result<std::optional<MessageRecord>> readOne(const Database& database, RecordId id);
/// The answers of a chat, or of all chats for 0, that are no longer being written; oldest first.
Result<QList<RecordId>> readAnswerIds(const Database& database, RecordId chatId);
Result<void> insert(const Database& database, const MessageRecord& message);

/// Errors: kNotFound if the message was removed, or is no longer streaming.
Result<void> checkpoint(const Database& database, RecordId id, const QString& text,
                        const QList<qint32>& tokens);
/// Errors: kNotFound if the message was removed.
Result<void> finish(const Database& database, const MessageRecord& answer);

/// Removes messages of one chat; `ids` must include all messages below them. If the chat's head is
/// removed, the nearest message above that stays becomes its head. Errors: kInvalidArgument (at the
/// end of the transaction) if the parent of a message that stays is removed.
Result<void> remove(const Database& database, RecordId chatId, const QList<RecordId>& ids);

/// Marks the answers that were streaming when the last process ended; one transaction.
Result<void> interruptStreaming(const Database& database);

}  // namespace quire::message_table
