#include "engine/models/weight_conventions.h"

#include "engine/models/architectures/architecture.h"

namespace quire {

StoredNumbers stored_numbers(const TensorInfo& tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.shape) count *= size;
  const std::string_view name = tensor.name;
  if (tensor.dtype != "U8") return {count, tensor.dtype};
  if (name.ends_with("_blocks")) return {2 * count, "MXFP4"};
  if (name.ends_with("_scales")) return {0, "MXFP4"};
  return {count, tensor.dtype};
}

WeightConventions conventions_of(const Architecture& architecture, FileFormat format,
                                 const WeightSource& source) {
  if (format == FileFormat::kGguf) {
    return {.names = TensorNames::of_gguf(architecture),
            .rotates_pairs = architecture.rotates_pairs_in_gguf,
            .config_name = "its metadata"};
  }
  return {.names = TensorNames::of_hugging_face(architecture, source),
          .norms_minus_one = architecture.norms_minus_one_in_hugging_face,
          .transposes_experts = architecture.transposes_experts_in_hugging_face,
          .config_name = "config.json"};
}

}  // namespace quire
