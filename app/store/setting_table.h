#pragma once

#include "app/store/database.h"

namespace quire::setting_table {

Result<std::optional<QString>> read(const Database& database, const QString& key);
Result<void> put(const Database& database, const QString& key, const QString& value);

}  // namespace quire::setting_table
