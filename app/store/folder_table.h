#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::folder_table {

Result<QList<FolderRecord>> readAll(const Database& database);  ///< By position, then age.
Result<void> put(const Database& database, const FolderRecord& folder);
Result<void> remove(const Database& database, RecordId id);  ///< Its chats stay, without one.

}  // namespace quire::folder_table
