#pragma once

#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// A prompt and what is answered to it, whatever the model: for measuring speculation, whose speed
/// depends on the text.
struct SpokenText {
  std::vector<TokenId> prompt;
  std::vector<TokenId> answer;
  /// An answer that was given to the same prompt before; empty: none.
  std::vector<TokenId> before;
};

/// code: a source file, then the file with two names changed; quoting: a document, then every other
/// paragraph of it; prose: another document; talk: small talk; again: the prose with every fifth
/// sentence left out, after an answer that had it; adversarial: few tokens, each pair of which
/// stood there before and is never followed by what followed it last.
const std::vector<std::string>& spoken_text_names();

/// The text of that name, from files of Quire's sources, which lie in `folder`. Prompts have at
/// most `prompt_tokens` tokens. Errors: those of reading the files; kInvalidArgument for one that
/// is too short.
Result<SpokenText> read_spoken_text(const std::string& name, const std::string& folder,
                                    const Tokenizer& tokenizer, int prompt_tokens);

}  // namespace quire
