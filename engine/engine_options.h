#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/cache/prefix_store.h"
#include "engine/speculation/speculation_mode.h"
#include "kernels/base/dtype.h"

namespace quire {

class Drafter;

/// How an engine serves a model.
struct EngineOptions {
  int max_context = 0;    ///< Tokens a sequence may hold; 0 is the model's own context.
  uint64_t kv_bytes = 0;  ///< The block pool's memory; 0 picks by the model and free memory.
  /// Host memory for blocks that are evicted from the pool. None: a quarter of the system's
  /// available memory, at most 8 GB, if a device has its own memory; otherwise 0, since the pool is
  /// in host memory already. 0: evicted blocks are computed again.
  std::optional<uint64_t> host_kv_bytes;
  std::optional<DType> kv_dtype;  ///< None: what the device prefers (DeviceInfo).
  int max_batch_tokens = 512;     ///< The token budget of a step.
  int max_sequences = 64;         ///< Sequences computed in one step.
  bool prefix_cache = true;       ///< Turned off only for comparisons.
  SpeculationMode speculation = SpeculationMode::kAuto;
  std::shared_ptr<Drafter> drafter;  ///< Null: the n-gram drafter.
  /// Whether the model's own layers for speculation, if it has any, are loaded and guess
  /// (draft_loading.h).
  bool draft_layers = true;
  /// A folder with Medusa heads, which guess instead of these layers; empty: none.
  std::filesystem::path medusa_heads;
  /// LoRA adapters that are loaded before the pool's memory is chosen; others can be added later.
  std::vector<std::filesystem::path> adapters;
  std::shared_ptr<PrefixStore> prefix_store;  ///< Where blocks outlive the process; may be null.

  /// Rows of logits that a step may want: enough for the drafts of one sequence.
  int max_logits() const {
    const bool drafts = speculation != SpeculationMode::kOff;
    return std::max(max_sequences, drafts ? kMaxDrafts + 1 : 0);
  }
};

}  // namespace quire
