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

}  // namespace quire::chat_table
