#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "app/store/prefix/prefix_keeper.h"

namespace quire {

struct PrefixDatabaseOptions {
  std::filesystem::path path;  ///< Of the file; it and its folder are made if missing.
  PrefixBudgets budgets;
  size_t maxQueuedBytes = size_t{256} << 20;  ///< Of blocks that wait to be written.
  std::chrono::milliseconds closeTime{2000};  ///< The destructor drops blocks not written by then.
  std::chrono::milliseconds pauseTime{60'000};  ///< After a failure, before writing is tried again.
  int maxPages = 0;  ///< Of 16 KiB, for tests: a disk that is full; 0: none.
  /// The path is the application's own (prefix.db in its data folder): whatever is there is ours
  /// and may be replaced. Not for a path that someone typed.
  bool mayReplaceAny = false;
  std::function<void(const std::string& line)> log = {};  ///< Any thread; stderr if not given.
};

/// The PrefixStore on SQLite, in a file that may be deleted at any time. Opening, reading and
/// writing are done on a thread of its own, reading first; until the file is open nothing counts as
/// stored. Trouble (a damaged, foreign or locked file, a full disk) is said once in the log: a file
/// of ours (without content, or with our application id in its header) that is no use is replaced,
/// any other is left as it is and nothing is kept; after a failure to write saving rests, and
/// reading goes on.
///
/// Over a budget what was used longest ago goes first; a block counts as used whenever one that
/// stands on it is, so that chains lose their tails first. A chain that is larger than its budget
/// keeps its head. Blocks with a persona among their owners are charged to the personas.
///
/// Thread: any.
/// Invariants: as of PrefixStore; nothing of an owner is written after forget() for it returned and
/// the queue before it was worked off.
class PrefixDatabase final : public PrefixStore {
 public:
  explicit PrefixDatabase(PrefixDatabaseOptions options);
  /// Writes what is queued, within closeTime; forgetting is always done.
  ~PrefixDatabase() override;

  int count_stored(std::span<const BlockKey> keys) const override;
  void fetch(uint64_t ticket, std::vector<BlockKey> keys) override;
  std::vector<Fetched> take_fetched(std::chrono::milliseconds wait) override;
  bool wants(const PrefixOwner& owner) const override;
  void save(StoredBlock block, const PrefixOwner& owner) override;
  void touch(std::vector<BlockKey> keys, const PrefixOwner& owner) override;
  void discard(const BlockKey& key) override;
  uint64_t stored_bytes() const override;

  /// Its chat or persona is gone: deletes what nobody else owns, queued or stored, and takes
  /// nothing for it any more.
  void forget(const PrefixOwner& owner);
  /// Forgets all that is stored for anybody else; for the start, in case a forget() was cut short.
  void keepOnly(PrefixOwners owners);
  void setBudgets(const PrefixBudgets& budgets);

  /// Waits until the file was opened and all that is queued was tried. False if time ran out.
  bool flush(std::chrono::milliseconds timeout);

  struct Stats {
    int blocks = 0;
    uint64_t personaBytes = 0;
    uint64_t chatBytes = 0;
    size_t queuedBytes = 0;
  };
  Stats stats() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Queue = std::list<PrefixCommand>;
  struct Fetch {
    uint64_t ticket = 0;
    std::vector<BlockKey> keys;
  };

  // On the background thread; those with a lock have it held before and after.
  using Lock = std::unique_lock<std::mutex>;
  void run();
  void openFile(Lock& lock);
  void serveFetch(Lock& lock);
  void writeBatch(Lock& lock);
  void tidyUp(Lock& lock);
  bool mayWrite() const;
  Queue takeBatch();
  void noteChanges();

  // Needing m_mutex.
  bool takes(const PrefixOwner& owner) const;
  void enqueue(PrefixCommand command);
  template <typename IsDropped>
  void dropIf(const IsDropped& isDropped);
  void dropQueued(const PrefixOwner& owner);
  void dropQueuedBlocks();
  void unqueue(const PrefixCommand& command);

  const PrefixDatabaseOptions m_options;
  PrefixKeeper m_keeper;  ///< Touched by the background thread only.

  mutable std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable m_changed;
  std::unordered_set<BlockKey, BlockKeyHash> m_stored;
  Queue m_queue;
  std::unordered_map<BlockKey, Queue::iterator, BlockKeyHash> m_queuedBlocks;
  size_t m_queuedBytes = 0;
  std::deque<Fetch> m_fetches;
  size_t m_openFetches = 0;  ///< Asked for and not yet in m_fetched.
  std::vector<Fetched> m_fetched;
  PrefixOwners m_forgotten;
  PrefixBudgets m_budgets;
  Stats m_stats;
  Clock::time_point m_writeAfter;  ///< Writing rests until then.
  bool m_untidy = false;
  bool m_opened = false;  ///< It was tried.
  bool m_busy = false;
  bool m_stopping = false;
  Clock::time_point m_stopBy;

  std::thread m_thread;  ///< Last: it uses all of the above.
};

}  // namespace quire
