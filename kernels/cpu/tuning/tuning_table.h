#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu_tuning.h"

namespace quire::cpu {

/// What has been measured or loaded, for all CPU backends of a process.
///
/// Thread: any. Invariants: a key's formats are loaded at most once from a store; no dtype is there
/// twice.
class TuningTable {
 public:
  static TuningTable& of_process();

  /// Forgets what the store before it had given.
  void use(std::shared_ptr<TuningStore> store);
  bool has_store() const;

  std::vector<TunedFormat> formats(const TuningKey& key);
  /// Replaces these formats of the key, and saves all of them.
  void set(const TuningKey& key, std::span<const TunedFormat> formats);

  /// To be held while measuring: two backends would disturb each other, and measure the same.
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
