#include <nlohmann/json.hpp>

#include "engine/chat/tool_call_parser.h"
#include "engine/tool_grammar.h"
#include "tests/engine/grammar/bytes_tokenizer.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

/// A mark of each family's template.
constexpr std::string_view kTemplates[] = {
    "<tool_call>",      "<function=",   "<|python_tag|>",        "[TOOL_CALLS]",
    "<|START_ACTION|>", "functools",    "<｜tool▁call▁begin｜>", "<|tool_call_begin|>",
    "to=functions.",    "<|tool_call|>"};

constexpr std::string_view kTools = R"([{"type": "function", "function": {"name": "f",
    "parameters": {"properties": {"x": {"type": "string"}, "y": {"type": "integer"}}}}}])";

struct Parsed {
  std::string text;
  std::string calls;
  bool operator==(const Parsed&) const = default;
};

void add(const std::vector<ToolCallStep>& steps, Parsed& parsed) {
  for (const ToolCallStep& step : steps) {
    parsed.text += step.text;
    for (const ToolCall& call : step.calls) {
      const auto arguments = nlohmann::json::parse(call.arguments, nullptr, false);
      require(arguments.is_object(), "arguments that are no JSON object");
      require(!call.name.empty() && call.name.size() <= 128, "a name of another length");
      parsed.calls += call.name + call.arguments + "\n";
    }
  }
}

Parsed parse(const ToolCallFormat& format, std::string_view answer, size_t piece) {
  ToolCallParser parser(format, kTools);
  Parsed parsed;
  for (; !answer.empty(); answer.remove_prefix(std::min(piece, answer.size()))) {
    add(parser.push(answer.substr(0, piece)), parsed);
  }
  add(parser.finish(), parsed);
  return parsed;
}

const test::BytesTokenizer& tokenizer() {
  static const test::BytesTokenizer kTokenizer({"{\"", "\":", "\"}", "}}", "<tool", "_call>"},
                                               {"[TOOL_CALLS]", "<|tool_call|>"});
  return kTokenizer;
}

/// A call that a grammar of these tools has must be read back as a call of one of them.
void check_grammar(std::string_view source, std::string_view tools, std::string_view choices) {
  ChatFormat chat;
  chat.tokenizer = std::shared_ptr<const Tokenizer>(&tokenizer(), [](const Tokenizer*) {});
  chat.template_source = source;
  static const auto kVocabulary = std::make_shared<const GrammarVocabulary>(
      tokenizer(), tokenizer().vocab_size(), std::vector{tokenizer().end_token()});
  const auto grammar = tool_grammar(chat, tools, {.is_required = true}, kVocabulary);
  if (!grammar) return require_sentence(grammar.error(), {"tool"});
  GrammarState state = (*grammar)->start();
  for (const char choice : choices.substr(0, 48)) {
    if (state.is_finished()) return;
    const auto mask = (*grammar)->mask(state);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < tokenizer().end_token(); ++id) {
      if (has_token(*mask, id)) allowed.push_back(id);
    }
    require(!allowed.empty() || state.is_complete(), "nothing may follow in a call");
    if (allowed.empty()) return;
    state = (*grammar)->next(state, allowed[static_cast<uint8_t>(choice) % allowed.size()]);
    require(!state.is_broken(), "an allowed token does not fit a call");
  }
}

}  // namespace

void fuzz_tool_calls(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  const ToolCallFormat* format = find_tool_call_format(kTemplates[choice % std::size(kTemplates)]);
  require(format != nullptr, "a family without a form");
  check_grammar(kTemplates[choice % std::size(kTemplates)], bytes, bytes);
  check_grammar(kTemplates[choice % std::size(kTemplates)], kTools, bytes);
  const Parsed whole = parse(*format, bytes, bytes.size() + 1);
  require(whole == parse(*format, bytes, 1), "another result in single bytes");
  require(whole == parse(*format, bytes, 1 + choice / std::size(kTemplates)),
          "another result in pieces");
  if (whole.calls.empty()) require(whole.text == bytes, "another text without calls");
}

}  // namespace quire::fuzz
