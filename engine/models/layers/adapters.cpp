#include "engine/models/layers/adapters.h"

namespace quire {
namespace {

Result<void> grow(Backend& backend, std::unique_ptr<DeviceBuffer>& buffer, int64_t floats) {
  const size_t bytes = static_cast<size_t>(floats) * sizeof(float);
  if (buffer && buffer->size_bytes() >= bytes) return {};
  auto grown = backend.allocate(bytes);
  if (!grown) return grown.error();
  buffer = std::move(*grown);
  return {};
}

TensorView view_of(const std::unique_ptr<DeviceBuffer>& buffer, int64_t rows, int64_t columns) {
  CHECK(buffer && static_cast<size_t>(rows * columns) * sizeof(float) <= buffer->size_bytes());
  return {buffer->data(), DType::kF32, {rows, columns}};
}

}  // namespace

void AdapterStep::begin(const AdapterRows* rows, int64_t num_rows) {
  m_rows = rows;
  m_num_rows = num_rows;
}

std::span<const AdapterRun> AdapterStep::runs(int64_t num_rows) const {
  if (m_rows == nullptr) return {};
  return num_rows == m_num_rows ? m_rows->all : m_rows->wanted;
}

Result<void> AdapterStep::reserve(Backend& backend, int64_t max_rows, int64_t max_rank,
                                  int64_t max_outputs) {
  if (auto grown = grow(backend, m_low_rank, max_rows * max_rank); !grown) return grown;
  return grow(backend, m_delta, max_rows * max_outputs);
}

TensorView AdapterStep::low_rank(int64_t rows, int64_t rank) const {
  return view_of(m_low_rank, rows, rank);
}

TensorView AdapterStep::delta(int64_t rows, int64_t outputs) const {
  return view_of(m_delta, rows, outputs);
}

void LinearAdapters::apply(Backend& backend, TensorView out, ConstTensorView x) const {
  if (m_updates.empty()) return;
  for (const AdapterRun& run : m_step->runs(x.dim(0))) {
    const auto found = m_updates.find(run.adapter);
    if (found == m_updates.end()) continue;
    const LoraUpdate& update = found->second;
    const TensorView low_rank = m_step->low_rank(run.count, update.a->num_outputs());
    const TensorView delta = m_step->delta(run.count, update.b->num_outputs());
    backend.linear(low_rank, x.rows(run.first, run.count), *update.a, {});
    backend.linear(delta, low_rank, *update.b, {});
    backend.add(out.rows(run.first, run.count), delta);
  }
}

size_t LinearAdapters::size_bytes() const {
  size_t total = 0;
  for (const auto& [adapter, update] : m_updates) {
    total += update.a->size_bytes() + update.b->size_bytes();
  }
  return total;
}

}  // namespace quire
