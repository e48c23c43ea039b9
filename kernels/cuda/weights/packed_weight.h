#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cuda/weights/segment_bytes.h"

/// The layout of linear layers' weights in device memory.
///
/// A weight (N, K) is cut into *units* of 16 outputs and kUnitInputs inputs (64, or 256 for the
/// types with blocks of 256), each the A operand of m16n8k16 products in the order in which lanes
/// hold it: one 16-byte load gives a lane its elements of as many steps of 16 inputs as fit. The
/// units of the same outputs are adjacent, by ascending inputs; outputs past N and inputs past K
/// are zero. The format defines the contents of a unit (formats/).
///
/// The order of a matrix product's sum, for any number of rows: chunks of kChunkInputs inputs, each
/// a chain of m16n8k16 products in ascending order that begins at zero; the chunks' sums added in
/// ascending order in f32, then the bias. f32 weights (stored row by row): within a chunk one fused
/// multiply-add for each input in ascending order.
namespace quire::cuda {

inline constexpr int kChunkInputs = 256;

/// Activations are multiplied by this (saturating) for f16 weights, and products by its inverse: a
/// layer's inputs may exceed the largest f16 (65,504), but the loss of small ones does not matter.
inline constexpr float kF16InputScale = 0x1p-6f;

/// Consecutive outputs of one dtype.
struct LinearSegment {
  DType dtype;
  int64_t first_output;
  int64_t num_outputs;
  int64_t num_units;    ///< Units for one group of 16 outputs: K / kUnitInputs, rounded up.
  const uint8_t* data;  ///< Units, 256-byte aligned, or for f32 rows of K floats.
  int64_t row_stride;   ///< f32: floats between consecutive rows, padded with zeros.
};

/// The result of pack_linear.
class PackedWeight final : public LinearWeight {
 public:
  PackedWeight(int64_t num_outputs, int64_t num_inputs)
      : m_outputs(num_outputs), m_inputs(num_inputs) {}
  PackedWeight(const PackedWeight&) = delete;
  PackedWeight& operator=(const PackedWeight&) = delete;

  int64_t num_outputs() const override { return m_outputs; }
  int64_t num_inputs() const override { return m_inputs; }
  size_t size_bytes() const override { return m_memory ? m_memory->size_bytes() : 0; }
  const std::vector<LinearSegment>& segments() const { return m_segments; }
  /// (K) on the device: column k is multiplied with input order[k]. Null: with input k.
  const int32_t* input_order() const { return m_input_order; }
  /// (N) on the device, factors of the outputs before the bias. Null: all are 1.
  const float* output_scales() const { return m_output_scales; }

 private:
  friend class LinearPacker;
  int64_t m_outputs;
  int64_t m_inputs;
  std::vector<LinearSegment> m_segments;
  int32_t* m_input_order = nullptr;
  float* m_output_scales = nullptr;
  std::unique_ptr<DeviceBuffer> m_memory;  ///< One allocation for all of these.
};

/// The weight, which this backend has packed.
inline const PackedWeight& packed_weight(const LinearWeight& weight) {
  const auto* const packed = dynamic_cast<const PackedWeight*>(&weight);
  CHECK(packed != nullptr);
  return *packed;
}

}  // namespace quire::cuda
