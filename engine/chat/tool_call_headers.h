#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quire {

// What stands between the mark that opens a call and its arguments, in each family that names the
// tool there. Each function returns the tool's name, nothing if the header is malformed, and an
// empty name if the JSON that follows holds it.

inline constexpr std::string_view kDeepSeekList = "<｜tool▁calls▁begin｜>";
inline constexpr std::string_view kDeepSeekCall = "<｜tool▁call▁begin｜>";
inline constexpr std::string_view kDeepSeekSeparator = "<｜tool▁sep｜>";
inline constexpr std::string_view kKimiList = "<|tool_calls_section_begin|>";
inline constexpr std::string_view kKimiCall = "<|tool_call_begin|>";
inline constexpr std::string_view kKimiArguments = "<|tool_call_argument_begin|>";

/// "NAME <|constrain|>json<|message|>"; ChannelMarks leaves "NAME<|message|>" of it.
std::optional<std::string> read_harmony_header(std::string_view header);
/// DeepSeek V3 and R1: "function<SEPARATOR>NAME\n```json\n"; V3.1: "NAME<SEPARATOR>".
std::optional<std::string> read_deepseek_header(std::string_view header);
/// "functions.NAME:0<|tool_call_argument_begin|>"
std::optional<std::string> read_kimi_header(std::string_view header);
/// Nothing before a list of calls; of later tokenizers "NAME", "NAME[ARGS]", or
/// "NAME[CALL_ID]ID[ARGS]".
std::optional<std::string> read_mistral_header(std::string_view header);

inline constexpr std::string_view kCallSpace = " \t\r\n";
/// Qwen3-Coder's tag before a tool's name.
inline constexpr std::string_view kFunctionTag = "<function=";

/// Whether a tool may have this name: 1 to 128 letters, digits and marks of identifiers.
bool is_tool_name(std::string_view name);
std::string_view without_space_around(std::string_view text);

}  // namespace quire
