#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/models/weight_conventions.h"
#include "kernels/base/tensor_view.h"

namespace quire {

/// A part of a layer's weight or vector: a tensor of num_outputs rows (or elements, for vectors).
struct WeightPart {
  std::string name;
  int64_t num_outputs;
  int head_dim = 0;       ///< Of rows that are queries or keys, which some files reorder; else 0.
  int rotary_dim = 0;     ///< The rotated dimensions of a head, its first ones; 0: all.
  int64_t first_row = 0;  ///< Rows of the file's tensor before it are left out.
  bool is_fused_qkv = false;  ///< Queries, keys and values of heads of head_dim.
  /// The rotated dimensions are a head's last ones, and are loaded before its others; with
  /// rotated_in_pairs they are stored for rotating adjacent pairs.
  bool rotated_last = false;
  bool rotated_in_pairs = false;
  bool is_table = false;  ///< Of embeddings or the head, which no file transposes.
  /// Rows of several kinds in groups: so many of each kind, again and again. They are loaded kind
  /// by kind.
  std::vector<int64_t> group_widths = {};
};

/// Appends views of the rows of a part's matrix (num_outputs, columns) in the order that the
/// decoder uses, which may differ from that of the files.
void append_in_order(std::vector<ConstTensorView>& views, ConstTensorView matrix,
                     const WeightPart& part, const WeightConventions& conventions);
/// The elements of a part's vector (num_outputs) in the same order.
std::vector<float> in_order(std::span<const float> values, const WeightPart& part,
                            const WeightConventions& conventions);

}  // namespace quire
