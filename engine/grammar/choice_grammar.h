#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/grammar/grammar.h"

namespace quire {

/// The most texts that an answer may be one of.
inline constexpr size_t kMaxChoices = 1'024;

/// The grammar of an answer that is one of these texts, as they are. Thread: any.
/// Errors: kInvalidArgument for no text, an empty one, one that is not UTF-8 or is there twice, and
/// for too many, or more than Grammar::kMaxSchemaBytes together.
Result<std::shared_ptr<const Grammar>> choice_grammar(
    std::span<const std::string> choices, std::shared_ptr<const GrammarVocabulary> vocabulary);

}  // namespace quire
