#include "engine/on_devices.h"

#include <algorithm>
#include <utility>

#include "engine/cache/block_table.h"
#include "engine/memory/kv_budget.h"

namespace quire {
namespace {

/// Null if there is no budget for it, or nothing to find again.
std::unique_ptr<HostBlockStore> make_host_store(const EngineOptions& options,
                                                const LayerPlacement& placement,
                                                const KvLayout& layout) {
  const uint64_t bytes = options.prefix_cache ? pick_host_bytes(options, placement) : 0;
  if (bytes < layout.bytes_per_block()) return nullptr;
  return std::make_unique<HostBlockStore>(*placement.front().backend, layout.bytes_per_block(),
                                          bytes);
}

}  // namespace

Result<OnDevices> allocate_on_devices(Decoder& decoder, const EngineOptions& options) {
  const ModelConfig& config = decoder.config();
  const LayerPlacement& placement = decoder.placement();
  const auto num_blocks = pick_num_blocks(config, options, placement);
  if (!num_blocks) return num_blocks.error();
  auto kv = KvStorage::allocate(layer_backends(placement),
                                kv_layout(config, kv_dtype(options, placement)), *num_blocks);
  if (!kv) return kv.error();
  const int context = options.max_context > 0 ? std::min(options.max_context, config.max_positions)
                                              : config.max_positions;
  const int max_context =
      static_cast<int>(std::min<int64_t>(context, int64_t{*num_blocks} * kBlockSize));
  auto runner = ModelRunner::create(decoder, {.max_tokens = options.max_batch_tokens,
                                              .max_sequences = options.max_sequences,
                                              .max_blocks = blocks_for(max_context),
                                              .max_logits = options.max_sequences});
  if (!runner) return runner.error();
  auto host = make_host_store(options, placement, kv->layout());
  return OnDevices{std::move(*kv), std::move(*runner), std::move(host), max_context};
}

}  // namespace quire
