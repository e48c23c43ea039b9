#include "engine/kv_budget.h"

#include <algorithm>

#include "engine/cache/block_table.h"

namespace quire {

namespace {

/// One more whenever a change of the kernels or the models changes a bit of what they compute.
constexpr int kArithmeticVersion = 1;

constexpr int kDefaultSequences = 16;
constexpr double kSharedFraction = 0.25;
/// The rest is for the step's work space, which is made afterwards.
constexpr double kOwnFraction = 0.9;

std::string megabytes(uint64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
}

}  // namespace

DType kv_dtype(const EngineOptions& options, const DeviceInfo& device) {
  return options.kv_dtype.value_or(device.kv_dtype);
}

KvLayout kv_layout(const ModelConfig& config, DType dtype) {
  return {.num_layers = config.num_layers,
          .num_kv_heads = config.num_kv_heads,
          .head_dim = config.head_dim,
          .dtype = dtype};
}

Result<int> pick_num_blocks(const ModelConfig& config, const EngineOptions& options,
                            const DeviceInfo& device) {
  const uint64_t block_bytes = kv_layout(config, kv_dtype(options, device)).bytes_per_block();
  const int context = options.max_context > 0 ? std::min(options.max_context, config.max_positions)
                                              : config.max_positions;
  const uint64_t wanted = uint64_t{kDefaultSequences} * blocks_for(context);
  uint64_t num_blocks = options.kv_bytes / block_bytes;
  if (options.kv_bytes == 0) {
    const double fraction = device.has_own_memory ? kOwnFraction : kSharedFraction;
    const auto budget = static_cast<uint64_t>(fraction * static_cast<double>(device.free_bytes));
    num_blocks = std::min(wanted, budget / block_bytes);
  }
  if (num_blocks == 0) {
    return Error{
        options.kv_bytes == 0 ? ErrorCode::kOutOfMemory : ErrorCode::kInvalidArgument,
        "The cache for keys and values needs at least " + megabytes(block_bytes) +
            " for this model; " +
            (options.kv_bytes == 0 ? "only " + megabytes(device.free_bytes) + " are free."
                                   : "its budget is " + megabytes(options.kv_bytes) + ".")};
  }
  return static_cast<int>(std::min<uint64_t>(num_blocks, 1u << 26));
}

std::string cache_scope(const LoadedModel& model, DType kv_dtype, const DeviceInfo& device) {
  // "Intel Xeon, AVX-512, 2 threads" without its threads.
  const std::string kind = device.description.substr(0, device.description.rfind(", "));
  return model.fingerprint + "/" + std::string(dtype_name(kv_dtype)) + "/block" +
         std::to_string(kBlockSize) + "/" + device.name + "/" + kind + "/arithmetic" +
         std::to_string(kArithmeticVersion);
}

}  // namespace quire
