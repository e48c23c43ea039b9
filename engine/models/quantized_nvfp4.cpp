// NVFP4: E2M1 numbers, an E4M3 scale for each 16 of them, and one in f32 for the tensor.

#include <algorithm>

#include "engine/io/text.h"
#include "engine/models/quantized_layer.h"

namespace quire {

bool is_nvfp4(const LayerFiles& files, const QuantizedLayer& layer) {
  if (layer.codes_tensor->dtype != "U8") return false;
  const TensorInfo* const scales = files.part(layer, "weight_scale");
  return scales != nullptr && scales->dtype == "F8_E4M3";
}

Result<void> describe_nvfp4(const LayerFiles& files, QuantizedLayer& layer,
                            const TensorInfo& codes) {
  layer.codes = QuantizedLayer::Codes::kNvfp4;
  layer.dtype = DType::kNVFP4;
  layer.num_inputs = 2 * codes.shape[1];
  layer.scales_tensor = files.part(layer, "weight_scale");
  layer.group_outputs = 1;
  layer.group_inputs = 16;
  const TensorInfo& scales = *layer.scales_tensor;
  if (scales.shape != std::vector<int64_t>{layer.num_outputs, layer.num_inputs / 16}) {
    return files.refused(scales.name, "has the shape " + shape_text(scales.shape) +
                                          ", which does not fit " + for_message(codes.name));
  }
  const bool has_whole = std::ranges::any_of(kNvfp4Scales, [&](const Nvfp4Scale& scale) {
    const TensorInfo* const whole = files.part(layer, scale.name);
    return whole != nullptr && whole->dtype == "F32" && whole->bytes == sizeof(float);
  });
  if (has_whole) return {};
  return files.refused(codes.name, "has no scale of the whole tensor beside it");
}

}  // namespace quire
