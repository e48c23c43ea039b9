#pragma once

#include <cstdint>

#include "engine/engine_options.h"
#include "engine/models/model_config.h"

namespace quire {

/// What determines the host memory of a served model that is not allocated through a Backend.
struct HostMemoryInput {
  const ModelConfig& config;
  const EngineOptions& engine;
  int num_blocks = 0;    ///< Of the pool.
  bool computes = true;  ///< Whether the CPU computes layers.
};

/// Tokenizer, bookkeeping of the cache, and logits that are sampled on the host. A little more than
/// measured (tst_memory_estimate), never less.
uint64_t host_memory_bytes(const HostMemoryInput& input);

/// Device memory that the CUDA kernels allocate internally.
uint64_t gpu_kernel_bytes();

}  // namespace quire
