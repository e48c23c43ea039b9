#pragma once

#include <QString>

#include <span>

#include "app/store/database.h"

namespace quire {

/// "Quir", in the file's header (bytes 68 to 71): tells Quire's databases from others'.
inline constexpr int kApplicationId = 0x51756972;

/// The statements that lead from the version before to this one. A migration that has been in a
/// release never changes again; the next change is the next migration.
struct Migration {
  std::span<const char* const> statements;
};

/// All of them; migration i makes version i + 1 (PRAGMA user_version).
std::span<const Migration> schemaMigrations();

/// Make the full-text index anew, empty, with everything still to be entered.
std::span<const char* const> searchIndexStatements();

/// kUnsupported if the file was written by a Quire that knows more migrations.
Result<void> checkSchemaVersion(const Database& database);

/// Brings the file to the newest version, each migration in a transaction of its own with a check
/// of all references at its end; a migration that fails leaves the version before. Must be called
/// with foreign keys off, so that tables may be rebuilt.
Result<void> migrate(const Database& database,
                     std::span<const Migration> migrations = schemaMigrations());

/// Lets a connection that only reads see an older version's file as if it were migrated, with what
/// it lacks empty.
Result<void> readAsNewest(const Database& database);

}  // namespace quire
