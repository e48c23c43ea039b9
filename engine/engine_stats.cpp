#include "engine/engine_stats.h"

#include <algorithm>

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

namespace {

/// Says which chats hold the blocks. Sequences come chat by chat, so that each counts once.
void note_holders(std::vector<BlockState>& blocks, const Scheduler& scheduler) {
  std::vector<const BlockTable*> tables;
  for (const auto& sequence : scheduler.running()) tables.push_back(&sequence->table);
  std::ranges::sort(tables, {}, [](const BlockTable* table) { return table->owner().chat; });
  for (const BlockTable* table : tables) {
    const int64_t chat = table->owner().chat;
    for (const BlockId block : table->blocks()) {
      BlockState& state = blocks[static_cast<size_t>(block)];
      if (chat == 0 || (state.num_chats > 0 && state.chat == chat)) continue;
      state.chat = chat;
      ++state.num_chats;
    }
  }
}

/// Where else the content of a full block is.
void note_copies(BlockState& state, const PrefixIndex::Name& name, const BlockCache& cache,
                 const PrefixStore* store) {
  state.is_on_disk = store != nullptr && store->count_stored({&name.key, 1}) == 1;
  const HostBlockStore* host = cache.host();
  state.is_in_host = host != nullptr && host->find(name.key, name.parent, name.tokens).has_value();
}

}  // namespace

std::vector<BlockState> map_blocks(const BlockCache& cache, const Scheduler& scheduler,
                                   const PrefixStore* store) {
  const BlockPool& pool = cache.pool();
  const PrefixIndex& index = cache.index();
  std::vector<BlockState> blocks(static_cast<size_t>(pool.size()));
  for (BlockId block = 0; block < pool.size(); ++block) {
    BlockState& state = blocks[static_cast<size_t>(block)];
    state.ref_count = pool.ref_count(block);
    state.num_tokens = index.num_tokens(block);
    const bool is_kept = state.ref_count == 0 && state.num_tokens > 0;
    if (state.ref_count == 0) state.worth = pool.worth(block);
    if (is_kept) state.chat = cache.last_use(block).chat;
    if (state.num_tokens == kBlockSize) note_copies(state, index.name_of(block), cache, store);
  }
  note_holders(blocks, scheduler);
  return blocks;
}

}  // namespace quire
