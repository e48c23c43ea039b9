#pragma once

#include <memory>
#include <string_view>

#include "engine/chat/chat_format.h"
#include "engine/chat/tool_choice.h"
#include "engine/grammar/grammar.h"

namespace quire {

/// Why calls of a model with this template cannot be constrained: they are in tags, or unknown.
Result<void> check_tool_grammar(std::string_view template_source);

/// The grammar of answers with calls of `tools` (PromptOptions::tools) in the model's own form.
/// With ToolChoice::is_required an answer is calls; otherwise it is text, in which a call begins
/// with the family's mark, whatever tokens spell it. Errors: kInvalidArgument, naming the tool;
/// those of check_tool_grammar().
Result<std::shared_ptr<const Grammar>> tool_grammar(
    const ChatFormat& chat, std::string_view tools, const ToolChoice& choice,
    std::shared_ptr<const GrammarVocabulary> vocabulary);

}  // namespace quire
