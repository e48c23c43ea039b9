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
  std::optional<DType> kv_dtype;              ///< None: what the device prefers (DeviceInfo).
  int max_batch_tokens = 512;                 ///< The token budget of a step.
  int max_sequences = 64;                     ///< Sequences computed in one step.
  bool prefix_cache = true;                   ///< Off only to compare.
  std::shared_ptr<PrefixStore> prefix_store;  ///< Where blocks outlive the process; may be null.
};

}  // namespace quire
