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
/// Takes a message out, before its text changes or it goes.
Result<void> remove(const Database& database, RecordId messageId);
Result<void> removeChat(const Database& database, RecordId chatId);  ///< Its messages and title.
Result<void> putTitle(const Database& database, RecordId chatId, const QString& title);

/// Takes what was removed out of the index's files too, in slices of tend().
Result<void> wantPurge(const Database& database);

/// One slice of what there is to do in the background, in a transaction of its own: entering what
/// was there before the index, newest first; clearing away what was removed. True: there is more.
Result<bool> tend(const Database& database);

/// False while older messages are still being entered.
Result<bool> isComplete(const Database& database);

}  // namespace quire::search_index
