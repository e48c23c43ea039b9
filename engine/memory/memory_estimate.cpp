#include "engine/memory/memory_estimate.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/adapter_set.h"
#include "engine/draft_loading.h"
#include "engine/memory/device_state.h"
#include "engine/memory/kv_budget.h"
#include "engine/memory/measuring_backend.h"
#include "engine/memory/place_layers.h"
#include "engine/models/model_files.h"
#include "kernels/base/processor_cores.h"

namespace quire {
namespace {

/// What determines the host memory of a served model that is not allocated through a Backend.
struct HostMemoryInput {
  const ModelConfig& config;
  const EngineOptions& engine;
  int num_blocks = 0;    ///< Of the pool.
  int num_slots = 0;     ///< Of states.
  int num_windows = 0;   ///< Slots for window parts.
  bool computes = true;  ///< Whether the CPU computes layers.
};

/// Pieces, their index and some tokenizers' merges: 140 to 180 measured.
constexpr uint64_t kTokenizerBytesPerToken = 190;
/// Template, configuration, requests, threads' data and the heap's overhead.
constexpr uint64_t kOtherBytes = 128 << 10;
/// A layer's objects, and the names by which adapters find its matrices.
constexpr uint64_t kBytesPerLayer = 3 << 10;
/// An expert's row: its place in the sorted order and pointers to its input and output.
constexpr uint64_t kBytesPerExpertRow = 56;
/// Bookkeeping of a block of the pool, or of a state.
constexpr uint64_t kBytesPerBlock = 256;
/// The same of a window part, which has no name.
constexpr uint64_t kBytesPerWindow = 64;
/// A CUDA context's libraries, and pinned memory for uploads.
constexpr uint64_t kCudaHostBytes = uint64_t{256} << 20;

/// Device memory that the CUDA kernels allocate internally.
constexpr uint64_t kGpuKernelBytes = uint64_t{192} << 20;

/// The tokenizer, the logits to sample from, and the candidates and weights of each thread that
/// samples.
uint64_t vocabulary_bytes(const HostMemoryInput& input) {
  constexpr uint64_t kSamplerFloats = 4;
  const auto vocab = static_cast<uint64_t>(input.config.vocab_size);
  const auto logits = static_cast<uint64_t>(input.engine.max_logits()) +
                      kSamplerFloats * static_cast<uint64_t>(num_usable_cores());
  return vocab * (kTokenizerBytesPerToken + logits * sizeof(float));
}

/// Tokenizer, bookkeeping of the cache, and logits that are sampled on the host. A little more than
/// measured (tst_memory_estimate), never less.
uint64_t host_memory_bytes(const HostMemoryInput& input) {
  const uint64_t bytes =
      kOtherBytes + vocabulary_bytes(input) +
      static_cast<uint64_t>(input.config.layers.size()) * kBytesPerLayer +
      static_cast<uint64_t>(input.num_blocks + input.num_slots) * kBytesPerBlock +
      static_cast<uint64_t>(input.num_windows) * kBytesPerWindow;
  if (!input.computes) return bytes + kCudaHostBytes;
  const auto expert_rows = static_cast<uint64_t>(input.engine.max_batch_tokens) *
                           static_cast<uint64_t>(input.config.experts.experts_per_token);
  return bytes + expert_rows * kBytesPerExpertRow;
}

using Part = MemoryEstimate::Part;

/// One run over a model's files. Invariants: m_parts[i] is what m_placement[i] counts.
class Estimator {
 public:
  explicit Estimator(const MemoryEstimateInput& input) : m_input(input) {}

  Result<MemoryEstimate> run() {
    auto files = open_model_files(m_input.path, m_input.engine.max_context);
    if (!files) return files.error();
    auto devices = open_measuring_devices();
    if (!devices) return devices.error();
    if (auto placed = place(*files, *devices); !placed) return placed.error();
    auto decoder =
        make_decoder(*files, m_placement,
                     with_draft_layers({.check_only = true}, *files, m_input.engine, m_placement));
    if (!decoder) return decoder.error();
    auto heads = add_medusa_heads(**decoder, m_input.engine, {.check_only = true});
    if (!heads) return heads.error();
    AdapterSet adapters;
    for (const auto& path : m_input.engine.adapters) {
      if (auto added = adapters.load(path, **decoder, nullptr); !added) return added.error();
    }
    take_counts(&Part::weight_bytes);
    const ModelConfig& config = (*decoder)->config();
    if (auto chosen = choose_pool(config); !chosen) return chosen.error();
    if (auto allocated = allocate_pool(config); !allocated) return allocated.error();
    take_counts(&Part::kv_bytes);
    if (auto worked = allocate_work(**decoder); !worked) return worked.error();
    take_counts(&Part::work_bytes);
    add_host(config);
    m_estimate.model_name = files->config.name;
    return std::move(m_estimate);
  }

 private:
  const DeviceInfo* find_device(const std::string& name) const {
    const auto found = std::ranges::find(m_input.devices, name, &DeviceInfo::name);
    return found == m_input.devices.end() ? nullptr : &*found;
  }

  Result<ModelDevices> open_measuring_devices() {
    std::vector<std::string> names;
    for (const DeviceInfo& device : m_input.devices) names.push_back(device.name);
    CHECK(!names.empty());
    return ModelDevices::open_with(
        names, [this](const BackendOptions& options) -> Result<std::unique_ptr<Backend>> {
          const DeviceInfo* const device = find_device(options.device);
          CHECK(device != nullptr);
          return std::unique_ptr<Backend>(
              std::make_unique<MeasuringBackend>(*device, m_input.num_threads));
        });
  }

  Result<void> place(const ModelFiles& files, ModelDevices& devices) {
    auto placement = place_layers(files, m_input.engine, devices);
    if (!placement) return placement.error();
    m_placement = std::move(*placement);
    for (const LayerRange& range : m_placement) {
      const DeviceInfo device = range.backend->info();
      m_estimate.parts.push_back({.device = device.name,
                                  .has_own_memory = device.has_own_memory,
                                  .num_devices = device.num_devices,
                                  .num_layers = range.count,
                                  .free_bytes = device.free_bytes});
    }
    return {};
  }

  void take_counts(uint64_t Part::*to) {
    for (size_t i = 0; i < m_placement.size(); ++i) {
      auto& backend = static_cast<MeasuringBackend&>(*m_placement[i].backend);
      m_estimate.parts[i].*to += backend.take_counted();
    }
  }

  Result<void> choose_pool(const ModelConfig& config) {
    auto sizes = pick_pool(config, m_input.engine, m_placement);
    if (!sizes && sizes.error().code != ErrorCode::kOutOfMemory) return sizes.error();
    m_sizes = sizes ? *sizes
                    : PoolSizes{.num_blocks = 1,
                                .states = {.num_slots = StateCacheSizes::kLeastSlots},
                                .windows = {.num_slots = 2, .window = 1}};
    m_estimate.num_blocks = m_sizes.num_blocks;
    m_estimate.max_context = fitting_context(config, m_input.engine, m_estimate.num_blocks);
    m_estimate.full_context = served_context(config, m_input.engine);
    return {};
  }

  Result<void> allocate_pool(const ModelConfig& config) {
    const CacheLayout layout = cache_layout(config, kv_dtype(m_input.engine, m_placement));
    auto kv = CacheStorage::allocate(layer_backends(m_placement, layout.num_layers()), layout,
                                     m_sizes.storage());
    return kv ? Result<void>() : kv.error();
  }

  /// The runner's buffers, and the scratch memory that it reserves.
  Result<void> allocate_work(Decoder& decoder) {
    auto runner =
        ModelRunner::create(decoder, runner_limits(m_input.engine, m_estimate.max_context));
    return runner ? Result<void>() : runner.error();
  }

  /// Memory that is not allocated through a backend.
  void add_host(const ModelConfig& config) {
    for (Part& part : m_estimate.parts) {
      const auto num_devices = static_cast<uint64_t>(part.num_devices);
      if (part.has_own_memory) part.work_bytes += num_devices * kGpuKernelBytes;
    }
    const HostMemoryInput host = {.config = config,
                                  .engine = m_input.engine,
                                  .num_blocks = m_sizes.num_blocks,
                                  .num_slots = m_sizes.states.num_slots,
                                  .num_windows = m_sizes.windows.num_slots,
                                  .computes = !m_estimate.parts.back().has_own_memory};
    if (!host.computes) {
      const DeviceInfo& cpu = m_input.devices.back();
      m_estimate.parts.push_back({.device = cpu.name, .free_bytes = cpu.free_bytes});
    }
    m_estimate.parts.back().work_bytes += host_memory_bytes(host);
  }

  const MemoryEstimateInput& m_input;
  LayerPlacement m_placement;
  PoolSizes m_sizes;
  MemoryEstimate m_estimate;
};

}  // namespace

bool MemoryEstimate::fits() const {
  return std::ranges::all_of(
      parts, [](const Part& part) { return part.total_bytes() <= part.free_bytes; });
}

uint64_t MemoryEstimate::total_bytes() const {
  return std::accumulate(parts.begin(), parts.end(), uint64_t{0},
                         [](uint64_t sum, const Part& part) { return sum + part.total_bytes(); });
}

const MemoryEstimate::Part& MemoryEstimate::host() const {
  CHECK(!parts.empty() && !parts.back().has_own_memory);
  return parts.back();
}

Result<MemoryEstimate> estimate_memory(const MemoryEstimateInput& input) {
  CHECK(!input.devices.empty() && !input.devices.back().has_own_memory);
  return Estimator(input).run();
}

}  // namespace quire
