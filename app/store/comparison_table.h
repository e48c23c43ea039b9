#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::comparison_table {

/// The answers of a chat that stand side by side, in their order; empty: none do.
Result<QList<ComparedAnswer>> read(const Database& database, RecordId chatId);
/// In the place of those before. An answer that is not there any more is left out.
Result<void> put(const Database& database, RecordId chatId, const QList<ComparedAnswer>& answers);

}  // namespace quire::comparison_table
