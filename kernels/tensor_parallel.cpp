#include "kernels/tensor_parallel.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/base/weight_parts.h"
#include "kernels/parallel_views.h"

namespace quire {
namespace {

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

/// (T, H, D) of those heads.
template <typename View>
View heads_of(const View& x, int64_t first, int64_t count) {
  const int64_t dim = x.dim(2);
  return View(x.data(), x.dtype(), {x.dim(0), x.row_stride()})
      .columns(first * dim, count * dim)
      .split_columns(dim);
}

bool is_same(const ConstTensorView& a, const ConstTensorView& b) {
  return a.data() == b.data() && a.rank() == 2 && b.rank() == 2 && a.dim(0) == b.dim(0) &&
         a.dim(1) == b.dim(1) && a.row_stride() == b.row_stride();
}

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

TensorParallelBackend::OnDevice TensorParallelBackend::on(int device) const {
  return {m_memory, device};
}

void TensorParallelBackend::note(Error error) {
  if (!m_failure) m_failure = std::move(error);
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
  for (int d = 0; d < num_devices(); ++d) {
    Backend& device = *m_devices[static_cast<size_t>(d)];
    auto packed = weight->division ? device.pack_linear(OwnParts(whole, *weight->division, d).parts)
                                   : device.pack_linear(parts);
    if (!packed) return packed.error();
    weight->on_devices.push_back(std::move(*packed));
  }
  return std::unique_ptr<LinearWeight>(std::move(weight));
}

Result<void> TensorParallelBackend::reserve_scratch(const StepLimits& limits) {
  for (const auto& device : m_devices) {
    if (auto reserved = device->reserve_scratch(limits); !reserved) return reserved;
  }
  return {};
}

// What is divided --------------------------------------------------------------------------

void* TensorParallelBackend::slabs(int index, size_t bytes) {
  auto& memory = m_slabs[static_cast<size_t>(index)];
  const size_t wanted = std::max<size_t>(1, bytes * m_devices.size());
  if (memory == nullptr || memory->size_bytes() < wanted) {
    memory.reset();
    auto allocated = allocate(wanted);
    if (!allocated) return note(allocated.error()), nullptr;
    memory = std::move(*allocated);
  }
  return memory->data();
}

/// One row whose parts lie in it as the slabs would needs no other place.
TensorParallelBackend::Divided TensorParallelBackend::divide(TensorView out, int slab,
                                                             const RowDivision& division) {
  CHECK(out.rank() == 2 && out.dim(1) == division.row_size());
  const bool is_in_place = out.dim(0) == 1 && division.num_parts == 1 &&
                           division.width * division.num_devices == division.part_size;
  void* const memory = is_in_place ? out.data() : slabs(slab, division.slab_bytes(out.dim(0)));
  return {.out = out, .slabs = memory, .division = division};
}

TensorView TensorParallelBackend::own_part(int device, const Divided& rows) const {
  const RowDivision& division = rows.division;
  const int64_t num_rows = rows.out.dim(0);
  auto* const begin = static_cast<std::byte*>(m_memory.on(static_cast<size_t>(device), rows.slabs));
  return {begin + static_cast<size_t>(device) * division.slab_bytes(num_rows),
          DType::kF32,
          {num_rows, division.num_parts * division.count_of(device)}};
}

void TensorParallelBackend::exchange(const Divided& rows) {
  std::vector<void*> slabs;
  for (size_t d = 0; d < m_devices.size(); ++d) slabs.push_back(m_memory.on(d, rows.slabs));
  m_links->all_gather(slabs, rows.division.slab_bytes(rows.out.dim(0)));
  if (rows.slabs == rows.out.data()) return;
  for (int d = 0; d < num_devices(); ++d) {
    m_links->join_columns(d, on(d)(rows.out), slabs[static_cast<size_t>(d)], rows.division);
  }
}

/// Pairs wait for what follows: a device has both numbers of each of its own.
void TensorParallelBackend::finish(const Divided& rows) {
  if (rows.division.num_parts == 1) return exchange(rows);
  m_waiting = rows;
}

void TensorParallelBackend::exchange_waiting() {
  if (m_waiting) exchange(*std::exchange(m_waiting, std::nullopt));
}

void TensorParallelBackend::add_biases(TensorView out, ConstTensorView biases,
                                       ConstTensorView ids) {
  const int64_t num_rows = out.dim(0);
  if (ids.empty()) return add(out, biases.repeated(num_rows));
  void* const memory = slabs(1, sizeof(float) * static_cast<size_t>(out.num_elements()));
  if (memory == nullptr) return;
  const TensorView rows(memory, DType::kF32, {num_rows, out.dim(1)});
  gather_rows(rows, biases, ConstTensorView(ids.data(), DType::kI32, {num_rows}));
  add(out, rows);
}

void TensorParallelBackend::embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
                                  float scale) {
  const auto& division = static_cast<const Weight&>(table).division;
  if (!division) {
    return on_each(
        [&](Backend& device, OnDevice on) { device.embed(on(out), on(table), on(ids), scale); });
  }
  exchange_waiting();
  CHECK(division->num_parts == 1);
  const int64_t num_rows = out.dim(0), width = out.dim(1);
  const size_t bytes = sizeof(float) * static_cast<size_t>(num_rows * width);
  void* const memory = slabs(0, bytes);
  void* const own_ids = slabs(1, sizeof(int32_t) * static_cast<size_t>(num_rows));
  if (memory == nullptr || own_ids == nullptr) return;
  std::vector<void*> all;
  for (int d = 0; d < num_devices(); ++d) {
    const auto index = static_cast<size_t>(d);
    all.push_back(m_memory.on(index, memory));
    const TensorView local = on(d)(TensorView(own_ids, DType::kI32, {num_rows}));
    m_links->local_ids(d, local, on(d)(ids), d * division->width, division->count_of(d));
    m_devices[index]->embed(TensorView(static_cast<std::byte*>(all.back()) + index * bytes,
                                       DType::kF32, {num_rows, width}),
                            on(d)(table), local, scale);
  }
  m_links->all_gather(all, bytes);
  for (int d = 0; d < num_devices(); ++d) {
    const ConstTensorView slab(all[static_cast<size_t>(d)], DType::kF32,
                               {num_devices(), num_rows, width});
    m_links->select_rows(d, on(d)(out), slab, on(d)(ids), division->width);
  }
}

void TensorParallelBackend::linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                                   ConstTensorView bias) {
  const auto& division = static_cast<const Weight&>(weight).division;
  if (!division) {
    return on_each(
        [&](Backend& device, OnDevice on) { device.linear(on(out), on(x), on(weight), on(bias)); });
  }
  exchange_waiting();
  const Divided rows = divide(out, 0, *division);
  if (rows.slabs == nullptr) return;
  const bool is_pair = division->num_parts > 1;
  for (int d = 0; d < num_devices(); ++d) {
    ConstTensorView own_bias;
    if (!bias.empty() && !is_pair) {
      own_bias = on(d)(ConstTensorView(bias.as<float>() + d * division->width, DType::kF32,
                                       {division->count_of(d)}));
    }
    m_devices[static_cast<size_t>(d)]->linear(own_part(d, rows), on(d)(x), on(d)(weight), own_bias);
  }
  finish(rows);
  if (is_pair && !bias.empty()) add_biases(out, bias, {});
}

void TensorParallelBackend::glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
  if (!m_waiting || !is_same(m_waiting->out, gate_up)) {
    return on_each([&](Backend& device, OnDevice on) { device.glu(on(out), on(gate_up), params); });
  }
  const Divided pairs = *std::exchange(m_waiting, std::nullopt);
  RowDivision division = pairs.division;
  division.num_parts = 1;
  const Divided rows = divide(out, 1, division);
  if (rows.slabs == nullptr) return;
  for (int d = 0; d < num_devices(); ++d) {
    m_devices[static_cast<size_t>(d)]->glu(own_part(d, rows), own_part(d, pairs), params);
  }
  exchange(rows);
}

void TensorParallelBackend::linear_experts(TensorView out, ConstTensorView x,
                                           std::span<const LinearWeight* const> experts,
                                           ConstTensorView biases, ConstTensorView expert_ids) {
  const auto& division = static_cast<const Weight&>(*experts.front()).division;
  if (!division) {
    return on_each([&](Backend& device, OnDevice on) {
      device.linear_experts(on(out), on(x), on(experts), on(biases), on(expert_ids));
    });
  }
  exchange_waiting();
  const Divided rows = divide(out, 0, *division);
  if (rows.slabs == nullptr) return;
  for (int d = 0; d < num_devices(); ++d) {
    m_devices[static_cast<size_t>(d)]->linear_experts(own_part(d, rows), on(d)(x), on(d)(experts),
                                                      {}, on(d)(expert_ids));
  }
  finish(rows);
  if (!biases.empty()) add_biases(out, biases, expert_ids);
}

void TensorParallelBackend::linear_heads(TensorView out, ConstTensorView x,
                                         std::span<const LinearWeight* const> heads) {
  if (static_cast<const Weight&>(*heads.front()).division) {
    return note(make_error(ErrorCode::kUnsupported,
                           "This model's attention heads have %1 numbers, too many for several "
                           "GPUs that compute each layer together. Choose one device.",
                           {std::to_string(heads.front()->num_outputs())}));
  }
  on_each([&](Backend& device, OnDevice on) { device.linear_heads(on(out), on(x), on(heads)); });
}

/// Each device rotates all queries, and stores the keys and values of its heads.
void TensorParallelBackend::rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                                           ConstTensorView cos_sin, ConstTensorView slot_mapping,
                                           KvLayerView kv) {
  exchange_waiting();
  const bool is_divided = m_memory.item_bytes(kv.keys.data()) > 0;
  const int64_t kept = kv.keys.dim(1) / (is_divided ? num_devices() : 1);
  const int64_t count = k.dim(1) / (is_divided ? num_devices() : 1);
  for (int d = 0; d < num_devices(); ++d) {
    const int64_t first = is_divided ? d * count : 0;
    m_devices[static_cast<size_t>(d)]->rope_and_store(
        on(d)(q), on(d)(heads_of(k, first, count)), on(d)(heads_of(v, first, count)),
        on(d)(cos_sin), on(d)(slot_mapping), on(d)(kv, kept));
  }
}

/// Devices that have all keys and values still divide the queries if they can: those of MLA, whose
/// heads share one.
void TensorParallelBackend::attention(TensorView out, ConstTensorView q, KvLayerView kv,
                                      const AttentionBatch& batch, const AttentionParams& params) {
  exchange_waiting();
  const int64_t num_kv_heads = kv.keys.dim(1), num_heads = q.dim(1), dim = out.dim(2);
  const bool has_parts = m_memory.item_bytes(kv.keys.data()) > 0;
  const int64_t kept = has_parts ? num_kv_heads / num_devices() : num_kv_heads;
  if (!has_parts && (num_kv_heads != 1 || num_heads % num_devices() != 0)) {
    return on_each([&](Backend& device, OnDevice on) {
      AttentionParams own = params;
      own.sinks = on(params.sinks);
      device.attention(on(out), on(q), on(kv, kept), on(batch), own);
    });
  }
  const int64_t count = num_heads / num_devices();
  const TensorView rows_of_heads(out.data(), DType::kF32, {out.dim(0), num_heads * dim});
  const Divided rows = divide(rows_of_heads, 0,
                              {.num_devices = num_devices(),
                               .num_parts = 1,
                               .part_size = num_heads * dim,
                               .width = count * dim});
  if (rows.slabs == nullptr) return;
  for (int d = 0; d < num_devices(); ++d) {
    AttentionParams own = params;
    if (!params.sinks.empty()) {
      own.sinks =
          on(d)(ConstTensorView(params.sinks.as<float>() + d * count, DType::kF32, {count}));
    }
    m_devices[static_cast<size_t>(d)]->attention(own_part(d, rows).split_columns(dim),
                                                 on(d)(heads_of(q, d * count, count)),
                                                 on(d)(kv, kept), on(d)(batch), own);
  }
  exchange(rows);
}

}  // namespace quire
