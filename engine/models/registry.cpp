#include <algorithm>

#include "engine/models/architectures/architecture.h"

namespace quire {
namespace {

constexpr const Architecture* kArchitectures[] = {
    &kCohere2,      &kDeepseek2,    &kDeepseekV3, &kErnie45,       &kErnie45Moe,  &kExaone4,
    &kGemma2,       &kGemma3,       &kGlm4,       &kGlm4Moe,       &kGlm4MoeLite, &kGpt2,
    &kGptNeox,      &kGptOss,       &kGranite,    &kGraniteHybrid, &kGraniteMoe,  &kLfm2,
    &kLfm2Moe,      &kLlama,        &kMiniMaxM2,  &kMinistral3,    &kMistral,     &kMistral4,
    &kMixtral,      &kMuseGlimmer,  &kOlmo2,      &kOlmo3,         &kOpt,         &kPhi,
    &kPhi3,         &kQwen2,        &kQwen2Moe,   &kQwen3,         &kQwen3Moe,    &kQwen3Next,
    &kQwen35,       &kQwen35Moe,    &kSeedOss,    &kSmolLm3,       &kStableLm,    &kStarcoder2,
    &kNemotronH,    &kNemotronHMoe, &kFalconH1,   &kArcee,         &kDots1,       &kApertus,
    &kHunyuanDense, &kHunyuanMoe,   &kHyV3,       &kLlama4,        &kGemma4,      &kGemma3n,
    &kLfm3,
};

}  // namespace

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture* architecture : kArchitectures) {
    const auto& others = architecture->other_names;
    if (architecture->name == name) return architecture;
    if (std::find(others.begin(), others.end(), name) != others.end()) return architecture;
  }
  return nullptr;
}

std::string supported_architectures() {
  std::string names;
  for (const Architecture* architecture : kArchitectures) {
    names += (names.empty() ? "" : ", ") + std::string(architecture->name);
  }
  return names;
}

}  // namespace quire
