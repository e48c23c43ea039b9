#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine_options.h"
#include "kernels/backend.h"

namespace quire {

/// The memory that loading a model takes on each device.
struct MemoryEstimate {
  struct Part {
    std::string device;  ///< "cpu", "cuda:0".
    bool has_own_memory = false;
    int num_devices = 1;  ///< GPUs that compute each layer together.
    int num_layers = 0;   ///< 0: the host, which serves a GPU and computes no layer.
    /// As laid out there, adapters included; tied embeddings on two devices count twice.
    uint64_t weight_bytes = 0;
    uint64_t kv_bytes = 0;    ///< The whole pool of keys and values.
    uint64_t work_bytes = 0;  ///< Activations, logits, scratch; on the host the tokenizer, too.
    uint64_t free_bytes = 0;  ///< Before loading.

    uint64_t total_bytes() const { return weight_bytes + kv_bytes + work_bytes; }
  };
  std::string model_name;   ///< As the files call it.
  std::vector<Part> parts;  ///< In the order of their layers; the host always has one.
  int num_blocks = 0;       ///< Of the pool.
  int max_context = 0;      ///< Tokens that a sequence may hold with that pool.
  int full_context = 0;     ///< Tokens that it could hold with a pool that is large enough.

  /// Whether each device has enough free memory.
  bool fits() const;
  uint64_t total_bytes() const;
  const Part& host() const;
};

struct MemoryEstimateInput {
  std::filesystem::path path;
  EngineOptions engine;
  int num_threads = 0;  ///< Of the CPU; 0: all cores.
  /// The devices for the model, in order, as choose_devices() names and list_devices() describes
  /// them; the last is the CPU.
  std::vector<DeviceInfo> devices;
};

/// Reads the files' headers and small tensors, never the large ones, and performs the steps of
/// loading and Engine::create on devices that only count (MeasuringBackend). The pool is chosen as
/// the engine would choose it with that much free memory; a pool that does not fit counts as one
/// block. Errors: those of load_model that the headers show, except kOutOfMemory.
Result<MemoryEstimate> estimate_memory(const MemoryEstimateInput& input);

}  // namespace quire
