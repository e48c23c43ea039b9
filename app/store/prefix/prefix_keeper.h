#pragma once

#include <chrono>
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

/// The bytes of keys and values that may be stored, without the rows' overhead. 0 stores none.
struct PrefixBudgets {
  uint64_t personaBytes = uint64_t{1} << 30;
  uint64_t chatBytes = uint64_t{1} << 30;

  uint64_t of(PrefixOwner::Kind kind) const {
    return kind == PrefixOwner::Kind::kPersona ? personaBytes : chatBytes;
  }
};

struct PrefixDatabaseOptions {
  std::filesystem::path path;  ///< Of the file; it and its folder are made if missing.
  PrefixBudgets budgets;
  size_t maxQueuedBytes = size_t{256} << 20;  ///< Of blocks that wait to be written.
  std::chrono::milliseconds closeTime{2000};  ///< The destructor drops blocks not written by then.
  std::chrono::milliseconds pauseTime{60'000};  ///< Between a failure and the next write.
  int maxPages = 0;  ///< Of 16 KiB, to simulate a full disk in tests; 0: no limit.
  /// The path is the application's own (prefix.db in its data folder), so that any file there may
  /// be replaced. False for a path that the user typed.
  bool mayReplaceAny = false;
  /// One call for each kind of failure, on any thread; stderr if empty.
  std::function<void(const std::string& line)> log = {};
};

// The changes that are queued for writing, in order.
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
  PrefixOwners owners;  ///< All other owners are forgotten.
};
using PrefixCommand =
    std::variant<SaveBlock, TouchBlocks, DiscardBlock, ForgetOwner, KeepOwners, PrefixBudgets>;

/// The part of the prefix database that runs on its thread: the file, the catalog of its content,
/// and the recovery from failures.
///
/// Thread: one at a time.
/// Invariants: the catalog equals what is committed in the file, unless another process writes.
class PrefixKeeper {
 public:
  explicit PrefixKeeper(PrefixDatabaseOptions options)
      : m_options(std::move(options)), m_budgets(m_options.budgets) {}

  /// Opens the file unless it is open. An unusable file of ours is replaced by a new one, any other
  /// is left unchanged. False if no file is open.
  bool open();
  bool isOpen() const { return m_table != nullptr; }

  /// Writes all commands in one transaction; false if that failed.
  bool write(std::span<const PrefixCommand> commands);

  /// The blocks of the leading keys that can be read and fit into memory. A damaged block is
  /// deleted.
  std::vector<StoredBlock> read(std::span<const BlockKey> keys);

  /// Does some deferred work: frees space after deletions, and checks a file that held a damaged
  /// block, which it replaces if the file itself is damaged.
  void tidy();
  bool isUntidy() const { return m_untidy || m_suspect; }

  const PrefixCatalog& catalog() const { return m_catalog; }

  /// The changes of the catalog since the last call.
  struct Changes {
    bool all = false;                             ///< All earlier keys were removed first.
    std::vector<std::pair<BlockKey, bool>> keys;  ///< In order; true: added, false: removed.
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

  const PrefixDatabaseOptions m_options;
  PrefixBudgets m_budgets;
  std::unique_ptr<PrefixTable> m_table;  ///< Null if not open.
  PrefixCatalog m_catalog;
  Changes m_changes;
  int64_t m_now = 0;       ///< The number of the transaction, which serves as the time of use.
  bool m_untidy = false;   ///< Something was deleted.
  bool m_suspect = false;  ///< Something is damaged, so that the whole file must be checked.
  bool m_sound = false;    ///< The whole file was checked: only blocks are damaged.
  std::set<Trouble> m_reported;
};

}  // namespace quire
