#include "engine/chat/tool_calls.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include "engine/chat/tool_call_headers.h"

namespace quire {
namespace {

// Where a call may be one of a list between marks of its own (DeepSeek, Kimi), the list's mark
// opens the first call, and the call's own mark is part of its header.
constexpr ToolCallFormat kHarmonyCalls{.name = "harmony",
                                       .opens = {"<|channel|>commentary to=functions."},
                                       .closes = {"<|call|>"},
                                       .read_header = read_harmony_header};
constexpr ToolCallFormat kDeepSeekCalls{
    .name = "DeepSeek",
    .opens = {kDeepSeekList, kDeepSeekCall},
    .closes = {"```", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"},
    .read_header = read_deepseek_header};
constexpr ToolCallFormat kKimiCalls{.name = "Kimi",
                                    .opens = {kKimiList, kKimiCall},
                                    .closes = {"<|tool_call_end|>", "<|tool_calls_section_end|>"},
                                    .read_header = read_kimi_header};
constexpr ToolCallFormat kCommandCalls{
    .name = "Command", .opens = {"<|START_ACTION|>"}, .closes = {"<|END_ACTION|>"}};
constexpr ToolCallFormat kMistralCalls{
    .name = "Mistral", .opens = {"[TOOL_CALLS]"}, .read_header = read_mistral_header};
constexpr ToolCallFormat kQwenCoderCalls{.name = "Qwen3-Coder",
                                         .opens = {"<tool_call>", "<function="},
                                         .closes = {"</tool_call>"},
                                         .has_tags = true};
constexpr ToolCallFormat kHermesCalls{
    .name = "Hermes", .opens = {"<tool_call>"}, .closes = {"</tool_call>"}, .has_tags = true};
constexpr ToolCallFormat kGraniteCalls{.name = "Granite",
                                       .opens = {"<|tool_call|>", "<tool_call>"},
                                       .closes = {"<|/tool_call|>", "</tool_call>"}};
constexpr ToolCallFormat kPhiCalls{
    .name = "Phi", .opens = {"<|tool_call|>", "functools"}, .closes = {"<|/tool_call|>"}};
constexpr ToolCallFormat kLlamaCalls{
    .name = "Llama", .opens = {"<|python_tag|>"}, .closes = {";"}, .may_be_bare = true};

struct FormatSign {
  std::string_view mark;
  const ToolCallFormat* format;
};

// The first mark that a template holds decides, so the more particular ones come first.
constexpr FormatSign kFormatSigns[] = {
    {"to=functions.", &kHarmonyCalls},
    {"<|channel|>commentary", &kHarmonyCalls},
    {kDeepSeekCall, &kDeepSeekCalls},
    {kKimiCall, &kKimiCalls},
    {"<|START_ACTION|>", &kCommandCalls},
    {"[TOOL_CALLS]", &kMistralCalls},
    {"<function=", &kQwenCoderCalls},
    {"<tool_call>", &kHermesCalls},
    {"functools", &kPhiCalls},
    {"<|/tool|>", &kPhiCalls},
    {"<|tool_call|>", &kGraniteCalls},
    {"<|python_tag|>", &kLlamaCalls},
    {"\"parameters\": dictionary of argument name", &kLlamaCalls},
};

// Marks inside a call beside those that begin or end one, and those of reasoning beside calls.
constexpr std::string_view kInnerMarks[] = {
    kDeepSeekSeparator,   kKimiArguments,     "[ARGS]",        "[CALL_ID]",
    "<|START_THINKING|>", "<|END_THINKING|>", "<|tool_call|>", "<|/tool_call|>"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

const ToolCallFormat* find_tool_call_format(std::string_view template_source) {
  for (const FormatSign& sign : kFormatSigns) {
    if (template_source.find(sign.mark) != template_source.npos) return sign.format;
  }
  return nullptr;
}

bool template_reads_tools(std::string_view template_source) {
  constexpr std::string_view kName = "tools";
  for (size_t at = template_source.find(kName); at != template_source.npos;
       at = template_source.find(kName, at + 1)) {
    const size_t end = at + kName.size();
    const bool begins = at == 0 || !is_name_character(template_source[at - 1]);
    const bool ends = end == template_source.size() || !is_name_character(template_source[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::vector<TokenId> tool_call_tokens(const Tokenizer& tokenizer) {
  std::vector<TokenId> tokens;
  const auto add = [&](std::string_view mark) {
    const auto token = mark.empty() ? std::nullopt : tokenizer.special_token(mark);
    const bool is_new = token && std::ranges::find(tokens, *token) == tokens.end();
    if (is_new && tokenizer.is_special(*token)) tokens.push_back(*token);
  };
  for (const FormatSign& sign : kFormatSigns) {
    if (sign.format == &kHarmonyCalls) continue;
    for (const std::string_view mark : sign.format->opens) add(mark);
    for (const std::string_view mark : sign.format->closes) add(mark);
  }
  for (const std::string_view mark : kInnerMarks) add(mark);
  return tokens;
}

std::string new_tool_call_id() {
  constexpr std::string_view kAlphabet =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::random_device device;
  uint64_t random = (uint64_t{device()} << 32) | device();
  std::string id(9, '0');
  for (char& c : id) {
    c = kAlphabet[random % kAlphabet.size()];
    random /= kAlphabet.size();
  }
  return id;
}

}  // namespace quire
