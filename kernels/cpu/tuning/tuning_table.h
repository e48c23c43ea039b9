#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/cpu_tuning.h"

namespace quire::cpu {

/// The choices that have been measured or loaded, for all CPU backends of a process.
///
/// Thread: any. Invariants: a key's formats are loaded at most once from a store; a key has each
/// dtype at most once.
class TuningTable {
 public:
  static TuningTable& of_process();

  /// Replaces the store, and forgets all entries. Null: no store.
  void use(std::shared_ptr<TuningStore> store);
  bool has_store() const;

  /// The known formats of the key, ascending by dtype once one was set.
  std::vector<TunedFormat> formats(const TuningKey& key);
  /// Adds or replaces these formats of the key, and saves all formats of the key. Errors: those of
  /// TuningStore::save(); this process has the formats nevertheless.
  Result<void> set(const TuningKey& key, std::span<const TunedFormat> formats);

  /// To be held while measuring, because two backends would disturb each other and measure the
  /// same.
  std::mutex& measuring() { return m_measuring; }

 private:
  struct Entry {
    TuningKey key;
    std::vector<TunedFormat> formats;
  };
  /// The key's entry, loaded if it is new.
  Entry& entry(const TuningKey& key);

  mutable std::mutex m_mutex;
  std::mutex m_measuring;
  std::shared_ptr<TuningStore> m_store;
  std::vector<Entry> m_entries;
};

}  // namespace quire::cpu
