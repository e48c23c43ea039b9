#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/cache/prefix_store.h"

namespace quire {

/// A PrefixStore in memory, which outlives engines as a disk outlives processes. What is fetched is
/// there `delay` calls of take_fetched later.
class MemoryPrefixStore : public PrefixStore {
 public:
  explicit MemoryPrefixStore(int delay = 0) : m_delay(delay) {}

  int count_stored(std::span<const BlockKey> keys) const override {
    int count = 0;
    for (const BlockKey& key : keys) {
      if (!m_blocks.contains(key)) break;
      ++count;
    }
    return count;
  }
  void fetch(uint64_t ticket, std::vector<BlockKey> keys) override {
    Fetched fetched{.ticket = ticket};
    for (const BlockKey& key : keys) {
      if (!m_blocks.contains(key)) break;
      fetched.blocks.push_back(m_blocks.at(key));
    }
    m_fetching.push_back({m_delay, std::move(fetched)});
    ++num_fetches;
  }
  std::vector<Fetched> take_fetched(std::chrono::milliseconds) override {
    std::vector<Fetched> done;
    for (auto& [delay, fetched] : m_fetching) {
      if (delay-- == 0) done.push_back(std::move(fetched));
    }
    std::erase_if(m_fetching, [](const auto& entry) { return entry.first < 0; });
    return done;
  }
  bool wants(const PrefixOwner& owner) const override {
    return owner.kind == PrefixOwner::Kind::kPersona || keeps_chats;
  }
  void save(StoredBlock block, const PrefixOwner& owner) override {
    owners[owner.id].push_back(block.key);
    m_blocks[block.key] = std::move(block);
  }
  void touch(std::vector<BlockKey> keys, const PrefixOwner& owner) override {
    touched[owner.id] += static_cast<int>(keys.size());
  }
  void discard(const BlockKey& key) override { m_blocks.erase(key); }

  std::unordered_map<BlockKey, StoredBlock, BlockKeyHash>& blocks() { return m_blocks; }

  bool keeps_chats = false;
  int num_fetches = 0;
  std::map<int64_t, std::vector<BlockKey>> owners;
  std::map<int64_t, int> touched;

 private:
  int m_delay;
  std::unordered_map<BlockKey, StoredBlock, BlockKeyHash> m_blocks;
  std::vector<std::pair<int, Fetched>> m_fetching;
};

}  // namespace quire
