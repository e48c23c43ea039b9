#include "kernels/tensor_parallel.h"

#include <algorithm>
#include <utility>

#include "kernels/parallel_views.h"

namespace quire {
namespace {

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

TensorParallelBackend::OnDevice TensorParallelBackend::on(int device) const {
  return {m_memory, device};
}

void TensorParallelBackend::note(Error error) {
  if (!m_failure) m_failure = std::move(error);
}

void* TensorParallelBackend::slabs(int index, size_t bytes) {
  auto& memory = m_slabs[static_cast<size_t>(index)];
  const size_t wanted = std::max<size_t>(1, bytes * m_devices.size());
  if (memory == nullptr || memory->size_bytes() < wanted) {
    memory.reset();
    auto allocated = allocate(wanted);
    if (!allocated) {
      note(allocated.error());
      return nullptr;
    }
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
  const int64_t num_kept = kv.keys.empty() ? 0 : kv.keys.dim(1);
  const int64_t kept = num_kept / (is_divided ? num_devices() : 1);
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
