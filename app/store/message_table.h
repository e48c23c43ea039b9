#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::message_table {

Result<QList<MessageRecord>> readChat(const Database& database,
                                      RecordId chatId);  ///< Oldest first.
Result<void> insert(const Database& database, const MessageRecord& message);

/// Errors: kNotFound if the message is gone, or no longer streaming.
Result<void> checkpoint(const Database& database, RecordId id, const QString& text,
                        const QList<qint32>& tokens);
/// Errors: kNotFound if the message is gone.
Result<void> finish(const Database& database, const MessageRecord& answer);

/// Marks the answers that were streaming when the last process died.
Result<void> interruptStreaming(const Database& database);

}  // namespace quire::message_table
