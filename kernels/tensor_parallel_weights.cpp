// A group's weights.

#include <algorithm>
#include <utility>

#include "kernels/base/weight_parts.h"
#include "kernels/parallel_views.h"

namespace quire {
namespace {

/// The most outputs of a weight that is no table of tokens.
constexpr int64_t kMostOfLayer = 65'536;

/// Outputs that kernels keep together.
constexpr int64_t kUnitOutputs = 16;

/// The division of a weight's outputs; empty if it is not divided. Two parts of the same size are a
/// gate and what it is for, or might be: a device that has the same outputs of both can go on.
std::optional<RowDivision> divide_outputs(const WeightParts& parts, int num_devices,
                                          int64_t fewest_outputs) {
  const int64_t count = parts.num_outputs();
  const bool is_pair =
      parts.matrices.size() == 2 && parts.matrices[0].dim(0) == parts.matrices[1].dim(0);
  RowDivision division = {.num_devices = num_devices, .num_parts = is_pair ? 2 : 1};
  division.part_size = count / division.num_parts;
  const int64_t units = (division.part_size + kUnitOutputs - 1) / kUnitOutputs;
  division.width = (units + num_devices - 1) / num_devices * kUnitOutputs;
  const bool has_all_some = division.count_of(num_devices - 1) > 0;
  return count >= fewest_outputs && has_all_some ? std::optional(division) : std::nullopt;
}

/// The rows [first, first + count) of matrices that are one below the other.
void append_rows(std::vector<ConstTensorView>& to, std::span<const ConstTensorView> matrices,
                 int64_t first, int64_t count) {
  for (const ConstTensorView& matrix : matrices) {
    const int64_t begin = std::clamp<int64_t>(first, 0, matrix.dim(0));
    const int64_t end = std::clamp<int64_t>(first + count, 0, matrix.dim(0));
    if (begin < end) to.push_back(matrix.rows(begin, end - begin));
    first -= matrix.dim(0);
  }
}

/// What one device packs; keeps the vectors that are not in one piece.
struct OwnParts {
  std::vector<ConstTensorView> parts;
  std::vector<float> scales;

  OwnParts(const WeightParts& whole, const RowDivision& division, int device) {
    const int64_t count = division.count_of(device);
    for (int64_t p = 0; p < division.num_parts; ++p) {
      const int64_t first = p * division.part_size + device * division.width;
      append_rows(parts, whole.matrices, first, count);
      if (whole.output_scales == nullptr) continue;
      scales.insert(scales.end(), whole.output_scales + first, whole.output_scales + first + count);
    }
    if (whole.input_order != nullptr) {
      parts.push_back({whole.input_order, DType::kI32, {whole.num_inputs()}});
    }
    if (!scales.empty()) {
      parts.push_back({scales.data(), DType::kF32, {static_cast<int64_t>(scales.size())}});
    }
  }
};

}  // namespace

Result<std::unique_ptr<LinearWeight>> TensorParallelBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  const WeightParts whole = WeightParts::of(parts);
  auto weight = std::make_unique<Weight>(whole.num_outputs(), whole.num_inputs());
  weight->division = divide_outputs(whole, num_devices(), m_options.fewest_outputs);
  if (weight->division && whole.num_outputs() <= kMostOfLayer) {
    m_widest = std::max(m_widest, whole.num_outputs());
  }
  for (int d = 0; d < num_devices(); ++d) {
    Backend& device = *m_devices[static_cast<size_t>(d)];
    auto packed = weight->division ? device.pack_linear(OwnParts(whole, *weight->division, d).parts)
                                   : device.pack_linear(parts);
    if (!packed) return packed.error();
    weight->on_devices.push_back(std::move(*packed));
  }
  return std::unique_ptr<LinearWeight>(std::move(weight));
}

/// Also what most exchanges need; a table of tokens may need more.
Result<void> TensorParallelBackend::reserve_scratch(const StepLimits& limits) {
  for (const auto& device : m_devices) {
    if (auto reserved = device->reserve_scratch(limits); !reserved) return reserved;
  }
  const int64_t value_dim = limits.value_dim > 0 ? limits.value_dim : limits.head_dim;
  const int64_t width = std::max(m_widest, limits.num_heads * value_dim) / num_devices() + 1;
  int64_t rows = 0;
  for (const StepLimits::Activations& inputs : limits.activations) {
    rows = std::max(rows, inputs.num_rows * inputs.experts_per_row);
  }
  const auto bytes = static_cast<size_t>(rows * width) * sizeof(float);
  // The second place has the halves of pairs.
  const bool has_room = slabs(0, bytes) != nullptr && slabs(1, bytes / 2) != nullptr;
  return has_room ? Result<void>() : *std::exchange(m_failure, std::nullopt);
}

}  // namespace quire
