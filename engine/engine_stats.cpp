#include "engine/engine_stats.h"

namespace quire {

void fill_pool_stats(EngineStats& stats, const BlockCache& cache, const Scheduler& scheduler) {
  const BlockPool& pool = cache.pool();
  stats.total_blocks = pool.size();
  for (BlockId block = 0; block < pool.size(); ++block) {
    const int references = pool.ref_count(block);
    if (references > 0) ++stats.used_blocks;
    if (references > 1) ++stats.shared_blocks;
    if (references == 0 && cache.index().contains(block)) ++stats.cached_blocks;
  }
  stats.free_blocks = stats.total_blocks - stats.used_blocks - stats.cached_blocks;
  if (cache.host() != nullptr) stats.host_blocks = cache.host()->num_blocks();
  stats.swapped_tokens = cache.num_restored() * kBlockSize;
  stats.running = static_cast<int>(scheduler.running().size());
  stats.waiting = static_cast<int>(scheduler.waiting().size());

  int64_t empty_slots = 0;
  for (const auto& running : scheduler.running()) {
    const BlockTable& table = running->table;
    empty_slots += static_cast<int64_t>(table.blocks().size()) * kBlockSize - table.num_computed();
  }
  const int64_t used_slots = int64_t{stats.used_blocks} * kBlockSize;
  stats.kv_waste =
      used_slots > 0 ? static_cast<double>(empty_slots) / static_cast<double>(used_slots) : 0;
}

std::vector<BlockState> map_blocks(const BlockCache& cache) {
  const BlockPool& pool = cache.pool();
  std::vector<BlockState> blocks(static_cast<size_t>(pool.size()));
  for (BlockId block = 0; block < pool.size(); ++block) {
    const int references = pool.ref_count(block);
    blocks[static_cast<size_t>(block)] = {
        .ref_count = references,
        .num_tokens = cache.index().num_tokens(block),
        .worth = references > 0 ? BlockWorth::kNone : pool.worth(block)};
  }
  return blocks;
}

}  // namespace quire
