#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

/// Chats, and their titles in the full-text index: writing wants a transaction around it.
namespace quire::chat_table {

Result<QList<ChatRecord>> readAll(const Database& database);  ///< Last active first.
Result<std::optional<ChatRecord>> readOne(const Database& database, RecordId id);
/// A persona or folder that no longer exists is stored as none: a chat is never refused for it.
Result<void> put(const Database& database, const ChatRecord& chat);
Result<void> remove(const Database& database, RecordId id);  ///< Its messages go with it.

/// The answers of a chat that stand side by side, in their order; empty: none do.
Result<QList<ComparedAnswer>> readComparison(const Database& database, RecordId chatId);
/// In the place of those before. An answer that is gone by now is left out.
Result<void> putComparison(const Database& database, RecordId chatId,
                           const QList<ComparedAnswer>& answers);

/// The files that wait in a chat's composer; chat 0: in the composer to all panes.
Result<QList<AttachmentRecord>> readDraftFiles(const Database& database, RecordId chatId);
Result<void> putDraftFiles(const Database& database, RecordId chatId,
                           const QList<AttachmentRecord>& files);

}  // namespace quire::chat_table
