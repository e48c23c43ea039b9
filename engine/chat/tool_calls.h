#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A call of a tool that a model has written.
struct ToolCall {
  std::string id;         ///< new_tool_call_id()
  std::string name;       ///< Of the tool.
  std::string arguments;  ///< JSON: an object.
};

/// In which form a family of models writes its calls. After one of `opens` come a header, which
/// holds the tool's name unless the JSON does, and an object or a list of calls in JSON; or, of
/// has_tags, the call in tags of XML. The strings are views of literals.
struct ToolCallFormat {
  std::string_view name;                       ///< Of the family, for tests and logs.
  std::array<std::string_view, 2> opens = {};  ///< Unused ones are empty.
  /// What may follow a call and is no text: marks of its end.
  std::array<std::string_view, 3> closes = {};
  /// The tool's name in a header; nothing if it is none. Null: the header is white space.
  std::optional<std::string> (*read_header)(std::string_view header) = nullptr;
  bool has_tags = false;
  /// An answer that begins with a JSON object is a call if that names a tool and its arguments.
  bool may_be_bare = false;
};

/// The form that a chat template teaches its model, found by the marks in its source; null: none
/// that is known. The result is never freed.
const ToolCallFormat* find_tool_call_format(std::string_view template_source);

/// Whether the template reads the variable `tools`, so that the model learns of them.
bool template_reads_tools(std::string_view template_source);

/// The special tokens of the vocabulary that are marks of calls (Request::shows_tool_calls), those
/// of channels left out: ChannelMarks turns them into text.
std::vector<TokenId> tool_call_tokens(const Tokenizer& tokenizer);

/// A random id of nine letters and digits, which the templates of all families accept. Thread: any.
std::string new_tool_call_id();

}  // namespace quire
