#include <algorithm>

#include "engine/models/architectures/architecture.h"

namespace quire {
namespace {

constexpr const Architecture* kArchitectures[] = {
    &kGemma2,  &kGemma3, &kGptOss, &kGranite, &kLlama, &kMinistral3, &kMistral,
    &kMixtral, &kOlmo2,  &kPhi3,   &kQwen2,   &kQwen3, &kQwen3Moe,   &kSmolLm3,
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
