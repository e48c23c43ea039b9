#pragma once

#include <algorithm>

#include "engine/models/layers/device_tensor.h"
#include "kernels/base/quantized_activations.h"

namespace quire {

/// Memory for what blocks of layers compute on their way. The blocks of one backend run one after
/// the other, so they share it: each takes its buffers in a Scope, which returns them. For the same
/// shapes a block gets the same addresses, as CUDA graphs require.
///
/// Blocks that take their buffers from a workspace without memory (Mixer::measure) measure what
/// they need: the views are empty, and allocate() then allocates the most that was taken at once.
/// Thread: the engine's.
class Workspace {
 public:
  explicit Workspace(Backend& backend) : m_backend(&backend) {}

  /// What is taken during its life is free again afterwards.
  class Scope {
   public:
    explicit Scope(Workspace& work) : m_work(&work), m_begin(work.m_used) {}
    ~Scope() { m_work->m_used = m_begin; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace* m_work;
    int64_t m_begin;
  };

  /// (rows, columns) f32 or i32, contents undefined.
  TensorView take(int64_t rows, int64_t columns, DType dtype = DType::kF32) {
    CHECK(dtype_bytes(dtype) == sizeof(float));
    return {take_floats(rows * columns), dtype, {rows, columns}};
  }

  /// (rows, columns) in the dtype of a product's input: f32, or quantised activations. It takes
  /// memory for all of them, so that it may be measured with one and taken with another.
  TensorView take_input(int64_t rows, int64_t columns, DType dtype) {
    constexpr int64_t kHalvesOfFloat = 2;
    static_assert(kAlignedRowBytes <= kQuantizedRowAlignment * 2);
    const int64_t stride = quantized_row_stride(DType::kF16, columns) / kHalvesOfFloat;
    void* const data = take_floats(rows * std::max(columns, stride));
    if (dtype != DType::kF32) return quantized_activations(data, dtype, rows, columns);
    return {data, dtype, {rows, columns}};
  }

  /// Errors: kOutOfMemory.
  Result<void> allocate() {
    CHECK(m_used == 0 && m_memory.view.empty());
    auto memory = allocate_tensor(*m_backend, DType::kF32, {std::max<int64_t>(1, m_most)});
    if (!memory) return memory.error();
    m_memory = std::move(*memory);
    return {};
  }

 private:
  static constexpr int64_t kAlignment = 64;  ///< Elements: 256 bytes.

  /// Null without memory.
  float* take_floats(int64_t count) {
    const int64_t begin = m_used;
    m_used += (count + kAlignment - 1) / kAlignment * kAlignment;
    m_most = std::max(m_most, m_used);
    if (m_memory.view.empty()) return nullptr;
    CHECK(m_used <= m_memory.view.dim(0));
    return m_memory.view.as<float>() + begin;
  }

  Backend* m_backend;
  DeviceTensor m_memory;  ///< (n) f32.
  int64_t m_used = 0;     ///< Elements.
  int64_t m_most = 0;
};

}  // namespace quire
