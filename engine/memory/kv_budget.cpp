#include "engine/memory/kv_budget.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "engine/cache/block_table.h"
#include "kernels/base/megabytes.h"

namespace quire {

namespace {

constexpr int kDefaultSequences = 16;
constexpr double kSharedFraction = 0.25;
constexpr double kOwnFraction = 0.9;
constexpr double kStateFraction = 0.25;   ///< Of the cache's budget, for states.
constexpr double kWindowFraction = 0.67;  ///< Of the rest, for window parts beside blocks.
/// Windows for each of kDefaultSequences: of its next row, and before the ends of its persona, its
/// prompt and an answer.
constexpr int kWindowsPerSequence = 4;
/// 16 million tokens. Each block takes some 130 bytes of bookkeeping, which no budget counts.
constexpr uint64_t kMaxBlocks = 1u << 20;
constexpr uint64_t kMaxHostBytes = uint64_t{8} << 30;

// The f32 numbers of a row that buffers of one layer hold at most.

uint64_t product(int a, int b) {
  return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
}

/// Queries, keys and values, and what latent attention puts between; its pages' width is head_dim.
uint64_t attention_width(const ModelConfig& config) {
  uint64_t widest = 0;
  for (int i = 0; i < config.num_layers; ++i) {
    const int heads = config.num_heads + 2 * num_kv_heads_of(config, i);
    widest = std::max(widest, product(heads, head_dim_of(config, i)));
  }
  const MlaConfig& mla = config.mla;
  const int latent = mla.nope_dim + mla.rope_dim + mla.kv_rank + mla.value_dim;
  return widest + product(config.num_heads, latent);
}

/// Projected, convolved, gates and results.
uint64_t recurrent_width(const ModelConfig& config) {
  const RecurrentConfig& recurrent = config.recurrent;
  return 4 * (product(recurrent.num_heads, recurrent.value_dim) +
              product(recurrent.num_groups, recurrent.key_dim));
}

uint64_t mlp_width(const ModelConfig& config) {
  int widest = config.intermediate_size;
  for (int i = 0; i < config.num_layers; ++i) {
    widest = std::max(widest, intermediate_size_of(config, i));
  }
  return 3 * static_cast<uint64_t>(widest) +
         3 * static_cast<uint64_t>(config.experts.shared_intermediate_size);
}

uint64_t expert_width(const ModelConfig& config) {
  const ExpertsConfig& experts = config.experts;
  const int64_t beside = config.mlp_beside_experts ? 3 * int64_t{config.hidden_size} : 0;
  return product(experts.experts_per_token, 3 * experts.intermediate_size + config.hidden_size) +
         static_cast<uint64_t>(experts.num_experts + experts.latent_size + beside);
}

/// The residual and what is added to it, of each of AltUp's streams, and per-layer embeddings.
uint64_t stream_width(const ModelConfig& config) {
  const int streams = std::max(1, config.alt_up.num_streams);
  return product(4 + 3 * (streams - 1), config.hidden_size) +
         2 * product(config.num_layers, config.per_layer.width);
}

}  // namespace

DType kv_dtype(const EngineOptions& options, const LayerPlacement& placement) {
  return options.kv_dtype ? *options.kv_dtype : placement.front().backend->info().kv_dtype;
}

uint64_t work_bytes(const ModelConfig& config, const EngineOptions& options) {
  constexpr uint64_t kKernelBytes = uint64_t{192} << 20;
  const uint64_t width = attention_width(config) + recurrent_width(config) + mlp_width(config) +
                         expert_width(config) + stream_width(config);
  const uint64_t rows = static_cast<uint64_t>(options.max_batch_tokens) * width;
  const uint64_t logits =
      static_cast<uint64_t>(options.max_logits()) * static_cast<uint64_t>(config.vocab_size);
  return (rows + logits) * sizeof(float) + kKernelBytes;
}

int served_context(const ModelConfig& config, const EngineOptions& options) {
  const int wanted = options.max_context > 0 ? options.max_context : config.max_positions;
  return std::min(wanted, config.max_positions);
}

int fitting_context(const ModelConfig& config, const EngineOptions& options, int num_blocks) {
  const auto held = int64_t{num_blocks} * kBlockSize;
  return static_cast<int>(std::min<int64_t>(served_context(config, options), held));
}

namespace {

/// The bytes that the cache may take of a device.
double budget_of(const DeviceInfo& device, uint64_t work) {
  // A device's own memory also has to hold the work space, which is allocated after the pool.
  const uint64_t works = static_cast<uint64_t>(device.num_devices) * work;
  const uint64_t used = device.has_own_memory ? std::min(works, device.free_bytes) : 0;
  return (device.has_own_memory ? kOwnFraction : kSharedFraction) *
         static_cast<double>(device.free_bytes - used);
}

/// What the layers of one device take, and may take.
struct DeviceShare {
  double budget = 0;
  double block_bytes = 0;
  double state_bytes = 0;
  double window_bytes = 0;
};

DeviceShare share_of(const CacheLayout& layout, const LayerRange& range, uint64_t work) {
  const DeviceInfo device = range.backend->info();
  DeviceShare share = {.budget = budget_of(device, work)};
  for (int i = range.first; i < range.end(); ++i) {
    const auto& pages = layout.layers.at(static_cast<size_t>(i)).pages;
    const int copies = pages ? device.page_copies(pages->num_kv_heads) : 1;
    share.block_bytes += copies * double(layout.bytes_per_block(i, 1));
    share.state_bytes += device.num_devices * double(layout.bytes_per_state(i, 1));
    share.window_bytes += copies * double(layout.bytes_per_window(i, 1));
  }
  return share;
}

std::vector<DeviceShare> shares_of(const CacheLayout& layout, const EngineOptions& options,
                                   const LayerPlacement& placement, uint64_t work) {
  std::vector<DeviceShare> shares;
  for (const LayerRange& range : placement) {
    // There may be one more layer after the last, for speculation.
    const bool is_last = range.end() == placement.back().end();
    const int count = is_last ? layout.num_layers() - range.first : range.count;
    shares.push_back(share_of(layout, {range.backend, range.first, count}, work));
  }
  if (options.kv_bytes == 0) return shares;
  DeviceShare all = {.budget = double(options.kv_bytes)};
  for (const DeviceShare& share : shares) {
    all.block_bytes += share.block_bytes;
    all.state_bytes += share.state_bytes;
    all.window_bytes += share.window_bytes;
  }
  return {all};
}

/// Blocks that fit on every device beside that many states and window parts; at most `most`.
uint64_t fitting_blocks(std::span<const DeviceShare> shares, const PoolSizes& beside,
                        uint64_t most) {
  for (const DeviceShare& share : shares) {
    const double used =
        share.state_bytes * beside.states.num_slots + share.window_bytes * beside.windows.num_slots;
    const double left = std::max(0.0, share.budget - used);
    if (share.block_bytes > 0) most = std::min(most, uint64_t(left / share.block_bytes));
    if (share.block_bytes == 0 && used > share.budget) return 0;
  }
  return most;
}

/// Slots for the windows of kDefaultSequences and one step, as many as the share of the budget
/// holds; without blocks of other layers, as many as all of it holds.
double wanted_windows(std::span<const DeviceShare> shares, const PoolSizes& beside, int window,
                      const EngineOptions& options) {
  const bool has_blocks =
      std::ranges::any_of(shares, [](const DeviceShare& share) { return share.block_bytes > 0; });
  double slots = double(kMaxBlocks);
  if (has_blocks || options.kv_bytes == 0) {
    slots = double(kDefaultSequences * kWindowsPerSequence) * (blocks_for(window) + 1) +
            WindowCacheSizes::least_slots(window, options.max_batch_tokens);
  }
  for (const DeviceShare& share : shares) {
    const double left = std::max(0.0, share.budget - share.state_bytes * beside.states.num_slots);
    const double part = has_blocks ? left * kWindowFraction : left;
    if (share.window_bytes > 0) slots = std::min(slots, part / share.window_bytes);
  }
  return slots;
}

/// Chooses the numbers of blocks and of slots for window parts; no more than one for each block.
void pick_blocks_and_windows(std::span<const DeviceShare> shares, uint64_t wanted, int window,
                             const EngineOptions& options, PoolSizes& sizes) {
  const int least = WindowCacheSizes::least_slots(window, options.max_batch_tokens);
  const double slots = std::max(wanted_windows(shares, sizes, window, options), double(least));
  sizes.windows = {.num_slots = static_cast<int>(slots), .window = window};
  const uint64_t blocks = fitting_blocks(shares, sizes, wanted);
  sizes.num_blocks = static_cast<int>(std::min(blocks, kMaxBlocks));
  if (sizes.num_blocks + 1 >= sizes.windows.num_slots) return;
  std::vector<DeviceShare> whole(shares.begin(), shares.end());
  for (DeviceShare& share : whole) share.block_bytes += share.window_bytes;
  sizes.windows.num_slots = 1;
  sizes.num_blocks = static_cast<int>(std::min(fitting_blocks(whole, sizes, wanted), kMaxBlocks));
  sizes.windows.num_slots = sizes.num_blocks + 1;
}

/// Two slots for each sequence that may run, one more, and one for each block, which is where
/// snapshots can be.
int pick_num_slots(std::span<const DeviceShare> shares, int max_sequences, uint64_t num_blocks) {
  double slots = 2.0 * max_sequences + 1 + double(num_blocks);
  for (const DeviceShare& share : shares) {
    if (share.state_bytes > 0) {
      slots = std::min(slots, share.budget * kStateFraction / share.state_bytes);
    }
  }
  return std::max(StateCacheSizes::kLeastSlots, static_cast<int>(slots));
}

/// The least power of two at which snapshots take at most half as much as keys and values do.
int pick_stride(const CacheLayout& layout) {
  const size_t token_bytes = layout.bytes_per_block() / kBlockSize;
  if (token_bytes == 0) return 0;
  constexpr size_t kMaxTokens = size_t{1} << 28;
  const size_t tokens = std::min(2 * layout.bytes_per_state() / token_bytes, kMaxTokens);
  return static_cast<int>(std::bit_ceil(std::max<size_t>(tokens, kBlockSize)));
}

uint64_t free_bytes(const LayerPlacement& placement) {
  uint64_t bytes = 0;
  for (const LayerRange& range : placement) bytes += range.backend->info().free_bytes;
  return bytes;
}

/// Why the cache does not fit.
Error no_room(const CacheLayout& layout, const PoolSizes& sizes, const EngineOptions& options,
              const LayerPlacement& placement) {
  const uint64_t windows = layout.window() > 0 ? 2 * layout.bytes_per_window() : 0;
  const std::string least =
      megabytes(layout.bytes_per_block() + windows +
                static_cast<uint64_t>(sizes.states.num_slots) * layout.bytes_per_state());
  if (options.kv_bytes == 0) {
    return make_error(
        ErrorCode::kOutOfMemory,
        "The cache for keys and values needs at least %1 for this model; its devices "
        "have %2 free beside the weights, work space included. Choose a smaller model "
        "or the device \"cpu\", or close other programs.",
        {least, megabytes(free_bytes(placement))});
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "The cache for keys and values needs at least %1 for this model; its budget "
                    "is %2. Choose a larger one.",
                    {least, megabytes(options.kv_bytes)});
}

}  // namespace

Result<PoolSizes> pick_pool(const ModelConfig& config, const EngineOptions& options,
                            const LayerPlacement& placement) {
  const CacheLayout layout = cache_layout(config, kv_dtype(options, placement));
  // Blocks without bytes would not be limited by any budget.
  if (layout.bytes_per_block() == 0 && layout.window() == 0) {
    return make_error(ErrorCode::kUnsupported,
                      "No layer of %1 attends; Quire runs models with attention in some layers. "
                      "Choose another model.",
                      {config.name});
  }
  const auto shares = shares_of(layout, options, placement, work_bytes(config, options));
  const uint64_t of_sequences =
      uint64_t{kDefaultSequences} * blocks_for(served_context(config, options));
  // Blocks without bytes, of a model whose layers all have windows, are bounded by their number.
  const bool is_unbounded = options.kv_bytes > 0 && layout.bytes_per_block() > 0;
  const uint64_t wanted = is_unbounded ? kMaxBlocks : of_sequences;
  PoolSizes sizes;
  if (layout.has_states()) {
    const uint64_t most = fitting_blocks(shares, sizes, wanted);
    sizes.states = {pick_num_slots(shares, options.max_sequences, most), pick_stride(layout)};
  }
  if (layout.window() > 0) {
    pick_blocks_and_windows(shares, wanted, layout.window(), options, sizes);
  } else {
    sizes.num_blocks =
        static_cast<int>(std::min(fitting_blocks(shares, sizes, wanted), kMaxBlocks));
  }
  if (sizes.num_blocks == 0) return no_room(layout, sizes, options, placement);
  return sizes;
}

uint64_t pick_host_bytes(const EngineOptions& options, const LayerPlacement& placement) {
  if (options.host_kv_bytes) return *options.host_kv_bytes;
  const bool has_own_memory = std::ranges::any_of(
      placement, [](const LayerRange& range) { return range.backend->info().has_own_memory; });
  return has_own_memory ? std::min(available_host_bytes() / 4, kMaxHostBytes) : 0;
}

}  // namespace quire
