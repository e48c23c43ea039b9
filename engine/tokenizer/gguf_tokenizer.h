#pragma once

#include <memory>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// The tokenizer in a GGUF file's metadata (keys `tokenizer.ggml.*`): of the models "llama"
/// (SentencePiece's BPE), "gpt2" (byte-level BPE with one of some 60 `pre` kinds) and "gemma4".
/// Control tokens never come from plain text; tokens that a user defined do. The result does not
/// refer to the file.
/// Errors: kUnsupported for other models and unknown `pre` kinds, kCorruptFile for lists that do
/// not fit together; a sentence that names the file and the key.
Result<std::unique_ptr<Tokenizer>> load_gguf_tokenizer(const GgufFile& file);

/// The tokens that end an answer, as far as the vocabulary says: eos, eot and eom by their keys,
/// and control tokens of the names that models end a turn with. Sorted, each once.
std::vector<TokenId> gguf_end_tokens(const GgufFile& file);

}  // namespace quire
