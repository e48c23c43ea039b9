#pragma once

#include <cstdint>

#include "engine/llm.h"

namespace quire {

/// EngineOptions::kv_bytes for a model whose weights, work space and cache may together take that
/// part (0 to 1) of the memory of the GPUs which it would lie on, less what other programs have
/// there, as vLLM's gpu_memory_utilization. 0, the engine's own choice, where no GPU would be
/// used. Reads the model's headers. Errors: those of ModelDevices and estimate_memory;
/// kInvalidArgument, with the numbers, if nothing is left for the cache.
Result<uint64_t> gpu_kv_bytes(const LlmOptions& options, double utilization);

}  // namespace quire
