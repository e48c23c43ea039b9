#pragma once

#include <optional>
#include <string_view>

#include "engine/chat/tool_calls.h"

namespace quire {

/// How a family of models writes its calls, exactly enough to have a grammar; what ToolCallParser
/// reads is wider. An answer's calls are
///
///     mark open CALL (separator CALL)* close,  CALL = before NAME middle ARGUMENTS after
///
/// In these texts a tab stands for white space that may be left out, "%" for a digit, "#" for a
/// letter or digit, and everything else for itself; ARGUMENTS are a JSON object. The strings are
/// views of literals.
struct ToolCallForm {
  std::string_view mark;  ///< One of ToolCallFormat::opens; empty: the call begins the answer.
  std::string_view open = {};
  std::string_view before = {};
  std::string_view middle = {};
  std::string_view after = {};
  std::string_view separator = {};
  std::string_view close = {};
  bool is_list = false;       ///< There may be more than one CALL between `open` and `close`.
  bool may_repeat = false;    ///< `mark` may follow again.
  bool has_channels = false;  ///< gpt-oss: each call is a channel of its own.
};

/// The form that a chat template teaches its model; none if it has no grammar (calls in tags).
std::optional<ToolCallForm> find_tool_call_form(std::string_view template_source);

/// The family's name for messages: "GLM"; "unknown" if it has none.
std::string_view tool_family_name(std::string_view template_source);

}  // namespace quire
