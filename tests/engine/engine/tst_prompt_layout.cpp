#include <QTest>

#include <algorithm>

#include "engine/chat/chat_prompt.h"
#include "tests/support/template_model.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

const std::string kSystem = "You are a patient librarian. Answer in two sentences, no lists.";

std::string text_from(const LoadedModel& model, const ChatPrompt& prompt, int start) {
  return model.chat->tokenizer->decode(std::span(prompt.tokens).subspan(static_cast<size_t>(start)),
                                       /*with_special=*/true);
}

/// Whether the token at `start` is the one that holds the first byte of `content`.
bool begins_at(const LoadedModel& model, const ChatPrompt& prompt, int start,
               const std::string& content) {
  const TokenId token = prompt.tokens.at(static_cast<size_t>(start));
  const size_t length = model.chat->tokenizer->token_bytes(token).size();
  const std::string text = text_from(model, prompt, start);
  // What stands before the words is theirs (white space) or of the token that they begin within.
  const size_t space = std::min(text.find_first_not_of(" \n"), text.size());
  return text.find(content) < std::max(space + 1, length);
}

std::vector<ChatMessage> chat() {
  return {{"system", kSystem, {}},
          {"user", "Which book should I read first? 책", {}},
          {"assistant", "The one that lies open; it was left so for you.", {}},
          {"user", "Why?", {}},
          {"assistant", "Because\n\nsomebody cared.", {}},
          {"user", "  Who, and when?\n", {}}};
}

ChatPrompt prompt_of(const LoadedModel& model, const std::vector<ChatMessage>& messages) {
  auto prompt = chat_prompt(*model.chat, messages);
  if (!prompt) qFatal("%s", prompt.error().message.c_str());
  return std::move(*prompt);
}

}  // namespace

/// What a prompt says of itself, with published templates in published vocabularies; most of these
/// pairs were never meant for each other, so the templates' marks are many plain tokens.
class TestPromptLayout : public QObject {
  Q_OBJECT

 private:
  static void add_models() {
    QTest::addColumn<QString>("vocabulary");
    QTest::addColumn<QString>("template_name");
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    for (const char* name :
         {"", "Qwen-Qwen2.5-7B-Instruct.jinja", "Qwen-Qwen3-0.6B.jinja", "GLM-4.6.jinja",
          "HuggingFaceTB-SmolLM3-3B.jinja", "meta-llama-Llama-3.1-8B-Instruct.jinja",
          "openai-gpt-oss-120b.jinja", "ibm-granite-granite-3.3-2B-Instruct.jinja",
          "google-gemma-2-2b-it.jinja", "deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja",
          "microsoft-Phi-3.5-mini-instruct.jinja", "mistralai-Mistral-Nemo-Instruct-2407.jinja"}) {
      for (const char* vocabulary : {"ggml-vocab-gpt-2.gguf", "ggml-vocab-llama-spm.gguf"}) {
        QTest::addRow("%s, %s", vocabulary, name) << vocabulary << name;
      }
    }
    QTest::newRow("phi-3") << "ggml-vocab-phi-3.gguf"
                           << "microsoft-Phi-3.5-mini-instruct.jinja";
  }
  static LoadedModel model() {
    QFETCH(QString, vocabulary);
    QFETCH(QString, template_name);
    return template_model(vocabulary.toStdString(), template_name.toStdString());
  }
  /// Mistral writes the system's words into the last message.
  static bool has_system_first() {
    QFETCH(QString, template_name);
    return !template_name.contains("Nemo");
  }

 private slots:
  void messages_beginWithTheirWords_data() { add_models(); }
  void messages_beginWithTheirWords() {
    const LoadedModel loaded = model();
    const std::vector<ChatMessage> messages = chat();
    const ChatPrompt prompt = prompt_of(loaded, messages);
    QCOMPARE(prompt.message_starts.size(), messages.size());
    QVERIFY(std::ranges::is_sorted(prompt.message_starts));
    for (size_t i = has_system_first() ? 0 : 1; i < messages.size(); ++i) {
      const std::string words = QString::fromStdString(messages[i].text()).trimmed().toStdString();
      QVERIFY2(
          begins_at(loaded, prompt, prompt.message_starts[i], words),
          (std::to_string(i) + ": " + text_from(loaded, prompt, prompt.message_starts[i])).c_str());
    }
  }

  void persona_isWhatEveryChatUnderItBeginsWith_data() { add_models(); }
  void persona_isWhatEveryChatUnderItBeginsWith() {
    const LoadedModel loaded = model();
    const ChatPrompt first = prompt_of(loaded, chat());
    for (const char* words : {"a", "\n\nOdd", " .", "é", "ok"}) {
      const ChatPrompt other = prompt_of(loaded, {{"system", kSystem, {}}, {"user", words, {}}});
      const auto common =
          std::ranges::mismatch(first.tokens, other.tokens).in1 - first.tokens.begin();
      QVERIFY(first.persona_tokens <= common);
      QVERIFY(other.persona_tokens <= common || !has_system_first());
      QVERIFY(std::abs(first.persona_tokens - other.persona_tokens) <= 1 || !has_system_first());
    }
    QVERIFY(first.persona_tokens <= first.message_starts[1]);
    if (!has_system_first()) return;
    const int end = first.persona_tokens;
    const std::string persona =
        loaded.chat->tokenizer->decode(std::span(first.tokens).first(end), true);
    // A token short at most.
    const std::string most = kSystem.substr(0, kSystem.size() - 1);
    QVERIFY2(persona.find(most) != std::string::npos, persona.c_str());
  }

  void sampledTokens_moveTheStarts() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    const LoadedModel loaded = template_model("ggml-vocab-gpt-2.gguf", "");
    std::vector<ChatMessage> messages = chat();
    const ChatPrompt encoded = prompt_of(loaded, messages);
    for (const char c : messages[2].text()) {
      const auto ids = loaded.chat->tokenizer->encode(std::string(1, c));
      messages[2].tokens.insert(messages[2].tokens.end(), ids.begin(), ids.end());
    }
    const ChatPrompt spliced = prompt_of(loaded, messages);
    const auto longer = static_cast<int>(spliced.tokens.size() - encoded.tokens.size());
    QVERIFY(longer > 10);
    QCOMPARE(spliced.message_starts[1], encoded.message_starts[1]);
    QVERIFY(std::abs(spliced.message_starts[2] - encoded.message_starts[2]) <= 1);
    QVERIFY(std::abs(spliced.message_starts[3] - longer - encoded.message_starts[3]) <= 1);
    QVERIFY(begins_at(loaded, spliced, spliced.message_starts[5], "Who, and when?"));
  }

  void droppedReasoning_leavesTheAnswersStart() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    const LoadedModel loaded = template_model("ggml-vocab-gpt-2.gguf", "Qwen-Qwen3-0.6B.jinja");
    const ChatPrompt prompt =
        prompt_of(loaded, {{"user", "One?", {}},
                           {"assistant", "<think>\nOne, two\n</think>\n\nTwo it is.", {}},
                           {"user", "Two.", {}},
                           {"assistant", "<think>\nhm\n</think>\n\nOne more?", {}},
                           {"user", "One?", {}}});
    const auto at = [&](int message, const char* words) {
      return begins_at(loaded, prompt, prompt.message_starts[message], words);
    };
    QVERIFY(at(0, "One?") && at(1, "Two it is.") && at(2, "Two.") && at(3, "One more?") &&
            at(4, "One?"));
    QCOMPARE(std::ranges::adjacent_find(prompt.message_starts), prompt.message_starts.end());
  }

  void leftOutMessage_beginsWhereTheNextDoes() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    LoadedModel loaded = template_model("ggml-vocab-gpt-2.gguf", "");
    set_template(
        loaded,
        "{% for m in messages %}{% if m.role != 'tool' %}[{{ m.role }}]{{ m.content }}{% endif %}"
        "{% endfor %}");
    const ChatPrompt prompt =
        prompt_of(loaded, {{"user", "Look!", {}}, {"tool", "42", {}}, {"assistant", "I see.", {}}});
    QCOMPARE(prompt.message_starts[1], prompt.message_starts[2]);
    const ChatPrompt last = prompt_of(loaded, {{"user", "Look!", {}}, {"tool", "42", {}}});
    QCOMPARE(last.message_starts[1], static_cast<int>(last.tokens.size()));
  }

  void hostileTemplate_isBounded() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    LoadedModel loaded = template_model("ggml-vocab-gpt-2.gguf", "");
    set_template(loaded,
                 "{% for i in range(20000) %}{{ messages[0].content[i % 7] }}-{% endfor %}");
    std::vector<ChatMessage> messages = {{"user", "?!*+~#@", {}}};
    for (int i = 0; i < 500; ++i) messages.push_back({"user", std::string(2000, 'x'), {}});
    const double begin = test::thread_ms();
    const ChatPrompt prompt = prompt_of(loaded, messages);
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 2000.0, qPrintable(QString::number(ms)));
    QVERIFY(std::ranges::is_sorted(prompt.message_starts));
  }
};

QTEST_APPLESS_MAIN(TestPromptLayout)
#include "tst_prompt_layout.moc"
