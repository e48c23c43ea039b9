#pragma once

#include <QString>

#include <span>

#include "app/store/database.h"

namespace quire {

/// "Quir", in the file's header (bytes 68 to 71): tells Quire's databases from others'.
inline constexpr int kApplicationId = 0x51756972;

/// The statements that change a file of the previous version into one of this version. A migration
/// that was released never changes; each later change is a new migration.
struct Migration {
  std::span<const char* const> statements;
};

/// All migrations; migration i makes version i + 1 (PRAGMA user_version).
std::span<const Migration> schemaMigrations();

/// Statements that make a new, empty full-text index and mark everything as still to be entered.
std::span<const char* const> searchIndexStatements();

/// kUnsupported if the file was written by a Quire that knows more migrations.
Result<void> checkSchemaVersion(const Database& database);

/// Migrates the file to the newest version. Each migration is one transaction and ends with a check
/// of all references; a migration that fails leaves the previous version. Foreign keys must be off,
/// so that tables can be rebuilt.
Result<void> migrate(const Database& database,
                     std::span<const Migration> migrations = schemaMigrations());

/// Lets a connection that only reads see a file of an older version as if it were migrated; tables
/// and columns that the file lacks are empty.
Result<void> readAsNewest(const Database& database);

}  // namespace quire
