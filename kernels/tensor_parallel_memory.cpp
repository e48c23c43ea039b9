// A group's memory, graphs and weights.

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/base/weight_parts.h"
#include "kernels/parallel_views.h"

namespace quire {
namespace {

/// The most outputs of a weight that is no table of tokens.
constexpr int64_t kMostOfLayer = 65'536;

/// Outputs that kernels keep together.
constexpr int64_t kUnitOutputs = 16;

/// The division of a weight's outputs; empty if it is not divided. Two parts of the same size are a
/// gate and what it is for, or might be: a device that has the same outputs of both can go on.
std::optional<RowDivision> divide_outputs(const WeightParts& parts, int num_devices,
                                          int64_t fewest_outputs) {
  const int64_t count = parts.num_outputs();
  const bool is_pair =
      parts.matrices.size() == 2 && parts.matrices[0].dim(0) == parts.matrices[1].dim(0);
  RowDivision division = {.num_devices = num_devices, .num_parts = is_pair ? 2 : 1};
  division.part_size = count / division.num_parts;
  const int64_t units = (division.part_size + kUnitOutputs - 1) / kUnitOutputs;
  division.width = (units + num_devices - 1) / num_devices * kUnitOutputs;
  const bool has_all_some = division.count_of(num_devices - 1) > 0;
  return count >= fewest_outputs && has_all_some ? std::optional(division) : std::nullopt;
}

/// The rows [first, first + count) of matrices that are one below the other.
void append_rows(std::vector<ConstTensorView>& to, std::span<const ConstTensorView> matrices,
                 int64_t first, int64_t count) {
  for (const ConstTensorView& matrix : matrices) {
    const int64_t begin = std::clamp<int64_t>(first, 0, matrix.dim(0));
    const int64_t end = std::clamp<int64_t>(first + count, 0, matrix.dim(0));
    if (begin < end) to.push_back(matrix.rows(begin, end - begin));
    first -= matrix.dim(0);
  }
}

/// What one device packs; keeps the vectors that are not in one piece.
struct OwnParts {
  std::vector<ConstTensorView> parts;
  std::vector<float> scales;

  OwnParts(const WeightParts& whole, const RowDivision& division, int device) {
    const int64_t count = division.count_of(device);
    for (int64_t p = 0; p < division.num_parts; ++p) {
      const int64_t first = p * division.part_size + device * division.width;
      append_rows(parts, whole.matrices, first, count);
      if (whole.output_scales == nullptr) continue;
      scales.insert(scales.end(), whole.output_scales + first, whole.output_scales + first + count);
    }
    if (whole.input_order != nullptr) {
      parts.push_back({whole.input_order, DType::kI32, {whole.num_inputs()}});
    }
    if (!scales.empty()) {
      parts.push_back({scales.data(), DType::kF32, {static_cast<int64_t>(scales.size())}});
    }
  }
};

}  // namespace

DeviceInfo describe_group(std::span<const DeviceInfo> devices) {
  DeviceInfo group = devices.front();
  group.num_devices = static_cast<int>(devices.size());
  group.description = std::to_string(devices.size()) + " x " + group.description;
  for (const DeviceInfo& device : devices.subspan(1)) {
    group.name += "+" + device.name;
    group.total_bytes = std::min(group.total_bytes, device.total_bytes);
    group.free_bytes = std::min(group.free_bytes, device.free_bytes);
  }
  group.total_bytes *= devices.size();
  group.free_bytes *= devices.size();
  return group;
}

Result<std::unique_ptr<Backend>> join_devices(std::vector<std::unique_ptr<Backend>>& devices) {
  CHECK(devices.size() > 1);
  std::vector<Backend*> all;
  for (const auto& device : devices) all.push_back(device.get());
  auto links = devices[0]->connect(all);
  if (!links) return links.error();
  return std::unique_ptr<Backend>(std::make_unique<TensorParallelBackend>(
      std::exchange(devices, {}), std::move(*links), TensorParallelBackend::Options{}));
}

Result<GroupSpeed> measure_group(Backend& joined) {
  return static_cast<TensorParallelBackend&>(joined).measure();
}

std::vector<std::unique_ptr<Backend>> separate_devices(std::unique_ptr<Backend> joined) {
  return static_cast<TensorParallelBackend&>(*joined).take_devices();
}

TensorParallelBackend::TensorParallelBackend(std::vector<std::unique_ptr<Backend>> devices,
                                             std::unique_ptr<DeviceLinks> links,
                                             const Options& options)
    : m_devices(std::move(devices)), m_links(std::move(links)), m_options(options) {}
TensorParallelBackend::~TensorParallelBackend() = default;

std::vector<std::unique_ptr<Backend>> TensorParallelBackend::take_devices() {
  for (auto& memory : m_slabs) memory.reset();
  m_links.reset();
  return std::move(m_devices);
}

Result<GroupSpeed> TensorParallelBackend::measure() {
  constexpr int kCopies = 8, kExchanges = 50;
  constexpr size_t kBytes = size_t{64} << 20, kSlabBytes = 1024 * sizeof(float);
  auto memory = allocate(2 * kBytes);
  if (!memory) return memory.error();
  auto* const begin = static_cast<std::byte*>((*memory)->data());
  std::vector<void*> slabs;
  for (size_t d = 0; d < m_devices.size(); ++d) slabs.push_back(m_memory.on(d, begin));
  Result<void> done;
  const auto seconds = [&](int count, const std::function<void()>& operation) {
    operation();  // The first time takes longer.
    if (done) done = synchronize();
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) operation();
    if (done) done = synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / count;
  };
  const double of_copy = seconds(kCopies, [&] { copy(begin + kBytes, begin, kBytes); });
  const double of_exchange = seconds(kExchanges, [&] { m_links->all_gather(slabs, kSlabBytes); });
  if (!done) return done.error();
  return GroupSpeed{.exchange_seconds = of_exchange,
                    .bytes_per_second = 2 * double(kBytes) / std::max(of_copy, 1e-9)};
}

DeviceInfo TensorParallelBackend::info() const {
  std::vector<DeviceInfo> infos;
  for (const auto& device : m_devices) infos.push_back(device->info());
  return describe_group(infos);
}

// Memory -----------------------------------------------------------------------------------

Result<std::unique_ptr<DeviceBuffer>> TensorParallelBackend::allocate(size_t bytes) {
  return m_memory.allocate(m_devices, {.bytes = bytes});
}

Result<std::unique_ptr<DeviceBuffer>> TensorParallelBackend::allocate_pages(size_t block_bytes,
                                                                            int64_t count,
                                                                            int64_t num_heads) {
  const bool is_divided = num_heads % num_devices() == 0;
  return m_memory.allocate(m_devices, {.bytes = block_bytes * static_cast<size_t>(count),
                                       .item_bytes = is_divided ? block_bytes : 0});
}

/// Of divided memory each device has the same part of every item.
void TensorParallelBackend::upload(void* dst, const void* host_src, size_t bytes) {
  exchange_waiting();
  const size_t item = m_memory.item_bytes(dst);
  const size_t part = item / m_devices.size();
  CHECK(item == 0 || bytes % item == 0);
  for (size_t d = 0; d < m_devices.size(); ++d) {
    auto* const to = static_cast<std::byte*>(m_memory.on(d, dst));
    if (item == 0) m_devices[d]->upload(to, host_src, bytes);
    for (size_t i = 0; item > 0 && i < bytes / item; ++i) {
      m_devices[d]->upload(to + i * part,
                           static_cast<const std::byte*>(host_src) + i * item + d * part, part);
    }
  }
}

void TensorParallelBackend::download(void* host_dst, const void* src, size_t bytes) {
  exchange_waiting();
  const size_t item = m_memory.item_bytes(src);
  const size_t part = item / m_devices.size();
  CHECK(item == 0 || bytes % item == 0);
  if (item == 0) return m_devices[0]->download(host_dst, m_memory.on(0, src), bytes);
  for (size_t d = 0; d < m_devices.size(); ++d) {
    const auto* const from = static_cast<const std::byte*>(m_memory.on(d, src));
    for (size_t i = 0; i < bytes / item; ++i) {
      m_devices[d]->download(static_cast<std::byte*>(host_dst) + i * item + d * part,
                             from + i * part, part);
    }
  }
}

void TensorParallelBackend::copy(void* dst, const void* src, size_t bytes) {
  exchange_waiting();
  const size_t item = m_memory.item_bytes(dst);
  CHECK(m_memory.item_bytes(src) == item && (item == 0 || bytes % item == 0));
  const size_t on_each = item > 0 ? bytes / m_devices.size() : bytes;
  for (size_t d = 0; d < m_devices.size(); ++d) {
    m_devices[d]->copy(m_memory.on(d, dst), m_memory.on(d, src), on_each);
  }
}

Result<void> TensorParallelBackend::synchronize() {
  exchange_waiting();
  for (const auto& device : m_devices) {
    if (auto done = device->synchronize(); !done) note(done.error());
  }
  m_marks.clear();
  const std::optional<Error> failure = std::exchange(m_failure, std::nullopt);
  return failure ? Result<void>(*failure) : Result<void>();
}

uint64_t TensorParallelBackend::mark() {
  exchange_waiting();
  std::vector<uint64_t> marks;
  for (const auto& device : m_devices) marks.push_back(device->mark());
  m_marks.push_back(std::move(marks));
  return m_next_mark++;
}

Result<void> TensorParallelBackend::wait_for(uint64_t mark) {
  while (!m_marks.empty() && m_next_mark - m_marks.size() <= mark) {
    const std::vector<uint64_t> marks = std::move(m_marks.front());
    m_marks.pop_front();
    for (size_t d = 0; d < m_devices.size(); ++d) {
      if (auto done = m_devices[d]->wait_for(marks[d]); !done) note(done.error());
    }
  }
  const std::optional<Error> failure = std::exchange(m_failure, std::nullopt);
  return failure ? Result<void>(*failure) : Result<void>();
}

void TensorParallelBackend::launch_graph(uint64_t key, const std::function<void()>& operations) {
  exchange_waiting();
  m_links->launch_graph(key, [&] {
    operations();
    exchange_waiting();
  });
}

// Weights ----------------------------------------------------------------------------------

Result<std::unique_ptr<LinearWeight>> TensorParallelBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  const WeightParts whole = WeightParts::of(parts);
  auto weight = std::make_unique<Weight>(whole.num_outputs(), whole.num_inputs());
  weight->division = divide_outputs(whole, num_devices(), m_options.fewest_outputs);
  if (weight->division && whole.num_outputs() <= kMostOfLayer) {
    m_widest = std::max(m_widest, whole.num_outputs());
  }
  for (int d = 0; d < num_devices(); ++d) {
    Backend& device = *m_devices[static_cast<size_t>(d)];
    auto packed = weight->division ? device.pack_linear(OwnParts(whole, *weight->division, d).parts)
                                   : device.pack_linear(parts);
    if (!packed) return packed.error();
    weight->on_devices.push_back(std::move(*packed));
  }
  return std::unique_ptr<LinearWeight>(std::move(weight));
}

/// Also what most exchanges need; a table of tokens may need more.
Result<void> TensorParallelBackend::reserve_scratch(const StepLimits& limits) {
  for (const auto& device : m_devices) {
    if (auto reserved = device->reserve_scratch(limits); !reserved) return reserved;
  }
  const int64_t value_dim = limits.value_dim > 0 ? limits.value_dim : limits.head_dim;
  const int64_t width = std::max(m_widest, limits.num_heads * value_dim) / num_devices() + 1;
  int64_t rows = 0;
  for (const StepLimits::Activations& inputs : limits.activations) {
    rows = std::max(rows, inputs.num_rows * inputs.experts_per_row);
  }
  const auto bytes = static_cast<size_t>(rows * width) * sizeof(float);
  // The second place has the halves of pairs.
  const bool has_room = slabs(0, bytes) != nullptr && slabs(1, bytes / 2) != nullptr;
  return has_room ? Result<void>() : *std::exchange(m_failure, std::nullopt);
}

}  // namespace quire
