#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::attachment_table {

Result<QList<AttachmentRecord>> readChat(const Database& database,
                                         RecordId chatId);  ///< In the order they were added.
Result<void> insert(const Database& database, const AttachmentRecord& attachment);

}  // namespace quire::attachment_table
