#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/io/weights.h"

namespace quire {

/// A tensor "x.weight", and how many of its rows are loaded.
struct WeightRows {
  std::string name;
  int64_t count;
};

/// Act-order: the groups of a quantised layer's inputs that share a scale are not consecutive.
/// A tensor (K) i32 beside the codes holds the group of each input. QuantizedFolder then gives the
/// layer with its columns sorted by group, and lists that tensor, so that a reader that does not
/// know about it refuses the model.

/// The inputs sorted by group, within a group ascending; nothing unless there are num_groups
/// groups of the same size.
std::optional<std::vector<int32_t>> sort_by_group(std::span<const std::byte> groups,
                                                  int64_t num_inputs, int64_t num_groups);

/// The inputs of the columns that all the tensors "x.weight" have, which are multiplied with the
/// same activations; empty: column k is of input k. The tensors that were read for it are added to
/// `read`. Errors: kUnsupported if the tensors have different orders.
Result<std::vector<int32_t>> read_input_order(WeightSource& source,
                                              std::span<const WeightRows> weights,
                                              std::vector<const TensorInfo*>& read);

}  // namespace quire
