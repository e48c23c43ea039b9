#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/store/database.h"

namespace quire {

/// Compares the tables and indices of the file with those that its version (PRAGMA user_version)
/// has, before anything is selected from them: a view or a trigger in a forged file could run for
/// ever or change other rows. Reads nothing but the schema. The version is one that
/// checkSchemaVersion() accepts.
/// Errors: kCorruptFile, naming the first entry that differs.
Result<void> checkSchema(const Database& database);

/// Runs `check`, which reads the schema of a file that is not trusted yet, within limits
/// (sqlite/schema_limits.h). Errors: those of `check`; kCorruptFile beyond the limits.
Result<void> checkFileWithinLimits(const Database& database,
                                   const std::function<Result<void>()>& check);

/// The statement in a form that does not depend on who wrote it: without comments, and without
/// white space and double quotes that mean nothing.
std::string plainSql(std::string_view sql);

}  // namespace quire
