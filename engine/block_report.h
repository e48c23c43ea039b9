#pragma once

#include "engine/engine.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

/// Counts the pool's blocks by state, the blocks in host memory, and the sequences by queue.
void fill_pool_stats(EngineStats& stats, const BlockCache& cache, const Scheduler& scheduler);

/// The state of every block of the pool. `store` may be null.
std::vector<BlockState> map_blocks(const BlockCache& cache, const Scheduler& scheduler,
                                   const PrefixStore* store);

/// A sequence that holds the block; null if none does.
const Sequence* find_holder(const Scheduler& scheduler, BlockId block);

/// What the block holds, without the message; nothing if it holds no text, or there is no such
/// block.
std::optional<BlockText> read_block(BlockId block, const BlockCache& cache,
                                    const Scheduler& scheduler, const Tokenizer& tokenizer);

}  // namespace quire
