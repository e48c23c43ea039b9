#include <QTest>

#include <algorithm>
#include <random>

#include "engine/chat/context_window.h"
#include "tests/support/template_model.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

constexpr int kContext = 700;
const std::string kSystem = "You are a patient librarian. Answer in two sentences, no lists.";

/// So many words, a few tokens each.
std::string words(std::mt19937& random, int count) {
  static const char* const kWords[] = {"river", "stone", "because", "walks", "7",  "über", "the",
                                       "lamp,", "and",   "yes",     "page.", "강", "not",  "\n"};
  std::string text = "word";
  for (int i = 1; i < count; ++i) text += std::string(" ") + kWords[random() % std::size(kWords)];
  return text;
}

/// Without the space at its end, which some templates cut off.
std::string trimmed(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

bool holds(const LoadedModel& model, const ChatPrompt& prompt, const std::string& text) {
  return model.chat->tokenizer->decode(prompt.tokens).find(text) != std::string::npos;
}

FittedChat fit(const LoadedModel& model, const std::vector<ChatMessage>& messages,
               int max_context = kContext) {
  auto fitted = fit_chat(*model.chat, messages, max_context);
  if (!fitted) qFatal("%s", fitted.error().message.c_str());
  return std::move(*fitted);
}

}  // namespace

class TestContextWindow : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
  }

  void rule_dropsWholeStridesOfTurns() {
    const std::vector<int> ends = {40, 90, 100, 180, 320, 330};
    QCOMPARE(turns_to_drop(ends, 0, 100), size_t{0});
    QCOMPARE(turns_to_drop(ends, 1, 100), size_t{3});  // All that end within 100.
    QCOMPARE(turns_to_drop(ends, 100, 100), size_t{3});
    QCOMPARE(turns_to_drop(ends, 101, 100), size_t{4});  // Within 200.
    QCOMPARE(turns_to_drop(ends, 181, 100), size_t{6});  // The one across 300 ends within 400.
    QCOMPARE(turns_to_drop(ends, 331, 100), size_t{6});  // All there is; it does not suffice.
    QCOMPARE(turns_to_drop({}, 5, 100), size_t{0});
  }

  void rule_isTheSmallestNumberOfStrides() {
    std::mt19937 random(20);
    for (int round = 0; round < 2000; ++round) {
      std::vector<int> ends;
      for (int at = 0; ends.size() < 40; ends.push_back(at)) at += 1 + random() % 60;
      const int stride = 1 + static_cast<int>(random() % 200);
      const int excess = 1 + static_cast<int>(random() % ends.back());
      size_t expected = 0;
      for (int k = 1; expected == 0 || ends[expected - 1] < excess; ++k) {
        expected = std::ranges::count_if(ends, [&](int end) { return end <= k * stride; });
      }
      QCOMPARE(turns_to_drop(ends, excess, stride), expected);
    }
  }

  void shortChat_isLeftAsItIs() {
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    const std::vector<ChatMessage> messages = {{"system", kSystem, {}}, {"user", "Hello!", {}}};
    const FittedChat fitted = fit(model, messages);
    QCOMPARE(fitted.prompt.tokens, chat_prompt(*model.chat, messages)->tokens);
    QCOMPARE(fitted.dropped_messages, 0);
    QVERIFY(fitted.fits);
  }

  void growingChat_data() {
    QTest::addColumn<QString>("vocabulary");
    QTest::addColumn<QString>("template_name");
    QTest::addColumn<bool>("rewrites");  // The last message, once it is not the last any more.
    QTest::newRow("default") << "ggml-vocab-gpt-2.gguf"
                             << "" << false;
    QTest::newRow("phi-3") << "ggml-vocab-phi-3.gguf"
                           << "microsoft-Phi-3.5-mini-instruct.jinja" << false;
    QTest::newRow("gemma, insists on turns, refuses systems")
        << "ggml-vocab-llama-spm.gguf"
        << "google-gemma-2-2b-it.jinja" << false;
    QTest::newRow("qwen2.5") << "ggml-vocab-gpt-2.gguf"
                             << "Qwen-Qwen2.5-7B-Instruct.jinja" << false;
    QTest::newRow("qwen3") << "ggml-vocab-gpt-2.gguf"
                           << "Qwen-Qwen3-0.6B.jinja" << false;
    QTest::newRow("nemo, insists on turns") << "ggml-vocab-llama-spm.gguf"
                                            << "mistralai-Mistral-Nemo-Instruct-2407.jinja" << true;
  }
  void growingChat() {
    QFETCH(QString, vocabulary);
    QFETCH(QString, template_name);
    QFETCH(bool, rewrites);
    const LoadedModel model = template_model(vocabulary.toStdString(), template_name.toStdString());
    std::mt19937 random(4);
    std::vector<ChatMessage> messages = {{"system", kSystem, {}}};
    FittedChat before;
    int cuts = 0;
    for (int turn = 0; turn < 60; ++turn) {
      messages.push_back({"user", words(random, 1 + random() % 25), {}});
      const FittedChat now = fit(model, messages);
      QVERIFY(now.fits);
      QVERIFY(now.prompt.tokens.size() <= kContext - kContext / 4);  // Room for an answer.
      QVERIFY(holds(model, now.prompt, kSystem));
      QVERIFY(holds(model, now.prompt, trimmed(messages.back().text())));
      QCOMPARE(now.dropped_messages % 2, 0);
      QCOMPARE(now.prompt.message_starts.size(), messages.size() - now.dropped_messages);
      QVERIFY(now.dropped_messages >= before.dropped_messages);
      if (now.dropped_messages > before.dropped_messages) {
        ++cuts;
      } else if (turn > 0 && !rewrites) {
        const int kept = before.prompt.message_starts.back();
        QVERIFY(std::equal(before.prompt.tokens.begin(), before.prompt.tokens.begin() + kept,
                           now.prompt.tokens.begin()));
      }
      before = now;
      messages.push_back({"assistant", words(random, 1 + random() % 40), {}});
    }
    const auto all = chat_prompt(*model.chat, messages);
    const int stride = (kContext - kContext / 4) / 2 - 40;  // The system prompt has some 20 tokens.
    const int most = static_cast<int>(all->tokens.size()) / stride;
    QVERIFY2(cuts >= 2 && cuts <= most, qPrintable(QString("%1 of %2").arg(cuts).arg(most)));
  }

  void randomHistories_fitOrAreRefusedForTheirLastTurn() {
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    std::mt19937 random(11);
    int refused = 0;
    for (int round = 0; round < 60; ++round) {
      std::vector<ChatMessage> messages;
      if (random() % 2 == 0) messages.push_back({"system", words(random, random() % 250), {}});
      const size_t system = messages.size();
      for (int turns = static_cast<int>(random() % 12); turns > 0; --turns) {
        messages.push_back({"user", words(random, random() % 150), {}});
        messages.push_back({"assistant", words(random, random() % 150), {}});
      }
      messages.push_back({"user", words(random, random() % 400), {}});
      const FittedChat fitted = fit(model, messages);
      std::vector<ChatMessage> least(messages.begin(), messages.begin() + system);
      least.push_back(messages.back());
      const size_t needed = chat_prompt(*model.chat, least)->tokens.size();
      QCOMPARE(fitted.fits, needed < kContext);
      QCOMPARE(fitted.fits, fitted.prompt.tokens.size() < kContext);
      QCOMPARE(fit(model, messages).prompt.tokens, fitted.prompt.tokens);
      refused += fitted.fits ? 0 : 1;
    }
    QVERIFY2(refused > 3 && refused < 40, qPrintable(QString::number(refused)));
  }

  void refusal_hasTheNumbers() {
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    std::mt19937 random(1);
    const FittedChat fitted = fit(model, {{"system", kSystem, {}},
                                          {"user", "Hello?", {}},
                                          {"assistant", "Hello.", {}},
                                          {"user", words(random, 2000), {}}});
    QVERIFY(!fitted.fits);
    QCOMPARE(fitted.dropped_messages, 2);
    const Error error = overflow_error(fitted, kContext);
    QCOMPARE(error.code, ErrorCode::kContextOverflow);
    const QString sentence = QString::fromStdString(error.message);
    QVERIFY2(sentence.contains(QString::number(fitted.prompt.tokens.size())) &&
                 sentence.contains("holds 700") && sentence.contains("horten the message"),
             qPrintable(sentence));
  }

  void refusal_blamesTheSystemPromptIfThatIsTooLong() {
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    std::mt19937 random(5);
    const std::string system = words(random, 600);
    const FittedChat fitted = fit(model, {{"system", system, {}}, {"user", "Hi!", {}}});
    QVERIFY(!fitted.fits);
    const QString sentence = QString::fromStdString(overflow_error(fitted, kContext).message);
    const int tokens = fitted.prompt.persona_tokens;
    QVERIFY(tokens > kContext);
    QVERIFY2(sentence.contains(QString("%1 of them the system prompt's").arg(tokens)) &&
                 sentence.contains("holds 700") && !sentence.contains("the message"),
             qPrintable(sentence));
    // A long message under a short system prompt, or under none, is the message's fault.
    const std::string question = words(random, 600);
    for (const std::vector<ChatMessage>& messages :
         {std::vector<ChatMessage>{{"user", question, {}}},
          std::vector<ChatMessage>{{"system", kSystem, {}}, {"user", question, {}}}}) {
      const std::string other = overflow_error(fit(model, messages), kContext).message;
      QVERIFY2(other.find("shorten the message") != other.npos, other.c_str());
    }
  }

  void longSystemPrompt_leavesRoomForSomeHistory() {
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    std::mt19937 random(2);
    std::vector<ChatMessage> messages = {{"system", words(random, 330), {}},
                                         {"user", "Hello?", {}},
                                         {"assistant", "Hello.", {}},
                                         {"user", "How are you?", {}}};
    const FittedChat fitted = fit(model, messages);
    QVERIFY(fitted.prompt.tokens.size() > kContext - kContext / 4);  // Little is left to answer in.
    QCOMPARE(fitted.dropped_messages, 0);
  }

  void longHistory_isMeasuredByFewRenderings() {
    const LoadedModel model = template_model("ggml-vocab-gpt-2.gguf", "");
    std::mt19937 random(3);
    std::vector<ChatMessage> messages = {{"system", kSystem, {}}};
    for (int turn = 0; turn < 500; ++turn) {
      messages.push_back({"user", words(random, 20), {}});
      messages.push_back({"assistant", words(random, 60), {}});
    }
    messages.push_back({"user", "And now?", {}});
    const double begin = test::thread_ms();
    (void)chat_prompt(*model.chat, messages);
    const double rendered = test::thread_ms();
    const FittedChat fitted = fit(model, messages, 4096);
    const double once = rendered - begin;
    const double took = test::thread_ms() - rendered;
    QVERIFY(fitted.fits && fitted.dropped_messages > 700);
    QVERIFY2(took < 5 * once + 50, qPrintable(QString("%1 ms, once %2").arg(took).arg(once)));
    qInfo("500 turns: one rendering %.1f ms, fitted in %.1f ms", once, took);
  }
};

QTEST_APPLESS_MAIN(TestContextWindow)
#include "tst_context_window.moc"
