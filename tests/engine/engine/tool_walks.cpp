#include "tests/engine/engine/tool_walks.h"

#include <QtGlobal>

#include <algorithm>

#include "engine/chat/channel_marks.h"
#include "engine/tool_grammar.h"

namespace quire::test {
namespace {

const std::vector<std::string> kTexts = {"{\"",   "\":",     "\": ",       ", \"", "\"}",   "}}",
                                         "{}",    "name",    "arguments",  "true", "false", "null",
                                         "<tool", "_call>",  "functools",  "So",   "\n\n",  "]",
                                         "[TOOL", "celsius", "<function=", "12"};

int weight_of(std::string_view text) {
  if (text == "<tool" || text == "_call>" || text == "{\"") return 60;     // Of calls.
  if (text.empty() || text.find_first_of("\"]}") != text.npos) return 12;  // Marks are empty.
  return text.size() > 1 ? 4 : 1;
}

size_t count_of(std::string_view text, std::string_view mark) {
  size_t count = 0;
  for (size_t at = text.find(mark); !mark.empty() && at != text.npos;
       at = text.find(mark, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

std::vector<ToolFamily> tool_families() {
  const std::vector<std::string> deepseek = {"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>",
                                             "<｜tool▁sep｜>", "<｜tool▁call▁end｜>",
                                             "<｜tool▁calls▁end｜>"};
  return {
      {"Hermes in text", "<tool_call>", {}},
      {"Hermes in tokens", "<tool_call>", {"<tool_call>", "</tool_call>", "<|other|>"}},
      {"Granite", "<|tool_call|>", {"<|tool_call|>"}},
      {"Phi", "<|/tool|>", {"<|tool_call|>", "<|/tool_call|>"}},
      {"functools", "functools", {}},
      {"Mistral", "[TOOL_CALLS]", {"[TOOL_CALLS]"}},
      {"Mistral, named", "[TOOL_CALLS][ARGS]", {"[TOOL_CALLS]", "[ARGS]"}},
      {"Mistral with ids", "[TOOL_CALLS][CALL_ID][ARGS]", {"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"}},
      {"Command", "<|START_ACTION|>", {"<|START_ACTION|>", "<|END_ACTION|>", "<|START_RESPONSE|>"}},
      {"Llama", "<|python_tag|>", {"<|python_tag|>"}},
      {"Kimi",
       "<|tool_call_begin|>",
       {"<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>",
        "<|tool_call_end|>", "<|tool_calls_section_end|>"}},
      {"DeepSeek R1", "<｜tool▁call▁begin｜>```json", deepseek},
      {"DeepSeek V3.1", "<｜tool▁call▁begin｜>", deepseek},
      {"gpt-oss",
       "to=functions.",
       {"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|constrain|>", "<|call|>",
        "<|return|>"}},
  };
}

FamilyModel::FamilyModel(const ToolFamily& family)
    : m_tokenizer(std::make_shared<const BytesTokenizer>(kTexts, family.specials)) {
  m_vocabulary = std::make_shared<const GrammarVocabulary>(*m_tokenizer, m_tokenizer->vocab_size(),
                                                           std::vector{m_tokenizer->end_token()});
  m_chat.tokenizer = m_tokenizer;
  m_chat.template_source = family.source;
}

Result<std::shared_ptr<const Grammar>> FamilyModel::grammar(const std::string& tools,
                                                            const ToolChoice& choice) const {
  return tool_grammar(m_chat, tools, choice, m_vocabulary);
}

std::optional<TokenId> FamilyModel::choose(const TokenMask& mask, std::mt19937& random) const {
  std::vector<TokenId> allowed;
  for (TokenId id = 0; id < m_tokenizer->end_token(); ++id) {
    if (!has_token(mask, id)) continue;
    allowed.insert(allowed.end(), static_cast<size_t>(weight_of(m_tokenizer->token_bytes(id))), id);
  }
  if (allowed.empty()) return std::nullopt;
  return allowed[random() % allowed.size()];
}

std::optional<WalkedAnswer> FamilyModel::walk(const Grammar& grammar, const std::string& tools,
                                              std::mt19937& random) const {
  GrammarState state = grammar.start();
  std::vector<TokenId> tokens;
  for (int step = 0; step < 400; ++step) {
    if (state.is_finished() || (state.is_complete() && random() % 16 == 0)) {
      return read(tokens, tools);
    }
    const auto token = choose(*grammar.mask(state), random);
    if (!token && !state.is_complete()) qFatal("Nothing may follow.");
    if (!token) return read(tokens, tools);
    tokens.push_back(*token);
    state = grammar.next(state, *token);
    if (state.is_broken()) qFatal("An allowed token does not fit.");
  }
  return std::nullopt;
}

WalkedAnswer FamilyModel::read(const std::vector<TokenId>& tokens, const std::string& tools) const {
  const std::vector<TokenId> shown = tool_call_tokens(*m_tokenizer);
  const auto& specials = m_tokenizer->special_tokens();
  const TokenId first = m_tokenizer->vocab_size() - static_cast<TokenId>(specials.size());
  ChannelMarks channels(channel_tokens(*m_tokenizer), true);
  WalkedAnswer answer;
  for (const TokenId id : tokens) {
    std::string text(m_tokenizer->token_bytes(id));
    if (std::ranges::find(shown, id) != shown.end())
      text = specials[static_cast<size_t>(id - first)];
    answer.all += channels.push(id, std::move(text));
  }
  // What a model thinks is not looked into.
  for (size_t at = answer.all.find("<think>"); at != answer.all.npos;
       at = answer.all.find("<think>")) {
    const size_t end = answer.all.find("</think>", at);
    answer.all.erase(at, end == answer.all.npos ? end : end + 8 - at);
  }
  const ToolCallFormat& format = *find_tool_call_format(m_chat.template_source);
  ToolCallParser parser(format, tools);
  for (auto steps : {parser.push(answer.all), parser.finish()}) {
    for (const ToolCallStep& step : steps) {
      answer.text += step.text;
      for (const std::string_view open : format.opens)
        answer.num_marks += count_of(step.text, open);
      answer.calls.insert(answer.calls.end(), step.calls.begin(), step.calls.end());
    }
  }
  return answer;
}

}  // namespace quire::test
