#include "engine/memory/place_layers.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include "engine/cache/block_table.h"
#include "engine/memory/kv_budget.h"
#include "engine/models/speculative_layer.h"
#include "kernels/base/megabytes.h"

namespace quire {
namespace {

/// Enough for a long chat; the pool takes what is free beyond it.
constexpr int kLeastContext = 8192;

/// The layer that a tensor belongs to, by its name in either format: "blk.3.attn_q.weight",
/// "model.layers.3.self_attn.q_proj.weight".
std::optional<int> layer_of(std::string_view name) {
  for (const std::string_view prefix : {"blk.", "layers."}) {
    const size_t at = name.find(prefix);
    if (at == std::string_view::npos) continue;
    int layer = 0;
    const char* const begin = name.data() + at + prefix.size();
    if (std::from_chars(begin, name.data() + name.size(), layer).ec == std::errc()) return layer;
  }
  return std::nullopt;
}

/// What each layer's cache takes at least: of a long chat and the states of one sequence, or its
/// share of the budget that was asked for.
std::vector<uint64_t> cache_bytes_by_layer(const ModelConfig& config, const EngineOptions& options,
                                           DType kv_dtype) {
  const CacheLayout layout = cache_layout(config, kv_dtype);
  const auto blocks =
      static_cast<uint64_t>(blocks_for(std::min(served_context(config, options), kLeastContext)));
  const auto windows = static_cast<uint64_t>(
      WindowCacheSizes::least_slots(layout.window(), options.max_batch_tokens));
  std::vector<uint64_t> bytes;
  for (int i = 0; i < config.num_layers; ++i) {
    bytes.push_back(blocks * layout.bytes_per_block(i, 1) +
                    std::min(blocks + 1, windows) * layout.bytes_per_window(i, 1) +
                    uint64_t{StateCacheSizes::kLeastSlots} * layout.bytes_per_state(i, 1));
  }
  if (options.kv_bytes == 0) return bytes;
  const uint64_t total =
      std::max<uint64_t>(1, std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}));
  for (uint64_t& layer : bytes) {
    layer = static_cast<uint64_t>(double(options.kv_bytes) * double(layer) / double(total));
  }
  return bytes;
}

/// What the model's layer for speculation takes beside the last device's layers. A GPU has it only
/// if all guesses are asked for.
uint64_t draft_layer_bytes(const ModelFiles& files, const EngineOptions& options,
                           const std::vector<uint64_t>& cache_bytes) {
  const bool may_be_loaded = options.speculation == SpeculationMode::kAlways &&
                             options.draft_layers && options.medusa_heads.empty();
  if (!may_be_loaded || files.config.num_speculative_layers != 1) return 0;
  uint64_t bytes = *std::ranges::max_element(cache_bytes);
  for (const TensorInfo& tensor : speculative_tensors(files)) bytes += tensor.bytes;
  return bytes;
}

uint64_t total_bytes(const ModelNeeds& needs) {
  return std::accumulate(needs.layer_bytes.begin(), needs.layer_bytes.end(),
                         needs.end_bytes + needs.work_bytes);
}

/// Layers from `first` on that fit into the device's free memory.
int count_fitting(const ModelNeeds& needs, int first, uint64_t free_bytes) {
  uint64_t used = needs.work_bytes + needs.end_bytes;
  int count = 0;
  for (auto i = static_cast<size_t>(first); i < needs.layer_bytes.size(); ++i, ++count) {
    used += needs.layer_bytes[i];
    if (used > free_bytes) break;
  }
  return count;
}

/// The last place up to `end` where the layers can be divided: no layer reads the cache of one
/// before it.
int end_of_range(const ModelConfig& config, int end) {
  const int proposed = end;
  for (int i = proposed; i < config.num_layers; ++i) {
    const int source = config.layers[static_cast<size_t>(i)].cache_layer;
    if (source >= 0) end = std::min(end, source);
  }
  return end == proposed ? end : end_of_range(config, end);
}

/// What one token's computation reads of a layer's tensor: of experts, those that it chooses.
uint64_t read_bytes(const ExpertsConfig& experts, const TensorInfo& tensor) {
  const bool is_of_experts = tensor.name.find("_exps.") != std::string::npos ||
                             tensor.name.find(".experts.") != std::string::npos;
  if (!is_of_experts || experts.num_experts == 0) return tensor.bytes;
  return tensor.bytes * static_cast<uint64_t>(experts.experts_per_token) /
         static_cast<uint64_t>(experts.num_experts);
}

/// What is left for layers on the device.
uint64_t room_on(const DeviceInfo& device, const ModelNeeds& needs) {
  // Each device of a group has work space of its own.
  const uint64_t beside = static_cast<uint64_t>(device.num_devices - 1) * needs.work_bytes;
  return device.free_bytes - std::min(device.free_bytes, beside);
}

bool holds_all(const DeviceInfo& device, const ModelNeeds& needs) {
  const auto num_layers = static_cast<int>(needs.layer_bytes.size());
  return count_fitting(needs, 0, room_on(device, needs)) == num_layers;
}

/// Whether so many devices can divide the KV heads of all layers.
bool divides_heads(const ModelConfig& config, size_t count) {
  const CacheLayout layout = cache_layout(config, DType::kF32);
  return std::ranges::all_of(layout.layers, [count](const LayerCache& layer) {
    return !layer.pages || layer.pages->num_kv_heads % static_cast<int>(count) == 0;
  });
}

/// The least number of GPUs of the first one's kind that hold the model together, each a part of
/// its keys and values; 0 if one does, or all do not. Starts them.
Result<size_t> count_to_join(ModelDevices& devices, const ModelConfig& config,
                             const ModelNeeds& needs) {
  std::vector<DeviceInfo> alike = {devices.front().info()};
  if (!alike[0].has_own_memory || holds_all(alike[0], needs)) return size_t{0};
  for (size_t i = 1; i < devices.size(); ++i) {
    const auto backend = devices.at(i);
    if (!backend) return backend.error();
    alike.push_back((*backend)->info());
    if (alike.back().description != alike[0].description) return size_t{0};
    if (!divides_heads(config, alike.size())) continue;
    if (holds_all(describe_group(alike), needs)) return alike.size();
  }
  return size_t{0};
}

/// Joins the first devices if that is better. Whatever fails there, they can be used apart.
Result<void> join_if_better(ModelDevices& devices, const ModelConfig& config,
                            const ModelNeeds& needs) {
  if (!devices.may_join()) return {};
  const auto count = count_to_join(devices, config, needs);
  if (!count) return count.error();
  if (*count == 0) return {};
  const auto group = devices.join(*count);
  if (!group) return {};
  const auto speed = measure_group(**group);
  if (!speed || !pays_off(*speed, needs, *count)) devices.separate();
  return {};
}

}  // namespace

bool pays_off(const GroupSpeed& speed, const ModelNeeds& needs, size_t num_devices) {
  constexpr double kExchangesOfLayer = 5;
  const double saved =
      double(needs.read_bytes) / speed.bytes_per_second * (1.0 - 1.0 / double(num_devices));
  return saved > kExchangesOfLayer * double(needs.layer_bytes.size()) * speed.exchange_seconds;
}

ModelNeeds estimate_needs(const ModelFiles& files, const EngineOptions& options, DType kv_dtype) {
  const ModelConfig& config = files.config;
  ModelNeeds needs;
  needs.layer_bytes = cache_bytes_by_layer(config, options, kv_dtype);
  needs.end_bytes = draft_layer_bytes(files, options, needs.layer_bytes);
  // Counted above, if at all. Qwen numbers these layers from 0 on again.
  std::set<std::string> left_out;
  for (const TensorInfo& tensor : speculative_tensors(files)) left_out.insert(tensor.name);
  for (const TensorInfo& tensor : files.weights->tensors()) {
    if (left_out.contains(tensor.name)) continue;
    const std::optional<int> layer = layer_of(tensor.name);
    if (layer && *layer >= 0 && *layer < config.num_layers) {
      needs.layer_bytes[static_cast<size_t>(*layer)] += tensor.bytes;
      needs.read_bytes += read_bytes(config.experts, tensor);
    } else if (!layer) {
      needs.end_bytes += tensor.bytes;
    }
  }
  needs.work_bytes = work_bytes(config, options);
  return needs;
}

Result<LayerPlacement> place_layers(const ModelFiles& files, const EngineOptions& options,
                                    ModelDevices& devices) {
  const int num_layers = files.config.num_layers;
  const DType kv_dtype = options.kv_dtype.value_or(devices.front().info().kv_dtype);
  const ModelNeeds needs = estimate_needs(files, options, kv_dtype);
  if (auto joined = join_if_better(devices, files.config, needs); !joined) return joined.error();
  LayerPlacement placement;
  int first = 0;
  for (size_t i = 0; i < devices.size() && first < num_layers; ++i) {
    const auto backend = devices.at(i);
    if (!backend) return backend.error();
    const DeviceInfo info = (*backend)->info();
    int count = num_layers - first;
    if (info.has_own_memory) {
      count = std::min(count, count_fitting(needs, first, room_on(info, needs)));
    }
    count = end_of_range(files.config, first + count) - first;
    if (count <= 0) continue;
    placement.push_back({.backend = *backend, .first = first, .count = count});
    first += count;
  }
  if (first < num_layers) {
    return Error{ErrorCode::kOutOfMemory,
                 "The model needs about " + megabytes(total_bytes(needs)) +
                     ", and the devices hold only " + std::to_string(first) + " of its " +
                     std::to_string(num_layers) +
                     " layers. Choose a smaller model or the device \"cpu\"."};
  }
  return placement;
}

}  // namespace quire
