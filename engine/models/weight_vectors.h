#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/input_order.h"

namespace quire {

/// What a product of quantised layers needs beside their blocks (WeightParts): the inputs of its
/// columns (input_order.h), and factors of its outputs. Empty where it needs none.
struct WeightVectors {
  std::vector<int32_t> input_order;  ///< (K)
  std::vector<float> output_scales;  ///< (N): NVFP4's scale of a whole tensor.

  bool empty() const { return input_order.empty() && output_scales.empty(); }
  /// As the last parts of Backend::pack_linear.
  void append_to(std::vector<ConstTensorView>& parts) const;
};

/// Those of the product of these tensors, which are one below the other. The tensors that were read
/// for it are added to `read`. Errors: kUnsupported if the tensors have different orders
/// of the inputs; kCorruptFile for a scale that is no positive number.
Result<WeightVectors> read_weight_vectors(WeightSource& source, std::span<const WeightRows> weights,
                                          std::vector<const TensorInfo*>& read);

}  // namespace quire
