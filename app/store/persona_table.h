#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace quire::persona_table {

Result<QList<PersonaRecord>> readAll(const Database& database);  ///< By position, then age.
Result<void> put(const Database& database, const PersonaRecord& persona);
Result<void> remove(const Database& database, RecordId id);

}  // namespace quire::persona_table
