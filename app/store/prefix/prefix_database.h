#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "app/store/prefix/prefix_keeper.h"

namespace quire {

/// The PrefixStore on SQLite, in a file that may be deleted at any time. Its own thread opens the
/// file, reads and writes; reads come first. Until the file is open nothing counts as stored. Each
/// kind of failure (a damaged, foreign or locked file, a full disk) is logged once. An unusable
/// file of ours (without content, or with our application id in its header) is replaced; any other
/// is left unchanged, and nothing is stored. After a failed write, writing pauses and reading goes
/// on.
///
/// When a budget is exceeded, the least recently used blocks are evicted. Using a block uses its
/// parents, so that chains lose their tails first; a chain that exceeds its budget keeps its head.
/// Blocks with a persona among their owners are charged to the personas.
///
/// Thread: any.
/// Invariants: those of PrefixStore; when the commands queued before forget() have been carried
/// out, nothing more is written for that owner.
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

  /// The chat or persona was deleted: deletes blocks without another owner, queued or stored, and
  /// stores nothing more for it.
  void forget(const PrefixOwner& owner);
  /// Forgets all other owners. Called at the start, because a forget() may have been interrupted.
  void keepOnly(PrefixOwners owners);
  void setBudgets(const PrefixBudgets& budgets);

  /// Waits until the file was opened and the queue was tried. False after the timeout.
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

  // On the background thread; a lock parameter is locked before and after the call.
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
  bool m_opened = false;  ///< Opening was tried.
  bool m_busy = false;
  bool m_stopping = false;
  Clock::time_point m_stopBy;

  std::thread m_thread;  ///< Last: it uses all of the above.
};

}  // namespace quire
