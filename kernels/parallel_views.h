#pragma once

#include "kernels/backend.h"
#include "kernels/parallel_memory.h"
#include "kernels/tensor_parallel.h"

namespace quire {

/// A weight on every device of a group, whole or divided by outputs.
class TensorParallelBackend::Weight final : public LinearWeight {
 public:
  Weight(int64_t num_outputs, int64_t num_inputs) : m_outputs(num_outputs), m_inputs(num_inputs) {}

  int64_t num_outputs() const override { return m_outputs; }
  int64_t num_inputs() const override { return m_inputs; }
  size_t size_bytes() const override {
    size_t bytes = 0;
    for (const auto& part : on_devices) bytes += part->size_bytes();
    return bytes;
  }

  std::vector<std::unique_ptr<LinearWeight>> on_devices;
  std::optional<RowDivision> division;  ///< Of its outputs; empty: each device has it whole.

 private:
  int64_t m_outputs, m_inputs;
};

/// Finds what addresses of a group's memory stand for on one of its devices.
class TensorParallelBackend::OnDevice {
 public:
  OnDevice(const ParallelMemory& memory, int device)
      : m_memory(memory), m_device(static_cast<size_t>(device)) {}

  TensorView operator()(const TensorView& view) const {
    return view.at(m_memory.on(m_device, view.data()));
  }
  ConstTensorView operator()(const ConstTensorView& view) const {
    return view.at(m_memory.on(m_device, view.data()));
  }
  const LinearWeight& operator()(const LinearWeight& weight) const {
    return *static_cast<const Weight&>(weight).on_devices[m_device];
  }
  std::vector<const LinearWeight*> operator()(std::span<const LinearWeight* const> weights) const {
    std::vector<const LinearWeight*> found;
    for (const LinearWeight* weight : weights) found.push_back(&(*this)(*weight));
    return found;
  }
  AttentionBatch operator()(const AttentionBatch& batch) const {
    return {(*this)(batch.query_start), (*this)(batch.context_len), (*this)(batch.block_tables)};
  }
  StateBatch operator()(const StateBatch& batch) const {
    return {(*this)(batch.query_start), (*this)(batch.segment_start), (*this)(batch.row_end),
            (*this)(batch.out), (*this)(batch.in)};
  }
  /// The device's pages: those of all heads, or of its own `num_heads` if they are divided.
  KvLayerView operator()(const KvLayerView& kv, int64_t num_heads) const {
    return {pages(kv.keys, num_heads), pages(kv.values, num_heads), pages(kv.key_scales, num_heads),
            pages(kv.value_scales, num_heads)};
  }

 private:
  TensorView pages(const TensorView& view, int64_t num_heads) const {
    if (view.empty()) return view;
    void* const data = m_memory.on(m_device, view.data());
    return view.rank() == 3
               ? TensorView(data, view.dtype(), {view.dim(0), num_heads, view.dim(2)})
               : TensorView(data, view.dtype(), {view.dim(0), num_heads, view.dim(2), view.dim(3)});
  }

  const ParallelMemory& m_memory;
  size_t m_device;
};

/// operation(device, on): on() finds what an address stands for there.
template <typename Operation>
void TensorParallelBackend::on_each(const Operation& operation) {
  exchange_waiting();
  for (int d = 0; d < num_devices(); ++d) operation(*m_devices[static_cast<size_t>(d)], on(d));
}

}  // namespace quire
