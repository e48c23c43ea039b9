#pragma once

#include "engine/engine.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

/// Counts the pool's blocks by what holds them, those in host memory, and the sequences by where
/// they stand.
void fill_pool_stats(EngineStats& stats, const BlockCache& cache, const Scheduler& scheduler);

/// Every block of the pool as it stands. `store` may be null.
std::vector<BlockState> map_blocks(const BlockCache& cache, const Scheduler& scheduler,
                                   const PrefixStore* store);

}  // namespace quire
