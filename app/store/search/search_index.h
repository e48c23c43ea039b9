#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::search_index {

/// The full-text index of finished messages and of titles (schema.cpp, version 4), which is updated
/// in the transactions that change them. The index does not contain the text of the messages. A
/// damaged index is deleted and built again, so that it never prevents a message from being stored.
/// Errors: those of the database, usually a full disk.

/// Enters a stored message, unless it is being written or is in the index already.
Result<void> add(const Database& database, RecordId messageId);
/// Removes a message from the index; called before its text changes.
Result<void> remove(const Database& database, RecordId messageId);
/// Enters the title of a stored chat.
Result<void> putTitle(const Database& database, RecordId chatId);

/// Called before a message, or a chat with its messages and title, is removed. A search no longer
/// finds them; maintain() removes their entries in slices, which takes time in proportion to their
/// text.
Result<void> markStale(const Database& database, RecordId messageId, RecordId chatId);
Result<void> markChatStale(const Database& database, RecordId chatId);
/// Runs the first of these slices at the end of a removing transaction; a short chat needs no more.
Result<void> clearSomeStale(const Database& database);

/// Runs one slice of the background work in its own transaction: removes stale entries, and enters
/// messages that are older than the index, newest first. True if there is more.
Result<bool> maintain(const Database& database);

/// False while older messages are still being entered.
Result<bool> isComplete(const Database& database);

}  // namespace quire::search_index
