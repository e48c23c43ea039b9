#pragma once

#include <functional>

#include "app/store/sqlite/database.h"

namespace quire {

/// Runs `check`, which reads the schema of a file that is not trusted yet, within limits that the
/// schemas of Quire's files keep by far. SQLite takes time in proportion to the square of the
/// number of entries: 200,000 views in a file of 12 MB keep it busy for minutes. And it evaluates
/// the generated columns of a table of statistics while it reads the schema, before anyone can look
/// at it, with functions that nothing interrupts. Errors: those of `check`; `beyond` past the
/// limits.
Result<void> withinSchemaLimits(const Database& database, const Error& beyond,
                                const std::function<Result<void>()>& check);

}  // namespace quire
