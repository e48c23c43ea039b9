#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/store/prefix/prefix_table.h"

namespace quire {

/// Bytes of keys and values that may be kept, rows' own bytes aside. 0 keeps none.
struct PrefixBudgets {
  uint64_t personaBytes = uint64_t{1} << 30;
  uint64_t chatBytes = uint64_t{1} << 30;

  uint64_t of(PrefixOwner::Kind kind) const {
    return kind == PrefixOwner::Kind::kPersona ? personaBytes : chatBytes;
  }
};

// What is to be written, in order.
struct SaveBlock {
  StoredBlock block;
  PrefixOwners owners;
};
struct TouchBlocks {
  std::vector<BlockKey> keys;
  PrefixOwner owner;
};
struct DiscardBlock {
  BlockKey key;
};
struct ForgetOwner {
  PrefixOwner owner;
};
struct KeepOwners {
  PrefixOwners owners;  ///< All others are forgotten.
};
using PrefixCommand =
    std::variant<SaveBlock, TouchBlocks, DiscardBlock, ForgetOwner, KeepOwners, PrefixBudgets>;

/// The background thread's side of the prefix database: the file, the catalog of what is in it, and
/// what to do when one of them is in trouble.
///
/// Thread: one at a time.
/// Invariants: the catalog says what is committed in the file, as far as only this process writes.
class PrefixKeeper {
 public:
  struct Options {
    std::filesystem::path path;
    PrefixBudgets budgets;
    int maxPages = 0;
    bool mayReplaceAny = false;                        ///< As of PrefixDatabaseOptions.
    std::function<void(const std::string& line)> log;  ///< One call for each kind of trouble.
  };

  explicit PrefixKeeper(Options options);

  /// Opens the file if it is not; one of ours that is unusable makes way for a new one, any other
  /// is left as it is. False: there is no file to work with.
  bool open();
  bool isOpen() const { return m_table != nullptr; }

  /// All in one transaction; false if nothing of it was written.
  bool write(std::span<const PrefixCommand> commands);

  /// The leading keys that can be read, as far as there is memory for them. One that is damaged is
  /// deleted.
  std::vector<StoredBlock> read(std::span<const BlockKey> keys);

  /// Does some of what need not be done at once: frees space after deletions; looks whether a
  /// file that held a damaged block is sound, and replaces it if not.
  void tidy();
  bool isUntidy() const { return m_untidy || m_suspect; }

  const PrefixCatalog& catalog() const { return m_catalog; }

  /// What has changed in the catalog since the last call.
  struct Changes {
    bool all = false;                             ///< What was there before is not there any more.
    std::vector<std::pair<BlockKey, bool>> keys;  ///< In order; true: it is there now.
  };
  Changes takeChanges() { return std::exchange(m_changes, {}); }

 private:
  enum class Trouble { kOpen, kReplaced, kWrite, kRead, kDamagedBlock };

  Result<void> load();
  Result<void> removeFile() const;
  bool replace(const Error& error);
  void forgetAll();
  void recover(const Error& error, Trouble trouble);
  void suspect() { m_suspect = !m_sound; }
  void report(Trouble trouble, const std::string& line);
  std::optional<StoredBlock> readOne(const BlockKey& key);

  Result<void> apply(const SaveBlock& command);
  Result<void> apply(const TouchBlocks& command);
  Result<void> apply(const DiscardBlock& command);
  Result<void> apply(const ForgetOwner& command);
  Result<void> apply(const KeepOwners& command);
  Result<void> apply(const PrefixBudgets& command);

  PrefixOwners withBudget(const PrefixOwners& owners) const;
  Result<bool> makeRoom(PrefixOwner::Kind kind, uint64_t bytes, int64_t before);
  Result<void> trim();
  Result<void> use(const BlockKey& key);
  Result<void> own(const BlockKey& key, const PrefixOwners& owners);
  Result<void> remove(const BlockKey& key);

  const Options m_options;
  PrefixBudgets m_budgets;
  std::unique_ptr<PrefixTable> m_table;  ///< Null: not open.
  PrefixCatalog m_catalog;
  Changes m_changes;
  int64_t m_now = 0;       ///< Counts transactions; what happens in one happens at once.
  bool m_untidy = false;   ///< Something was deleted.
  bool m_suspect = false;  ///< Something is damaged, so that the whole file is to be looked at.
  bool m_sound = false;    ///< It was looked at as a whole, and only blocks are damaged.
  std::set<Trouble> m_reported;
};

}  // namespace quire
