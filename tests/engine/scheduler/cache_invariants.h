#pragma once

#include <algorithm>
#include <map>

#include "tests/engine/scheduler/simulated_model.h"

namespace quire {

/// What is always true between the steps of a scheduler, of its cache and of what a simulated model
/// wrote. Each function returns what is broken, or null.
class CacheInvariants {
 public:
  CacheInvariants(const BlockCache& cache, const Scheduler& scheduler, SimulatedModel& model,
                  const HostBlockStore& host, int host_blocks)
      : m_cache(cache),
        m_scheduler(scheduler),
        m_model(model),
        m_host(host),
        m_host_blocks(host_blocks) {}

  /// All that follow.
  const char* broken() const {
    for (const auto check :
         {&CacheInvariants::broken_in_pool, &CacheInvariants::broken_in_names,
          &CacheInvariants::broken_in_states, &CacheInvariants::broken_in_windows}) {
      if (const char* const found = (this->*check)()) return found;
    }
    return nullptr;
  }

  /// Blocks are referenced by the tables that list them, and what a sequence still writes is not
  /// shared.
  const char* broken_in_pool() const {
    std::map<BlockId, int> owners;
    for (const auto& running : m_scheduler.running()) {
      for (const BlockId block : running->table.blocks()) ++owners[block];
      const int full = running->table.num_computed() / kBlockSize;
      for (int i = full; i < static_cast<int>(running->table.blocks().size()); ++i) {
        if (m_cache.pool().ref_count(running->table.blocks()[i]) != 1) {
          return "a writable block is shared";
        }
      }
    }
    for (const auto& waiting : m_scheduler.waiting()) {
      if (!waiting->table.blocks().empty()) return "a waiting sequence holds blocks";
    }
    for (BlockId block = 0; block < m_cache.pool().size(); ++block) {
      if (m_cache.pool().ref_count(block) != owners[block]) return "references differ from owners";
    }
    const int used =
        static_cast<int>(std::ranges::count_if(owners, [](auto& o) { return o.second > 0; }));
    if (m_host.num_blocks() > m_host_blocks) return "host memory over its budget";
    return used + m_cache.pool().num_free() == m_cache.pool().size() ? nullptr
                                                                     : "blocks do not add up";
  }

  /// Slots are referenced by the tables that list them, and a snapshot holds the state that its
  /// name says.
  const char* broken_in_states() const {
    if (!m_cache.states().exists()) return nullptr;
    std::map<StateSlot, int> owners;
    for (const auto& running : m_scheduler.running()) {
      const SequenceStates& states = running->table.states();
      if (states.slot >= 0) ++owners[states.slot];
      for (const auto& snapshot : states.pending) ++owners[snapshot.slot];
      if (!states.drafted.empty()) return "a draft's state is left";
      if (states.position != running->table.num_computed()) return "states are elsewhere";
    }
    const NamedPool& state_pool = m_cache.states().pool();
    for (StateSlot slot = 0; slot < state_pool.pool().size(); ++slot) {
      if (state_pool.pool().ref_count(slot) != owners[slot]) return "slots differ from owners";
      const bool is_named = state_pool.index().contains(slot);
      if (state_pool.pool().ref_count(slot) > 0) continue;
      if (is_named == (state_pool.pool().worth(slot) == BlockWorth::kNone)) {
        return "a free slot's worth is not its name's";
      }
    }
    return nullptr;
  }

  /// Running sequences hold their windows and no more, slots are referenced by the tables that list
  /// them, and a part holds what its block says.
  const char* broken_in_windows() const {
    const WindowCache& windows = m_cache.windows();
    if (!windows.exists()) return nullptr;
    std::map<WindowSlot, int> owners = {{0, 1}};
    for (const auto& running : m_scheduler.running()) {
      const BlockTable& table = running->table;
      const auto& held = table.windows().held;
      if (held.size() != table.blocks().size()) return "slots differ from blocks";
      for (int i = 0; i < static_cast<int>(held.size()); ++i) {
        const bool is_held = i >= table.windows().first;
        if (is_held != (held[size_t(i)] != 0)) return "a window has a hole";
        if (is_held) ++owners[held[size_t(i)]];
      }
      const int needed = windows.first_needed(table.num_computed());
      if (table.windows().first > needed) return "a window lacks its head";
      if (WindowCache::num_held(table) > windows.most_held(table.num_tokens()) + 1) {
        return "more than a window is held";
      }
    }
    for (WindowSlot slot = 0; slot < windows.pool().size(); ++slot) {
      if (windows.pool().ref_count(slot) != owners[slot]) return "slots differ from tables";
    }
    int parts = 0;
    for (BlockId block = 0; block < m_cache.pool().size(); ++block) {
      const auto slot = windows.find(block);
      if (!slot) continue;
      ++parts;
      if (!m_cache.index().contains(block)) {
        if (windows.pool().ref_count(*slot) == 0) return "a part of a block without a name";
        continue;
      }
      const auto bytes = static_cast<size_t>(m_cache.index().num_tokens(block)) * sizeof(uint64_t);
      const auto of_block = m_model.read(block), part = m_model.read_window(*slot);
      if (!std::equal(part.begin(), part.begin() + std::ptrdiff_t(bytes), of_block.begin())) {
        return "a part holds something else than its block says";
      }
    }
    return parts < windows.pool().size() ? nullptr : "parts do not add up";
  }

  /// What is free and named is worth something, and nothing else is.
  const char* broken_in_names() const {
    int full = 0;
    for (BlockId block = 0; block < m_cache.pool().size(); ++block) {
      const bool is_free = m_cache.pool().ref_count(block) == 0;
      const bool is_named = m_cache.index().contains(block);
      if (m_cache.index().num_tokens(block) == kBlockSize) ++full;
      const bool is_worthless = m_cache.pool().worth(block) == BlockWorth::kNone;
      if (is_free && is_named == is_worthless) return "a free block's worth is not its name's";
    }
    return full == static_cast<int>(m_cache.index().num_full()) ? nullptr : "names do not add up";
  }

 private:
  const BlockCache& m_cache;
  const Scheduler& m_scheduler;
  SimulatedModel& m_model;
  const HostBlockStore& m_host;
  int m_host_blocks;
};

}  // namespace quire
