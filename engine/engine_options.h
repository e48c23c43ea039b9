#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/cache/prefix_store.h"
#include "kernels/base/dtype.h"

namespace quire {

/// How an engine serves a model.
struct EngineOptions {
  int max_context = 0;    ///< Tokens a sequence may hold; 0 is the model's own context.
  uint64_t kv_bytes = 0;  ///< The block pool's memory; 0 picks by the model and free memory.
  /// Host memory for blocks that have to leave the pool. None: where a device has its own memory, a
  /// quarter of what the system has available, at most 8 GB; elsewhere 0, since it is the same
  /// memory as the pool's. 0: what leaves the pool is computed again.
  std::optional<uint64_t> host_kv_bytes;
  std::optional<DType> kv_dtype;              ///< None: what the device prefers (DeviceInfo).
  int max_batch_tokens = 512;                 ///< The token budget of a step.
  int max_sequences = 64;                     ///< Sequences computed in one step.
  bool prefix_cache = true;                   ///< Off only to compare.
  std::shared_ptr<PrefixStore> prefix_store;  ///< Where blocks outlive the process; may be null.
};

}  // namespace quire
