#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/check.h"
#include "kernels/base/tensor_view.h"

namespace quire {

/// The parts of Backend::pack_linear by what they are: matrices (N_i, K), and behind them perhaps
/// vectors:
/// - (K) i32, the inputs of the columns: column k is multiplied with input order[k]. It holds each
///   input once.
/// - (N) f32, factors of the outputs, which are multiplied before the bias is added.
struct WeightParts {
  std::span<const ConstTensorView> matrices;
  const int32_t* input_order = nullptr;  ///< (K); null: column k is of input k.
  const float* output_scales = nullptr;  ///< (N); null: all are 1.

  static WeightParts of(std::span<const ConstTensorView> parts) {
    CHECK(!parts.empty());
    WeightParts found = {parts};
    while (parts.back().rank() == 1) {
      const ConstTensorView& vector = parts.back();
      parts = parts.first(parts.size() - 1);
      CHECK(!parts.empty());
      if (vector.dtype() == DType::kI32) {
        found.input_order = vector.as<int32_t>();
        CHECK(vector.dim(0) == parts[0].dim(1));
      } else {
        CHECK(vector.dtype() == DType::kF32);
        found.output_scales = vector.as<float>();
      }
    }
    found.matrices = parts;
    return found;
  }

  int64_t num_inputs() const { return matrices[0].dim(1); }
  int64_t num_outputs() const {
    int64_t count = 0;
    for (const ConstTensorView& part : matrices) count += part.dim(0);
    return count;
  }
  /// Bytes of copies of the vectors.
  int64_t order_bytes() const {
    return input_order == nullptr ? 0 : num_inputs() * int64_t{sizeof(int32_t)};
  }
  int64_t scale_bytes() const {
    return output_scales == nullptr ? 0 : num_outputs() * int64_t{sizeof(float)};
  }
  int64_t vector_bytes() const { return order_bytes() + scale_bytes(); }
};

}  // namespace quire
