#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace quire {

/// How the models whose `tokenizer.ggml.pre` says so cut text, and what else that name implies
/// (llama.cpp's llama-vocab.cpp, which is where the names are from, and the patterns of the models'
/// own tokenizer.json). None normalises: the files do not say so, and llama.cpp does not either.
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
