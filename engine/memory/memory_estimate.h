#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine_options.h"
#include "kernels/backend.h"

namespace quire {

/// What loading a model takes of memory, and of which device.
struct MemoryEstimate {
  struct Part {
    std::string device;  ///< "cpu", "cuda:0".
    bool has_own_memory = false;
    int num_layers = 0;         ///< 0: the host, which serves a GPU and computes no layer.
    uint64_t weight_bytes = 0;  ///< As they are laid out there; tied ends that are apart, twice.
    uint64_t kv_bytes = 0;      ///< The whole pool of keys and values.
    uint64_t work_bytes = 0;    ///< Activations, logits, scratch; on the host the tokenizer, too.
    uint64_t free_bytes = 0;    ///< Before loading.

    uint64_t total_bytes() const { return weight_bytes + kv_bytes + work_bytes; }
  };
  std::string model_name;   ///< As the files call it.
  std::vector<Part> parts;  ///< In the order of their layers; the host always has one.
  int num_blocks = 0;       ///< Of the pool.
  int max_context = 0;      ///< Tokens that a sequence may hold with that pool.
  int full_context = 0;     ///< Tokens that it could hold with a pool that is large enough.

  /// Whether each device has free what it would give.
  bool fits() const;
  uint64_t total_bytes() const;
  const Part& host() const;
};

struct MemoryEstimateInput {
  std::filesystem::path path;
  EngineOptions engine;
  int num_threads = 0;  ///< Of the CPU; 0: all cores.
  /// What the model may lie on, in order, as choose_devices() names and list_devices() describes
  /// them; the last is the CPU.
  std::vector<DeviceInfo> devices;
};

/// Reads the files' heads and small tensors, never the large ones, and goes the way that loading
/// and Engine::create go, onto devices that only count (MeasuringBackend). The pool is chosen as
/// the engine would choose it with that much free; one that cannot be had at all counts as one
/// block. Errors: those of load_model that the heads betray, but for kOutOfMemory.
Result<MemoryEstimate> estimate_memory(const MemoryEstimateInput& input);

}  // namespace quire
