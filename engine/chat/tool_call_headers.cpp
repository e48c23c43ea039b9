#include "engine/chat/tool_call_headers.h"

#include <algorithm>

namespace quire {
namespace {

std::optional<std::string> checked_name(std::string_view name) {
  name = without_space_around(name);
  return is_tool_name(name) ? std::optional(std::string(name)) : std::nullopt;
}

/// The text after the last of `mark`, or all of it.
std::string_view after_last_mark(std::string_view text, std::string_view mark) {
  const size_t at = text.rfind(mark);
  return at == text.npos ? text : text.substr(at + mark.size());
}

}  // namespace

bool is_tool_name(std::string_view name) {
  constexpr size_t kMaxBytes = 128;
  const auto may_hold = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || std::string_view("_-.:/").find(c) < 5;
  };
  return !name.empty() && name.size() <= kMaxBytes && std::ranges::all_of(name, may_hold);
}

std::string_view without_space_around(std::string_view text) {
  const size_t first = text.find_first_not_of(kCallSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kCallSpace) - first + 1);
}

std::optional<std::string> read_harmony_header(std::string_view header) {
  constexpr std::string_view kMessage = "<|message|>";
  header = without_space_around(header);
  if (!header.ends_with(kMessage)) return std::nullopt;
  header.remove_suffix(kMessage.size());
  return checked_name(header.substr(0, header.find_first_of(" <")));
}

std::optional<std::string> read_deepseek_header(std::string_view header) {
  header = after_last_mark(header, kDeepSeekCall);
  const size_t at = header.find(kDeepSeekSeparator);
  if (at == header.npos) return std::nullopt;
  const std::string_view right = header.substr(at + kDeepSeekSeparator.size());
  if (without_space_around(right).empty()) return checked_name(header.substr(0, at));
  const size_t line = right.find('\n');
  const std::string_view rest = line == right.npos ? right.substr(0, 0) : right.substr(line);
  const std::string_view fence = without_space_around(rest);
  if (!fence.empty() && fence != "```json" && fence != "```") return std::nullopt;
  return checked_name(right.substr(0, line));
}

std::optional<std::string> read_kimi_header(std::string_view header) {
  header = without_space_around(after_last_mark(header, kKimiCall));
  if (!header.ends_with(kKimiArguments)) return std::nullopt;
  header.remove_suffix(kKimiArguments.size());
  constexpr std::string_view kPrefix = "functions.";
  if (header.starts_with(kPrefix)) header.remove_prefix(kPrefix.size());
  return checked_name(header.substr(0, header.rfind(':')));
}

std::optional<std::string> read_mistral_header(std::string_view header) {
  header = without_space_around(header);
  if (header.empty()) return std::string();
  constexpr std::string_view kArguments = "[ARGS]";
  if (header.ends_with(kArguments)) header.remove_suffix(kArguments.size());
  return checked_name(header.substr(0, header.find("[CALL_ID]")));
}

}  // namespace quire
