#pragma once

#include "engine/models/architectures/architecture.h"

namespace quire {

extern const Architecture kGemma2;
extern const Architecture kGemma3;
extern const Architecture kGptOss;
extern const Architecture kGranite;
extern const Architecture kLlama;
extern const Architecture kMinistral3;
extern const Architecture kMistral;
extern const Architecture kMixtral;
extern const Architecture kOlmo2;
extern const Architecture kPhi3;
extern const Architecture kQwen2;
extern const Architecture kQwen3;
extern const Architecture kQwen3Moe;
extern const Architecture kSmolLm3;

}  // namespace quire
