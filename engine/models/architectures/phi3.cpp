#include "engine/models/architectures/architecture.h"
#include "engine/models/architectures/config_fields.h"

namespace quire {
namespace {

constexpr std::string_view kPhi3Names[] = {"Phi3ForCausalLM"};
constexpr TensorName kPhi3TensorNames[] = {{"ffn_up", "mlp.gate_up_proj"}};

void read_phi3(JsonFields& fields, ModelConfig& config) {
  read_activation(fields, "hidden_act", "silu", config);
  read_window(fields, 0, config);
}

}  // namespace

/// Phi 3, 3.5 and 4 (arXiv:2404.14219): fused projections, a part of each head rotated, LongRoPE.
const Architecture kPhi3 = {
    .name = "phi3",
    .other_names = kPhi3Names,
    .defaults = {.max_positions = 4096, .norm_eps = 1e-5, .rope = {.only_longrope = true}},
    .read = read_phi3,
    .hugging_face_names = kPhi3TensorNames};

}  // namespace quire
