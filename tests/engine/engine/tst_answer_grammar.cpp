#include <QTest>

#include <nlohmann/json.hpp>

#include "engine/answer_grammar.h"
#include "engine/chat/tool_call_parser.h"
#include "engine/grammar/grammar_cache.h"
#include "engine/speculation/drafter.h"
#include "engine/tool_grammar.h"
#include "tests/engine/engine/compare_answers.h"
#include "tests/engine/engine/engine_test_support.h"
#include "tests/engine/grammar/grammar_test_support.h"
#include "tests/engine/grammar/slow_schema_checker.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr const char* kSchemas[] = {
    R"({"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 150}, "tags": {"type": "array",
        "items": {"enum": ["red", "green", "blue"]}, "minItems": 1, "maxItems": 4}},
        "required": ["name", "age"], "additionalProperties": false})",
    R"({"type": "array", "items": {"type": ["boolean", "null", "number"]}, "maxItems": 5})",
    R"({"anyOf": [{"type": "string", "maxLength": 20}, {"const": {"kind": "other"}}]})",
    R"({"type": "object", "properties": {"value": {"type": "integer"}, "next": {"anyOf":
        [{"$ref": "#"}, {"type": "null"}]}}, "required": ["value", "next"]})",
    R"({"type": "integer"})",
};

/// Answers in JSON at high temperatures, with all else that changes logits.
std::vector<Request> some_answers(GrammarCache& grammars, int count) {
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) {
    auto grammar = grammars.of_schema(kSchemas[size_t(i) % std::size(kSchemas)]);
    if (!grammar) qFatal("%s", grammar.error().message.c_str());
    Request& request = requests.emplace_back();
    request.prompt = random_tokens(45 + i * 3, uint32_t(i));
    request.sampling = {.temperature = i % 4 == 3 ? 0.0f : 1.2f,
                        .seed = uint64_t(i) + 1,
                        .max_tokens = 150,
                        .ignore_eos = i % 2 == 0,
                        .grammar = *grammar};
    if (i % 3 == 1) request.sampling.repetition_penalty = 1.1f;
    if (i % 5 == 2) request.sampling.top_p = 0.9f;
    if (i % 6 == 4) request.sampling.num_logprobs = 1;
    if (i % 4 == 2) request.sampling.min_tokens = 40;
  }
  return requests;
}

std::unique_ptr<GrammarCache> grammars_of(const Llm& llm) {
  const LoadedModel& model = llm.model();
  return std::make_unique<GrammarCache>(model.chat->tokenizer, model.config.vocab_size,
                                        model.config.end_tokens);
}

constexpr const char* kTools = R"([
    {"type": "function", "function": {"name": "weather", "strict": true, "parameters": {
      "type": "object", "properties": {"city": {"type": "string", "maxLength": 10}, "days":
      {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["city", "days"],
      "additionalProperties": false}}},
    {"type": "function", "function": {"name": "now", "strict": true}}])";

/// Answers with calls at a high temperature, in several families' forms; the last kind of them is
/// free text, in which a call may begin.
std::vector<Request> some_calls(const Llm& llm, GrammarCache& grammars, int count) {
  constexpr const char* kSources[] = {"<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "functools"};
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) {
    ChatFormat format;
    format.tokenizer = llm.model().chat->tokenizer;
    format.template_source = kSources[i % 4];
    const ToolChoice choice = {.is_required = i % 5 < 4, .allows_more = i % 2 == 0};
    auto grammar = grammars.get(std::to_string(i), [&](auto vocabulary) {
      return tool_grammar(format, kTools, choice, std::move(vocabulary));
    });
    if (!grammar) qFatal("%s", grammar.error().message.c_str());
    Request& request = requests.emplace_back();
    request.prompt = random_tokens(45 + i * 3, uint32_t(i));
    request.sampling = {.temperature = 1.5f,
                        .seed = uint64_t(i) + 1,
                        .max_tokens = choice.is_required ? 150 : 40,
                        .grammar = *grammar};
    request.shows_tool_calls = true;
  }
  return requests;
}

/// What is wrong with an answer of some_calls(); empty: nothing.
std::string fault_of(const Completion& answer, int i) {
  constexpr const char* kSources[] = {"<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "functools"};
  ToolCallParser parser(*find_tool_call_format(kSources[i % 4]), kTools);
  std::vector<ToolCallStep> steps = parser.push(answer.text);
  for (ToolCallStep& step : parser.finish()) steps.push_back(std::move(step));
  for (const ToolCallStep& step : steps) {
    if (i % 5 < 4 && !step.text.empty()) return "text: " + answer.text;
    for (const ToolCall& call : step.calls) {
      const auto arguments = nlohmann::json::parse(call.arguments);
      const auto tools = nlohmann::json::parse(kTools);
      const auto& schema = tools[0]["function"]["parameters"];
      const bool is_now = call.name == "now" && arguments.empty();
      const bool is_weather = call.name == "weather" && is_valid(arguments, schema, schema);
      if (!is_now && !is_weather) return call.name + call.arguments;
    }
  }
  return i % 5 < 4 && !parser.has_calls() ? "no call: " + answer.text : "";
}

/// Guesses the next tokens of known texts, some of them wrong.
class KnownTexts final : public Drafter {
 public:
  bool is_free() const override { return true; }
  void guess(std::span<DraftRequest> requests) override {
    for (DraftRequest& request : requests) {
      for (const std::vector<TokenId>& text : texts) {
        const auto& tokens = request.tokens;
        if (text.size() <= tokens.size()) continue;
        if (!std::equal(tokens.begin(), tokens.end(), text.begin())) continue;
        const auto left = std::min<size_t>(text.size() - tokens.size(), size_t(request.most));
        const auto next = text.begin() + std::ssize(tokens);
        request.guess.assign(next, next + std::ptrdiff_t(std::min<size_t>(left, 4)));
        request.match = 10;
        if (++m_count % 3 == 0 && !request.guess.empty()) request.guess.back() ^= 1;
        break;
      }
    }
  }
  void forget(SequenceId) override {}

  std::vector<std::vector<TokenId>> texts;

 private:
  int m_count = 0;
};

}  // namespace

class TestAnswerGrammar : public QObject {
  Q_OBJECT

 private slots:
  /// Every finished answer is valid, and the same alone, in a batch, after preemptions, and with
  /// guesses.
  void answers_areValidAndTheSameHoweverTheyAreComputed() {
    constexpr int kCount = 20;
    Llm alone = open_draft({.max_context = 512, .speculation = SpeculationMode::kOff});
    const auto grammars = grammars_of(alone);
    const std::vector<Request> requests = some_answers(*grammars, kCount);
    std::vector<Completion> expected;
    int finished = 0;
    for (const Request& request : requests) {
      expected.push_back(alone.generate({request}).front());
      const Completion& answer = expected.back();
      QVERIFY2(answer.finish == FinishReason::kEnd || answer.finish == FinishReason::kLength,
               answer.error.c_str());
      if (answer.finish != FinishReason::kEnd) continue;
      ++finished;
      const auto schema =
          nlohmann::json::parse(kSchemas[(expected.size() - 1) % std::size(kSchemas)]);
      const auto value = nlohmann::json::parse(answer.text, nullptr, false);
      QVERIFY2(!value.is_discarded() && is_valid(value, schema, schema), answer.text.c_str());
    }
    QVERIFY2(finished > kCount / 2, qPrintable(QString::number(finished)));

    compare_ways(alone, requests, expected);
  }

  /// The same of calls of tools, whose arguments fit their schemas.
  void toolCalls_areValidAndTheSameHoweverTheyAreComputed() {
    constexpr int kCount = 20;
    Llm alone = open_draft({.max_context = 512, .speculation = SpeculationMode::kOff});
    const auto grammars = grammars_of(alone);
    const std::vector<Request> requests = some_calls(alone, *grammars, kCount);
    std::vector<Completion> expected;
    int finished = 0;
    for (int i = 0; i < kCount; ++i) {
      expected.push_back(alone.generate({requests[size_t(i)]}).front());
      const Completion& answer = expected.back();
      QVERIFY2(answer.finish == FinishReason::kEnd || answer.finish == FinishReason::kLength,
               answer.error.c_str());
      if (answer.finish != FinishReason::kEnd) continue;
      ++finished;
      const std::string fault = fault_of(answer, i);
      QVERIFY2(fault.empty(), fault.c_str());
    }
    QVERIFY2(finished > kCount / 2, qPrintable(QString::number(finished)));
    compare_ways(alone, requests, expected);
  }

 private:
  /// The same tokens in a batch, after preemptions, and with guesses.
  void compare_ways(Llm& alone, const std::vector<Request>& requests,
                    const std::vector<Completion>& expected) {
    auto guesses = std::make_shared<KnownTexts>();
    for (size_t i = 0; i < requests.size(); ++i) {
      guesses->texts.push_back(joined(requests[i].prompt, expected[i].tokens));
    }
    const uint64_t tight_bytes = 17 * alone.engine().stats().bytes_per_block;
    Llm together = open_draft({.max_context = 512, .speculation = SpeculationMode::kOff});
    Llm tight = open_draft({.max_context = 256,
                            .kv_bytes = tight_bytes,
                            .host_kv_bytes = 0,
                            .speculation = SpeculationMode::kOff});
    Llm guessing = open_draft(
        {.max_context = 512, .speculation = SpeculationMode::kAlways, .drafter = guesses});
    for (Llm* llm : {&together, &tight, &guessing}) {
      const auto found = llm->generate(requests);
      for (size_t i = 0; i < requests.size(); ++i) {
        compare(found[i], expected[i]);
        if (QTest::currentTestFailed()) return;
      }
    }
    QVERIFY(tight.engine().stats().preemptions > 0);
    QVERIFY(guessing.engine().stats().accepted_tokens > 50);
    QVERIFY(guessing.engine().stats().drafted_tokens > guessing.engine().stats().accepted_tokens);
  }

 private slots:
  void interruptedAnswers_goOnAlike() {
    Llm llm = open_draft({.max_context = 512});
    const auto grammars = grammars_of(llm);
    for (const Request& request : some_answers(*grammars, 5)) {
      const Completion whole = llm.generate({request}).front();
      const size_t half = whole.tokens.size() / 2;
      if (half == 0) continue;
      Request rest = request;
      rest.prompt.insert(rest.prompt.end(), whole.tokens.begin(),
                         whole.tokens.begin() + std::ptrdiff_t(half));
      rest.answered = static_cast<int>(half);
      rest.sampling.max_tokens -= rest.answered;
      const Completion second = llm.generate({rest}).front();
      QCOMPARE(second.tokens, std::vector<TokenId>(whole.tokens.begin() + std::ptrdiff_t(half),
                                                   whole.tokens.end()));
      QCOMPARE(second.finish, whole.finish);
    }
  }

  void beginningsThatDoNotFit_areAnError() {
    Llm llm = open_draft({.max_context = 512});
    const auto grammars = grammars_of(llm);
    Request request = some_answers(*grammars, 1).front();
    request.answered = 3;  // Of random tokens.
    const Completion answer = llm.generate({request}).front();
    QCOMPARE(answer.finish, FinishReason::kFailed);
    QVERIFY2(answer.error.starts_with("The answer that is to be continued does not fit"),
             answer.error.c_str());
  }

  void grammarsOfOtherVocabularies_areRefused() {
    Llm llm = open_draft({.max_context = 512});
    const BytesTokenizer tokenizer;
    Request request = {.prompt = {300, 301}, .sampling = {.max_tokens = 4}};
    request.sampling.grammar = grammar_of("{}", vocabulary_of(tokenizer));
    const auto submitted = llm.engine().submit(request);
    QVERIFY(!submitted && submitted.error().code == ErrorCode::kInvalidArgument);
  }

  /// The grammar is that of what follows the reasoning.
  void reasoning_isFree() {
    const BytesTokenizer tokenizer({}, {"<think>", "</think>"});
    const auto grammar = grammar_of(R"({"type": "object"})", vocabulary_of(tokenizer));
    const TokenId open = *tokenizer.special_token("<think>");
    const TokenId close = *tokenizer.special_token("</think>");
    const auto may_follow = [](const AnswerGrammar& answer, TokenId id) {
      return has_token(*answer.mask(), id);
    };
    AnswerGrammar plain(grammar, tokenizer, std::vector<TokenId>{'h', 'i'});
    QVERIFY(may_follow(plain, open) && may_follow(plain, '{') && !may_follow(plain, 'x'));
    AnswerGrammar thinking(grammar, tokenizer, std::vector<TokenId>{'h', open, '\n'});
    AnswerGrammar opened = plain;
    opened.advance(open);
    for (AnswerGrammar* answer : {&thinking, &opened}) {
      QVERIFY(may_follow(*answer, 'x') && may_follow(*answer, close));
      QVERIFY(!may_follow(*answer, tokenizer.end_token()));
      answer->advance('x');
      answer->advance(close);
      QVERIFY(may_follow(*answer, '{') && !may_follow(*answer, 'x') && !may_follow(*answer, open));
      answer->advance('{');
      QVERIFY(!answer->is_finished());
      answer->advance('}');
      QVERIFY(answer->is_finished() && may_follow(*answer, tokenizer.end_token()));
    }
    const AnswerGrammar closed(grammar, tokenizer, std::vector<TokenId>{open, '\n', close, '\n'});
    QVERIFY(may_follow(closed, '{') && !may_follow(closed, open));
    plain.advance('{');
    QVERIFY(!may_follow(plain, open));
    plain.advance('x');
    QVERIFY(plain.is_broken() && plain.mask() == nullptr);
  }

  void channels_areFreeUpToTheFinalOne() {
    const BytesTokenizer tokenizer(
        {}, {"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>"});
    const auto grammar = grammar_of(R"({"type": "object"})", vocabulary_of(tokenizer));
    AnswerGrammar answer(grammar, tokenizer, std::vector<TokenId>{'h'});
    const auto read = [&](const char* mark, std::string_view text) {
      answer.advance(*tokenizer.special_token(mark));
      for (const char c : text) answer.advance(static_cast<uint8_t>(c));
    };
    read("<|channel|>", "analysis");
    read("<|message|>", "Hm, final?");
    read("<|end|>", "");
    read("<|start|>", "assistant");
    QVERIFY(has_token(*answer.mask(), 'x') && !has_token(*answer.mask(), tokenizer.end_token()));
    read("<|channel|>", "final");
    QVERIFY(has_token(*answer.mask(), 'x'));
    read("<|message|>", "");
    QVERIFY(has_token(*answer.mask(), '{') && !has_token(*answer.mask(), 'x'));
    read("<|end|>", "");
    QVERIFY(answer.is_broken());
  }
};

QTEST_APPLESS_MAIN(TestAnswerGrammar)
#include "tst_answer_grammar.moc"
