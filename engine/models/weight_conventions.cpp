#include "engine/models/weight_conventions.h"

#include "engine/models/architectures/architecture.h"

namespace quire {

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
