#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A chat template for a model whose files hold none.
struct DefaultTemplate {
  std::string_view name;  ///< As shown to users: "ChatML".
  std::string source;     ///< Jinja; writes BOS itself where the tokenizer asks for one.
  /// Strings that end an answer, where turns are closed by words and not by an end token.
  std::vector<std::string> stops;
};

/// The published format whose marks the vocabulary knows as special tokens; "plain" (User: and
/// Assistant:) where it knows none.
DefaultTemplate default_template(const Tokenizer& tokenizer);

}  // namespace quire
