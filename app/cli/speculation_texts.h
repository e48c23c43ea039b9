#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// A prompt and a given answer to it, for measuring speculation: its speed depends on the text, so
/// the text must not depend on the model.
struct SpeculationText {
  std::vector<TokenId> prompt;
  std::vector<TokenId> answer;
  /// An earlier answer to the same prompt; empty: none.
  std::vector<TokenId> before;
};

/// The names of the texts:
/// code: the prompt is a source file, the answer the same file with two names changed.
/// quoting: the prompt is a document, the answer quotes every other paragraph of it.
/// prose: the prompt and the answer are different documents.
/// talk: the answer is small talk.
/// again: the answer of prose without every fifth sentence, after an earlier answer that had them.
/// adversarial: few different tokens, so that every pair occurred before, and none is followed by
/// the token that followed it last time.
const std::vector<std::string>& speculation_text_names();

/// The texts of which own_questions() knows questions: prose and talk.
const std::vector<std::string>& own_text_names();

/// Questions whose answers are such a text, so that the model says it in its own words.
std::span<const char* const> own_questions(const std::string& name);

/// The text of that name, one of speculation_text_names(), from files of Quire's sources, which are
/// in `folder`. The prompt has at most `prompt_tokens` tokens. Errors: those of reading the files,
/// which name --sources; kInvalidArgument if the answer is too short.
Result<SpeculationText> read_speculation_text(const std::string& name, const std::string& folder,
                                              const Tokenizer& tokenizer, int prompt_tokens);

}  // namespace quire
