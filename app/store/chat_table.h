#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

/// Chats, and their titles in the full-text index. The caller begins a transaction for writing.
namespace quire::chat_table {

Result<QList<ChatRecord>> readAll(const Database& database);  ///< Last active first.
Result<std::optional<ChatRecord>> readOne(const Database& database, RecordId id);
/// A persona or folder that no longer exists is stored as none.
Result<void> put(const Database& database, const ChatRecord& chat);
Result<void> remove(const Database& database, RecordId id);  ///< Its messages go with it.

/// The answers of a chat that are being compared, in their order; empty if there are none.
Result<QList<ComparedAnswer>> readComparison(const Database& database, RecordId chatId);
/// Replaces the previous ones. An answer that no longer exists is left out.
Result<void> putComparison(const Database& database, RecordId chatId,
                           const QList<ComparedAnswer>& answers);

/// The files in a chat's composer; for chat 0 those in the composer to all panes.
Result<QList<AttachmentRecord>> readDraftFiles(const Database& database, RecordId chatId);
Result<void> putDraftFiles(const Database& database, RecordId chatId,
                           const QList<AttachmentRecord>& files);

/// The unsaved edit of a chat's message; of no message if there is none.
Result<MessageEdit> readEdit(const Database& database, RecordId chatId);
/// Replaces it; of message 0: removes it. Does nothing else if the message no longer exists.
Result<void> putEdit(const Database& database, RecordId chatId, const MessageEdit& edit);

}  // namespace quire::chat_table
