#include "engine/memory/kv_budget.h"

#include <algorithm>
#include <limits>

#include "engine/cache/block_table.h"

namespace quire {

namespace {

/// To be incremented by every change to the kernels or models that changes any bit of a result.
constexpr int kArithmeticVersion = 8;

constexpr int kDefaultSequences = 16;
constexpr double kSharedFraction = 0.25;
constexpr double kOwnFraction = 0.9;
constexpr uint64_t kMaxHostBytes = uint64_t{8} << 30;

}  // namespace

std::string megabytes(uint64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
}

DType kv_dtype(const EngineOptions& options, const LayerPlacement& placement) {
  return options.kv_dtype ? *options.kv_dtype : placement.front().backend->info().kv_dtype;
}

uint64_t work_bytes(const ModelConfig& config, const EngineOptions& options) {
  constexpr uint64_t kKernelBytes = uint64_t{192} << 20;
  const auto width = static_cast<uint64_t>(config.num_heads + 2 * config.num_kv_heads) *
                         static_cast<uint64_t>(config.head_dim) +
                     3 * static_cast<uint64_t>(config.intermediate_size) +
                     4 * static_cast<uint64_t>(config.hidden_size) +
                     static_cast<uint64_t>(config.experts.experts_per_token) *
                         (3 * static_cast<uint64_t>(config.experts.intermediate_size) +
                          static_cast<uint64_t>(config.hidden_size));
  const uint64_t rows = static_cast<uint64_t>(options.max_batch_tokens) * width;
  const uint64_t logits =
      static_cast<uint64_t>(options.max_sequences) * static_cast<uint64_t>(config.vocab_size);
  return (rows + logits) * sizeof(float) + kKernelBytes;
}

KvLayout kv_layout(const ModelConfig& config, DType dtype) {
  return {.num_layers = config.num_layers,
          .num_kv_heads = config.num_kv_heads,
          .head_dim = config.head_dim,
          .dtype = dtype};
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

/// The number of blocks whose layers fit into the share of each device's free memory that the pool
/// may take.
uint64_t affordable_blocks(const KvLayout& layout, const LayerPlacement& placement, uint64_t work) {
  const double layer_bytes =
      static_cast<double>(layout.bytes_per_block()) / static_cast<double>(layout.num_layers);
  double blocks = std::numeric_limits<double>::infinity();
  for (const LayerRange& range : placement) {
    const DeviceInfo device = range.backend->info();
    // A device's own memory also has to hold the work space, which is allocated after the pool.
    const uint64_t used = device.has_own_memory ? std::min(work, device.free_bytes) : 0;
    const double budget = (device.has_own_memory ? kOwnFraction : kSharedFraction) *
                          static_cast<double>(device.free_bytes - used);
    blocks = std::min(blocks, budget / (layer_bytes * range.count));
  }
  return static_cast<uint64_t>(blocks);
}

uint64_t free_bytes(const LayerPlacement& placement) {
  uint64_t bytes = 0;
  for (const LayerRange& range : placement) bytes += range.backend->info().free_bytes;
  return bytes;
}

/// The device's name and description without the number of threads, which may change between
/// starts.
std::string scope_of(const LayerRange& range) {
  const DeviceInfo device = range.backend->info();
  return device.name + "/" + device.description.substr(0, device.description.rfind(", "));
}

}  // namespace

Result<int> pick_num_blocks(const ModelConfig& config, const EngineOptions& options,
                            const LayerPlacement& placement) {
  const KvLayout layout = kv_layout(config, kv_dtype(options, placement));
  const uint64_t block_bytes = layout.bytes_per_block();
  const uint64_t wanted = uint64_t{kDefaultSequences} * blocks_for(served_context(config, options));
  const uint64_t num_blocks =
      options.kv_bytes > 0
          ? options.kv_bytes / block_bytes
          : std::min(wanted, affordable_blocks(layout, placement, work_bytes(config, options)));
  if (num_blocks == 0) {
    if (options.kv_bytes == 0) {
      return make_error(
          ErrorCode::kOutOfMemory,
          "The cache for keys and values needs at least %1 for this model; its devices "
          "have %2 free beside the weights, work space included. Choose a smaller model "
          "or the device \"cpu\", or close other programs.",
          {megabytes(block_bytes), megabytes(free_bytes(placement))});
    }
    return make_error(ErrorCode::kInvalidArgument,
                      "The cache for keys and values needs at least %1 for this model; its budget "
                      "is %2. Choose a larger one.",
                      {megabytes(block_bytes), megabytes(options.kv_bytes)});
  }
  return static_cast<int>(std::min<uint64_t>(num_blocks, 1u << 26));
}

uint64_t pick_host_bytes(const EngineOptions& options, const LayerPlacement& placement) {
  if (options.host_kv_bytes) return *options.host_kv_bytes;
  const bool has_own_memory = std::ranges::any_of(
      placement, [](const LayerRange& range) { return range.backend->info().has_own_memory; });
  return has_own_memory ? std::min(available_host_bytes() / 4, kMaxHostBytes) : 0;
}

std::string cache_scope(const LoadedModel& model, DType kv_dtype) {
  const LayerPlacement& placement = model.decoder->placement();
  std::string devices = scope_of(placement.front());
  for (size_t i = 1; i < placement.size(); ++i) {
    devices += "/from layer " + std::to_string(placement[i].first) + "/" + scope_of(placement[i]);
  }
  return model.fingerprint + "/" + std::string(dtype_name(kv_dtype)) + "/block" +
         std::to_string(kBlockSize) + "/" + devices + "/arithmetic" +
         std::to_string(kArithmeticVersion);
}

}  // namespace quire
