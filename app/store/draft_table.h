#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::draft_table {

// The files that wait in a chat's composer; chat 0: in the composer to all panes. Only their text
// is kept, as of those of a sent message; they have no ids of their own.

Result<QList<AttachmentRecord>> readFiles(const Database& database, RecordId chatId);
Result<void> putFiles(const Database& database, RecordId chatId,
                      const QList<AttachmentRecord>& files);

}  // namespace quire::draft_table
