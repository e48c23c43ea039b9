#include "engine/models/weight_vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "engine/io/text.h"
#include "engine/models/quantized_layer.h"

namespace quire {
namespace {

/// The factor of a tensor's numbers; 1 if its blocks hold their scales whole.
Result<float> scale_of(WeightSource& source, const std::string& weight,
                       std::vector<const TensorInfo*>& read) {
  const TensorInfo* const of = source.find(weight);
  if (of == nullptr || of->dtype != dtype_name(DType::kNVFP4)) return 1.0f;
  for (const Nvfp4Scale& scale : kNvfp4Scales) {
    const TensorInfo* const found =
        source.find(weight.substr(0, weight.rfind('.') + 1) + scale.name);
    if (found == nullptr) continue;
    auto bytes = source.bytes(found->name);
    if (!bytes) return bytes.error();
    const float number = found->bytes == sizeof(float) ? f32_of(*bytes, 0) : 0.0f;
    read.push_back(found);
    const float factor = scale.divides ? 1.0f / number : number;
    if (number > 0.0f && std::isfinite(number) && std::isfinite(factor)) return factor;
    return Error{ErrorCode::kCorruptFile,
                 "the tensor " + for_message(found->name) + " of " + for_message(source.where()) +
                     " holds no scale; download it again, or choose another conversion"};
  }
  return 1.0f;
}

}  // namespace

void WeightVectors::append_to(std::vector<ConstTensorView>& parts) const {
  const auto size = [](const auto& vector) { return static_cast<int64_t>(vector.size()); };
  if (!input_order.empty()) {
    parts.push_back({input_order.data(), DType::kI32, {size(input_order)}});
  }
  if (!output_scales.empty()) {
    parts.push_back({output_scales.data(), DType::kF32, {size(output_scales)}});
  }
}

Result<WeightVectors> read_weight_vectors(WeightSource& source, std::span<const WeightRows> weights,
                                          std::vector<const TensorInfo*>& read) {
  std::vector<float> scales;
  WeightVectors vectors;
  for (const WeightRows& weight : weights) {
    auto scale = scale_of(source, weight.name, read);
    if (!scale) return scale.error();
    scales.push_back(*scale);
  }
  // Most weights have none: the rows of a large one would take memory for nothing.
  const bool has_scales = std::ranges::any_of(scales, [](float scale) { return scale != 1.0f; });
  for (size_t i = 0; has_scales && i < scales.size(); ++i) {
    vectors.output_scales.insert(vectors.output_scales.end(), static_cast<size_t>(weights[i].count),
                                 scales[i]);
  }
  auto order = read_input_order(source, weights, read);
  if (!order) return order.error();
  vectors.input_order = std::move(*order);
  return vectors;
}

}  // namespace quire
