#pragma once

#include <string>
#include <string_view>

#include "engine/models/architectures/architecture.h"

namespace quire {

/// The architecture of that name: GGUF's ("llama") or a Hugging Face class ("LlamaForCausalLM").
/// Null if Quire does not run it.
const Architecture* find_architecture(std::string_view name);

/// "gemma2, gemma3, ...", for messages.
std::string supported_architectures();

}  // namespace quire
