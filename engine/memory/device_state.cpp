#include "engine/memory/device_state.h"

#include <algorithm>
#include <utility>

#include "engine/cache/block_table.h"
#include "engine/memory/kv_budget.h"

namespace quire {
namespace {

std::unique_ptr<HostBlockStore> make_host_store(const LayerPlacement& placement,
                                                size_t bytes_per_block, uint64_t bytes) {
  if (bytes_per_block == 0 || bytes < bytes_per_block) return nullptr;
  return std::make_unique<HostBlockStore>(*placement.front().backend, bytes_per_block, bytes);
}

/// Host memory for blocks, and for window parts, by what the pool has of both.
void add_host_stores(DeviceState& state, const EngineOptions& options,
                     const LayerPlacement& placement) {
  const uint64_t bytes = options.prefix_cache ? pick_host_bytes(options, placement) : 0;
  const CacheLayout& layout = state.kv.layout();
  const double blocks = double(layout.bytes_per_block()) * state.kv.num_blocks();
  const double windows = double(layout.bytes_per_window()) * state.kv.num_windows();
  const auto of_windows =
      static_cast<uint64_t>(double(bytes) * windows / std::max(1.0, blocks + windows));
  state.host = make_host_store(placement, layout.bytes_per_block(), bytes - of_windows);
  state.host_windows = make_host_store(placement, layout.bytes_per_window(), of_windows);
  state.windows.host = state.host_windows.get();
}

}  // namespace

Result<DeviceState> allocate_on_devices(Decoder& decoder, const EngineOptions& options) {
  if (options.max_sequences < 1 || options.max_batch_tokens < options.max_sequences) {
    return Error{ErrorCode::kInvalidArgument,
                 "The token budget of a step, " + std::to_string(options.max_batch_tokens) +
                     ", must be at least the number of sequences, " +
                     std::to_string(options.max_sequences) + ", and that at least 1."};
  }
  const ModelConfig& config = decoder.config();
  const LayerPlacement& placement = decoder.placement();
  const auto sizes = pick_pool(config, options, placement);
  if (!sizes) return sizes.error();
  auto kv =
      CacheStorage::allocate(layer_backends(placement, static_cast<int>(config.layers.size())),
                             cache_layout(config, kv_dtype(options, placement)), sizes->storage());
  if (!kv) return kv.error();
  const int max_context = fitting_context(config, options, sizes->num_blocks);
  auto runner = ModelRunner::create(decoder, runner_limits(options, max_context));
  if (!runner) return runner.error();
  DeviceState state = {.kv = std::move(*kv),
                       .host = nullptr,
                       .host_windows = nullptr,
                       .runner = std::move(*runner),
                       .max_context = max_context,
                       .states = sizes->states,
                       .windows = sizes->windows};
  add_host_stores(state, options, placement);
  return state;
}

ModelRunner::Limits runner_limits(const EngineOptions& options, int max_context) {
  return {.max_tokens = options.max_batch_tokens,
          .max_sequences = options.max_sequences,
          .max_blocks = blocks_for(max_context),
          .max_logits = options.max_logits(),
          .drafts = options.speculation != SpeculationMode::kOff};
}

}  // namespace quire
