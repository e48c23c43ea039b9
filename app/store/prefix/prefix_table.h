#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/store/prefix/prefix_catalog.h"
#include "app/store/prefix/prefix_key.h"
#include "app/store/sqlite/database.h"

namespace quire {

/// The rows of the prefix database. Every block carries a tag of the database's key over its key,
/// parent, tokens and payload (prefix_key.h). Errors: those of openPrefixFile().
/// Thread: one at a time.
class PrefixTable {
 public:
  /// Errors: also those of PrefixKey::ofFile(); kCorruptFile if there are blocks but no key.
  static Result<std::unique_ptr<PrefixTable>> open(const std::filesystem::path& path, int maxPages);

  struct Contents {
    PrefixCatalog catalog;
    std::vector<int64_t> useless;  ///< Rows without an owner or with invalid values.
  };
  Result<Contents> readAll();

  Result<void> transaction(const std::function<Result<void>()>& body) {
    return m_file->transaction(body);
  }

  /// The new row's id; 0 if the key exists (another process wrote it).
  Result<int64_t> insert(const StoredBlock& block, int64_t used);
  /// Nothing if the row does not exist, or was not written with this key.
  Result<std::optional<StoredBlock>> read(int64_t row, const BlockKey& key);
  Result<void> remove(int64_t row);
  Result<void> markUsed(int64_t row, int64_t used);
  Result<void> addOwner(int64_t row, const PrefixOwner& owner);
  Result<void> removeOwner(const PrefixOwner& owner);

  /// SQLite's own check, which reads the whole file. Errors: also kCorruptFile.
  Result<void> checkStructure();
  /// See Database.
  bool truncateLog() { return m_file->truncateLog(); }
  /// Returns free pages to the disk if many are free; true if there may be more to do.
  Result<bool> freePages();

 private:
  PrefixTable(std::unique_ptr<Database> file, const PrefixKey& key);
  std::unique_ptr<Database> m_file;  ///< Closed after the statements are gone.
  PrefixKey m_key;
  Statement m_insertBlock;
  Statement m_insertPayload;
  Statement m_select;
  Statement m_delete;
  Statement m_update;
  Statement m_insertOwner;
  Statement m_deleteOwner;
};

}  // namespace quire
