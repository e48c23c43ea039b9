#pragma once

#include <cstdint>

#include "engine/engine_options.h"
#include "engine/models/model_config.h"

namespace quire {

constexpr uint64_t round_up(uint64_t n, uint64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// What decides how much memory of the host a served model takes that no Backend is asked for.
struct HostMemoryInput {
  const ModelConfig& config;
  const EngineOptions& engine;
  int num_threads = 0;  ///< 0: all cores.
  int num_blocks = 0;   ///< Of the pool.
  int max_context = 0;
  bool computes = true;  ///< Whether the CPU computes layers.
};

/// Tokenizer, bookkeeping of the cache, logits that are sampled here, threads, and what attention
/// on a CPU keeps after the largest step. A little more than measured
/// (tst_memory_estimate), never less.
uint64_t host_memory_bytes(const HostMemoryInput& input);

/// What CUDA's kernels keep for themselves on a device, beside what they ask the backend for.
uint64_t gpu_kernel_bytes();

}  // namespace quire
