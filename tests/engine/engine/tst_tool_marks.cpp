#include <QTest>

#include "engine/answer.h"
#include "engine/chat/tool_call_parser.h"

using namespace quire;

/// The text of an answer whose calls are written with special tokens.
class TestToolMarks : public QObject {
  Q_OBJECT

 private slots:
  void marks_areHidden_unlessAskedFor();
  void shownMarks_makeACall();
  void otherSpecialTokens_stayHidden();
};

namespace {

/// A vocabulary of whole words.
class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(std::vector<std::string> words) : m_words(std::move(words)) {}

  int vocab_size() const override { return static_cast<int>(m_words.size()); }
  std::vector<TokenId> encode(std::string_view) const override { return {}; }
  std::optional<TokenId> special_token(std::string_view content) const override {
    const auto word = std::ranges::find(m_words, content);
    const auto id = static_cast<TokenId>(word - m_words.begin());
    return word != m_words.end() && is_special(id) ? std::optional(id) : std::nullopt;
  }
  const std::vector<std::string>& special_tokens() const override { return m_none; }
  bool is_special(TokenId id) const override {
    const std::string& word = m_words.at(static_cast<size_t>(id));
    return word.starts_with("[TOOL") || word.starts_with("<|");
  }
  std::string_view token_bytes(TokenId id) const override {
    return is_special(id) ? std::string_view() : token_piece(id);
  }
  std::string_view token_piece(TokenId id) const override {
    return m_words.at(static_cast<size_t>(id));
  }
  std::optional<TokenId> bos_token() const override { return std::nullopt; }
  std::optional<TokenId> eos_token() const override { return std::nullopt; }
  bool adds_bos() const override { return false; }

 private:
  const std::vector<std::string> m_words;
  const std::vector<std::string> m_none;
};

/// The text of an answer of these words.
std::string text_of(const std::vector<std::string>& words, bool shows_tool_calls) {
  LoadedModel model;
  model.chat =
      std::make_shared<ChatFormat>(ChatFormat{.tokenizer = std::make_shared<WordTokenizer>(words)});
  model.config.vocab_size = static_cast<int>(words.size());
  Request request{.prompt = {0}};
  request.shows_tool_calls = shows_tool_calls;
  Answer answer(model, request);
  RequestEvent event;
  for (TokenId id = 0; id < model.config.vocab_size; ++id) answer.advance(id, {}, event);
  answer.end(FinishReason::kEnd, event);
  return event.text;
}

const std::vector<std::string> kCall = {"Ok", "[TOOL_CALLS]", "[{\"name\": \"now\", ",
                                        "\"arguments\": {}}]"};

}  // namespace

void TestToolMarks::marks_areHidden_unlessAskedFor() {
  QCOMPARE(text_of(kCall, false), std::string("Ok[{\"name\": \"now\", \"arguments\": {}}]"));
}

void TestToolMarks::shownMarks_makeACall() {
  const std::string text = text_of(kCall, true);
  QCOMPARE(text, std::string("Ok[TOOL_CALLS][{\"name\": \"now\", \"arguments\": {}}]"));
  ToolCallParser parser(*find_tool_call_format("[TOOL_CALLS]"), "");
  const auto steps = parser.push(text);
  QCOMPARE(steps.size(), size_t{1});
  QCOMPARE(steps[0].text, std::string("Ok"));
  QCOMPARE(steps[0].calls.size(), size_t{1});
}

void TestToolMarks::otherSpecialTokens_stayHidden() {
  QCOMPARE(text_of({"a", "<|other|>", "b", "<|python_tag|>"}, true),
           std::string("ab<|python_tag|>"));
}

QTEST_APPLESS_MAIN(TestToolMarks)
#include "tst_tool_marks.moc"
