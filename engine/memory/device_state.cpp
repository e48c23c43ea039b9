#include "engine/memory/device_state.h"

#include <utility>

#include "engine/cache/block_table.h"
#include "engine/memory/kv_budget.h"

namespace quire {
namespace {

std::unique_ptr<HostBlockStore> make_host_store(const EngineOptions& options,
                                                const LayerPlacement& placement,
                                                size_t bytes_per_block) {
  const uint64_t bytes = options.prefix_cache ? pick_host_bytes(options, placement) : 0;
  if (bytes < bytes_per_block) return nullptr;
  return std::make_unique<HostBlockStore>(*placement.front().backend, bytes_per_block, bytes);
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
  auto kv = CacheStorage::allocate(layer_backends(placement),
                                   cache_layout(config, kv_dtype(options, placement)),
                                   {sizes->num_blocks, sizes->states.num_slots});
  if (!kv) return kv.error();
  const int max_context = fitting_context(config, options, sizes->num_blocks);
  auto runner = ModelRunner::create(decoder, runner_limits(options, max_context));
  if (!runner) return runner.error();
  auto host = make_host_store(options, placement, kv->layout().bytes_per_block());
  return DeviceState{std::move(*kv), std::move(*runner), std::move(host), max_context,
                     sizes->states};
}

ModelRunner::Limits runner_limits(const EngineOptions& options, int max_context) {
  return {.max_tokens = options.max_batch_tokens,
          .max_sequences = options.max_sequences,
          .max_blocks = blocks_for(max_context),
          .max_logits = options.max_sequences};
}

}  // namespace quire
