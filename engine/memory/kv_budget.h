#pragma once

#include "engine/cache/cache_storage.h"
#include "engine/cache/state_cache.h"
#include "engine/cache/window_cache.h"
#include "engine/engine_options.h"
#include "engine/models/decoder.h"

namespace quire {

/// The dtype of keys and values: options.kv_dtype, or the default of the first layers' device.
DType kv_dtype(const EngineOptions& options, const LayerPlacement& placement);

/// A rough upper bound of a step's work space on each device: activations, logits and scratch.
uint64_t work_bytes(const ModelConfig& config, const EngineOptions& options);

/// The longest sequence that an engine serves, in tokens, if the pool is large enough.
int served_context(const ModelConfig& config, const EngineOptions& options);

/// The same with a pool of `num_blocks`.
int fitting_context(const ModelConfig& config, const EngineOptions& options, int num_blocks);

/// How much the cache of a model holds.
struct PoolSizes {
  int num_blocks = 0;
  StateCacheSizes states;    ///< Empty for a model without recurrent layers.
  WindowCacheSizes windows;  ///< Empty for a model without window layers.

  CacheStorage::Sizes storage() const { return {num_blocks, states.num_slots, windows.num_slots}; }
};

/// How many blocks and states to allocate: what options.kv_bytes holds; by default a quarter of the
/// system's free memory or nine tenths of what work space leaves of a device's own, but no more
/// than 16 sequences of the whole context need. States take at most a quarter of it, window parts
/// two thirds of the rest, unless that is less than one sequence needs. At most 2^20 blocks.
/// Errors: kOutOfMemory, kInvalidArgument, with the numbers, if there is no room for a single
/// block; kUnsupported for a model that keeps no keys. On each device only the layers that it has
/// count.
Result<PoolSizes> pick_pool(const ModelConfig& config, const EngineOptions& options,
                            const LayerPlacement& placement);

/// Bytes of host memory for blocks that leave the pool: options.host_kv_bytes, or the default that
/// it describes.
uint64_t pick_host_bytes(const EngineOptions& options, const LayerPlacement& placement);

}  // namespace quire
