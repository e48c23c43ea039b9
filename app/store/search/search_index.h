#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::search_index {

/// The full-text index of finished messages and of titles (schema.cpp, version 4), kept in the
/// transactions that change them. The text itself is not in it; it stands in the messages. An index
/// that turns out to be damaged is thrown away and built again: it never keeps a message from being
/// stored. Errors: those of the database, a full disk's above all.

/// Enters a stored message, unless it is being written or in the index already.
Result<void> add(const Database& database, RecordId messageId);
/// Takes a message out, before its text changes.
Result<void> remove(const Database& database, RecordId messageId);
Result<void> putTitle(const Database& database, RecordId chatId, const QString& title);

/// Before a message, or a chat with its messages and title, is removed: what the index has of them
/// is cleared away in slices of maintain(), because that takes time in proportion to their text.
/// Until then it is not found.
Result<void> markStale(const Database& database, RecordId messageId, RecordId chatId);
Result<void> markChatStale(const Database& database, RecordId chatId);
/// The first of these slices, at the end of the transaction that removed: all of a short chat.
Result<void> clearSomeStale(const Database& database);

/// One slice of what there is to do in the background, in a transaction of its own: clearing away
/// what was removed; entering what was there before the index, newest first. True: there is more.
Result<bool> maintain(const Database& database);

/// False while older messages are still being entered.
Result<bool> isComplete(const Database& database);

}  // namespace quire::search_index
