// Experts that are stacked in one tensor in FP8.

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/io/text.h"
#include "engine/models/quantized_layer.h"

namespace quire {
namespace {

constexpr std::string_view kStacks[] = {".experts.gate_up_proj", ".experts.down_proj"};

/// Which outputs of an expert a projection is.
struct Projection {
  const char* name;
  int64_t first;  ///< Output.
  int64_t count;
};

std::vector<Projection> projections_of(const TensorInfo& codes) {
  const int64_t outputs = codes.shape[1];
  if (codes.name.ends_with("down_proj")) return {{"down_proj", 0, outputs}};
  return {{"gate_proj", 0, outputs / 2}, {"up_proj", outputs / 2, outputs / 2}};
}

/// The scales of one expert: (rows, columns), each for so many outputs and inputs.
struct ScaleGrid {
  int64_t rows;
  int64_t columns;
  int64_t group_outputs;
  int64_t group_inputs;
};

/// By the scales' shape, which is checked.
Result<ScaleGrid> scale_grid(const LayerFiles& files, const TensorInfo& codes,
                             const TensorInfo& scales) {
  const int64_t outputs = codes.shape[1], inputs = codes.shape[2];
  const auto dim = [&](size_t d) { return d < scales.shape.size() ? scales.shape[d] : 1; };
  ScaleGrid grid = {.rows = dim(1), .columns = dim(2)};
  grid.group_outputs = num_groups(outputs, std::max<int64_t>(grid.rows, 1));
  grid.group_inputs = num_groups(inputs, std::max<int64_t>(grid.columns, 1));
  if (files.quantization.block_inputs > 0 && grid.columns > 1) {
    grid.group_outputs = files.quantization.block_outputs;
    grid.group_inputs = files.quantization.block_inputs;
  }
  const bool is_even = files.quantization.block_inputs > 0 ||
                       (grid.group_outputs * grid.rows == outputs && grid.columns == 1);
  const bool fits = has_floats(scales) && scales.shape.size() <= 3 && dim(0) == codes.shape[0] &&
                    grid.rows == num_groups(outputs, grid.group_outputs) &&
                    grid.columns == num_groups(inputs, grid.group_inputs) && is_even;
  if (fits) return grid;
  return files.refused(scales.name, "has the shape " + shape_text(scales.shape) +
                                        ", which does not fit " + for_message(codes.name));
}

}  // namespace

bool is_expert_stack(const LayerFiles& files, const TensorInfo& codes) {
  if (codes.dtype != "F8_E4M3" || codes.shape.size() != 3) return false;
  const bool is_known = std::ranges::any_of(
      kStacks, [&](std::string_view name) { return codes.name.ends_with(name); });
  return is_known && files.part(codes.name + "_scale_inv") != nullptr;
}

Result<std::vector<NamedLayer>> describe_expert_stack(const LayerFiles& files,
                                                      const TensorInfo& codes) {
  constexpr int64_t kMostExperts = 4096;
  const int64_t experts = codes.shape[0], outputs = codes.shape[1], inputs = codes.shape[2];
  const bool is_gate_up = !codes.name.ends_with("down_proj");
  if (experts < 1 || experts > kMostExperts || outputs < 1 || inputs < 1 || inputs % 128 != 0 ||
      (is_gate_up && outputs % 2 != 0)) {
    return files.refused(codes.name, "has the shape " + shape_text(codes.shape) +
                                         ", which no stack of experts in FP8 has");
  }
  const TensorInfo& scales = *files.part(codes.name + "_scale_inv");
  auto grid = scale_grid(files, codes, scales);
  if (!grid) return grid.error();
  const std::string experts_base = codes.name.substr(0, codes.name.rfind('.') + 1);
  std::vector<NamedLayer> layers;
  for (const Projection& projection : projections_of(codes)) {
    if (projection.first % grid->group_outputs != 0 && grid->rows > 1) {
      return files.refused(scales.name, "has scales that gates and up projections share");
    }
    for (int64_t e = 0; e < experts; ++e) {
      const QuantizedLayer layer = {
          .codes = QuantizedLayer::Codes::kBytes,
          .dtype = DType::kF8_128,
          .num_outputs = projection.count,
          .num_inputs = inputs,
          .codes_tensor = &codes,
          .scales_tensor = &scales,
          .group_outputs = grid->group_outputs,
          .group_inputs = grid->group_inputs,
          .first_output = e * outputs + projection.first,
          .first_scale = e * grid->rows + projection.first / grid->group_outputs};
      layers.push_back(
          {experts_base + std::to_string(e) + "." + projection.name + ".weight", layer});
    }
  }
  return layers;
}

}  // namespace quire
