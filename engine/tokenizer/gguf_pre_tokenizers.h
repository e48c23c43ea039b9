#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace quire {

/// How a `tokenizer.ggml.pre` splits text, and what else the name implies. The names are from
/// llama.cpp's llama-vocab.cpp, the patterns from the models' own tokenizer.json. As in llama.cpp,
/// text is not normalised: the files do not mention normalisation.
struct GgufPreTokenizer {
  std::span<const std::string_view> patterns;  ///< Applied in order; matches are isolated.
  bool ignores_merges = false;
  bool adds_bos = false;  ///< Unless add_bos_token says otherwise.
  bool is_byte_level = true;
  /// Without merges, any two neighbours that form a token merge, the lowest id first (tiktoken).
  bool merges_by_id = false;
};

/// Null for a name that Quire does not know.
const GgufPreTokenizer* find_gguf_pre_tokenizer(std::string_view name);

/// Every known name, for messages.
std::vector<std::string_view> gguf_pre_tokenizer_names();

}  // namespace quire
