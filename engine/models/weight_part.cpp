#include "engine/models/weight_part.h"

#include <numeric>

namespace quire {
namespace {

int rotary_dim(const WeightPart& part) {
  return part.rotary_dim > 0 ? part.rotary_dim : part.head_dim;
}

/// Appends the rows of queries or keys with each head's rotated even rows first: they were stored
/// for rotating adjacent pairs, and the backend rotates halves.
void append_halves(std::vector<ConstTensorView>& views, ConstTensorView tensor,
                   const WeightPart& part) {
  const int64_t num_pairs = tensor.dim(0) / 2, num_inputs = tensor.dim(1);
  const int64_t rotated = rotary_dim(part) / 2, rest = part.head_dim - rotary_dim(part);
  const ConstTensorView pairs(tensor.data(), tensor.dtype(), {num_pairs, 2 * num_inputs});
  for (int64_t begin = 0; begin < num_pairs; begin += part.head_dim / 2) {
    for (int64_t half : {0, 1}) {
      views.push_back(pairs.columns(half * num_inputs, num_inputs).rows(begin, rotated));
    }
    if (rest > 0) views.push_back(tensor.rows(2 * (begin + rotated), rest));
  }
}

/// Appends each head's rotated rows, which are its last ones, before its others.
void append_rotated_first(std::vector<ConstTensorView>& views, ConstTensorView tensor,
                          const WeightPart& part) {
  const int64_t rotated = part.rotary_dim, rest = part.head_dim - rotated;
  const int64_t num_inputs = tensor.dim(1);
  for (int64_t begin = 0; begin < tensor.dim(0); begin += part.head_dim) {
    const ConstTensorView last = tensor.rows(begin + rest, rotated);
    const ConstTensorView pairs(last.data(), last.dtype(), {rotated / 2, 2 * num_inputs});
    for (int64_t half : {0, 1}) {
      views.push_back(part.rotated_in_pairs ? pairs.columns(half * num_inputs, num_inputs)
                                            : last.rows(half * rotated / 2, rotated / 2));
    }
    views.push_back(tensor.rows(begin, rest));
  }
}

/// Appends the rows of a tensor that holds them in groups (WeightPart::group_widths).
void append_by_kind(std::vector<ConstTensorView>& views, ConstTensorView tensor,
                    std::span<const int64_t> widths) {
  const int64_t group = std::accumulate(widths.begin(), widths.end(), int64_t{0});
  int64_t first = 0;
  for (const int64_t width : widths) {
    for (int64_t begin = first; begin + width <= tensor.dim(0); begin += group) {
      views.push_back(tensor.rows(begin, width));
    }
    first += width;
  }
}

/// How the files store the part's rows in groups of several kinds; empty if they do not.
std::vector<int64_t> group_widths(const WeightPart& part, const WeightConventions& conventions) {
  const bool is_interleaved = conventions.interleaves_qkv && part.is_fused_qkv;
  return is_interleaved ? std::vector<int64_t>(3, part.head_dim) : part.group_widths;
}

}  // namespace

void append_in_order(std::vector<ConstTensorView>& views, ConstTensorView matrix,
                     const WeightPart& part, const WeightConventions& conventions) {
  if (part.rotated_last) return append_rotated_first(views, matrix, part);
  const std::vector<int64_t> widths = group_widths(part, conventions);
  if (!widths.empty()) return append_by_kind(views, matrix, widths);
  if (conventions.rotates_pairs && part.head_dim > 0 && !part.is_fused_qkv) {
    return append_halves(views, matrix, part);
  }
  views.push_back(matrix);
}

std::vector<float> in_order(std::span<const float> values, const WeightPart& part,
                            const WeightConventions& conventions) {
  const ConstTensorView column(values.data(), DType::kF32, {std::ssize(values), 1});
  std::vector<ConstTensorView> views;
  append_in_order(views, column, part, conventions);
  std::vector<float> sorted;
  for (const ConstTensorView& view : views) {
    for (int64_t i = 0; i < view.dim(0); ++i) sorted.push_back(*view.row<float>(i));
  }
  return sorted;
}

}  // namespace quire
