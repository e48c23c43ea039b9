#pragma once

#include <string_view>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/models/model_config.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Every token that ends an answer: the config's, the tokenizer's own, those that a GGUF vocabulary
/// (null for other files) is known to end turns with, and the marks that the template closes a turn
/// with; many published files name only one of them.
std::vector<TokenId> find_end_tokens(const ModelConfig& config, const Tokenizer& tokenizer,
                                     const GgufFile* gguf, std::string_view template_source);

}  // namespace quire
