#pragma once

#include <vector>

#include "kernels/base/tensor_view.h"
#include "tests/kernels/conformance/device.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {

/// A weight (rows, columns) of any dtype in host memory, and what it is in f32.
struct WeightMatrix {
  DType dtype;
  int64_t rows;
  int64_t columns;
  std::vector<uint8_t> bytes;
  std::vector<float> exact;  ///< (rows, columns)
  std::vector<float>
      coarse;  ///< The largest size in the element's group of 16; its own, of floats.

  WeightMatrix(DType type, int64_t num_rows, int64_t num_columns, uint32_t seed);
  /// Of a type with its own range of scales (folder_types()): in every fourth row scales become
  /// 2^20, and half of these blocks zeros.
  void enlarge_scales();

  ConstTensorView view() const { return {bytes.data(), dtype, {rows, columns}}; }
  std::unique_ptr<LinearWeight> pack(Device& device) const;

 private:
  void find_coarse();
};

/// f32, f16, bf16 and the quantised types.
std::vector<DType> weight_types();
/// Those that folders are read into, whose blocks have a scale of f32's range in front.
std::vector<DType> folder_types();

}  // namespace quire::test
