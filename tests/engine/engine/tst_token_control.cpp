#include <QTest>

#include <algorithm>

#include "engine/llm.h"
#include "tests/engine/engine/engine_test_support.h"

using namespace quire;

namespace {

Request greedy(int max_tokens) {
  return {.prompt = random_tokens(40, 3),
          .sampling = {.temperature = 0.0f, .max_tokens = max_tokens, .ignore_eos = true}};
}

}  // namespace

/// Biases of tokens, and tokens that end an answer.
class TestTokenControl : public QObject {
  Q_OBJECT

 private slots:
  void biases_decideWhatIsSampled() {
    Llm llm = open_draft({.max_context = 256});
    Request request = greedy(10);
    const Completion plain = llm.generate({request}).front();
    request.sampling.logit_bias = {{777, 100.0f}};
    const Completion forced = llm.generate({request}).front();
    QCOMPARE(forced.tokens, std::vector<TokenId>(10, 777));
    request.sampling.logit_bias = {{plain.tokens.front(), -100.0f}};
    const Completion banned = llm.generate({request}).front();
    QCOMPARE(std::ranges::count(banned.tokens, plain.tokens.front()), 0);
    request.sampling.logit_bias = {{plain.tokens.front(), 0.0f}};
    QCOMPARE(llm.generate({request}).front().tokens, plain.tokens);
  }

  /// They are the model's own.
  void logProbabilities_haveNoBias() {
    Llm llm = open_draft({.max_context = 256});
    Request request = greedy(1);
    request.sampling.num_logprobs = 5;
    const auto plain = llm.generate({request}).front().logprobs.front();
    request.sampling.logit_bias = {{777, 100.0f}};
    const auto biased = llm.generate({request}).front().logprobs.front();
    QCOMPARE(biased.front().id, 777);
    QVERIFY(biased.front().logprob < plain.front().logprob);
    for (size_t i = 1; i < plain.size(); ++i) {
      QCOMPARE(biased[i].id, plain[i].id);
      QCOMPARE(biased[i].logprob, plain[i].logprob);
    }
  }

  void stopTokens_endTheAnswerBeforeThem_data() {
    QTest::addColumn<int>("mode");
    QTest::newRow("without guesses") << int(SpeculationMode::kOff);
    QTest::newRow("with guesses beyond the stop") << int(SpeculationMode::kAlways);
  }
  void stopTokens_endTheAnswerBeforeThem() {
    QFETCH(int, mode);
    Llm llm = open_draft({.max_context = 256, .speculation = SpeculationMode(mode)});
    Request request = greedy(30);
    for (int i = 0; i < 30; ++i) request.forced.push_back(300 + i % 10);
    request.sampling.stop_token_ids = {999, 308};
    // Also after the text has been seen, so that it is guessed.
    for (int turn = 0; turn < 3; ++turn) {
      const Completion answer = llm.generate({request}).front();
      QCOMPARE(answer.tokens, std::vector<TokenId>({300, 301, 302, 303, 304, 305, 306, 307}));
      QCOMPARE(answer.finish, FinishReason::kStop);
      QCOMPARE(llm.engine().stats().used_blocks, 0);
    }
    request.sampling.stop_token_ids = {300};
    const Completion none = llm.generate({request}).front();
    QVERIFY(none.tokens.empty() && none.text.empty());
    QCOMPARE(none.finish, FinishReason::kStop);
  }

  void minTokens_comeBeforeAnyEnd_data() {
    QTest::addColumn<int>("mode");
    QTest::newRow("without guesses") << int(SpeculationMode::kOff);
    QTest::newRow("with guesses") << int(SpeculationMode::kAlways);
  }
  /// However likely the end is: it comes right after the least length.
  void minTokens_comeBeforeAnyEnd() {
    QFETCH(int, mode);
    Llm llm = open_draft({.max_context = 256, .speculation = SpeculationMode(mode)});
    Llm alone = open_draft({.max_context = 256, .speculation = SpeculationMode::kOff});
    const TokenId end = llm.model().config.end_tokens.front();
    std::vector<Request> requests;
    for (int i = 0; i < 9; ++i) {
      Request& request = requests.emplace_back(greedy(60));
      request.sampling.temperature = i % 2 == 0 ? 0.0f : 1.0f;
      request.sampling.seed = uint64_t(i);
      request.chat = i + 1;
      request.sampling.min_tokens = 6 * i;
      request.sampling.ignore_eos = i % 3 == 1;
      if (i % 3 == 1) request.sampling.stop_token_ids = {308};
      request.sampling.logit_bias = {{i % 3 == 1 ? 308 : end, 100.0f}};
    }
    for (int turn = 0; turn < 2; ++turn) {  // What was answered before is guessed.
      const auto answers = llm.generate(requests);
      for (int i = 0; i < 9; ++i) {
        const Completion& answer = answers[size_t(i)];
        QCOMPARE(int(answer.tokens.size()), 6 * i);
        QCOMPARE(answer.finish, i % 3 == 1 ? FinishReason::kStop : FinishReason::kEnd);
        QCOMPARE(answer.tokens, alone.generate({requests[size_t(i)]}).front().tokens);
      }
    }
    const bool guesses = SpeculationMode(mode) == SpeculationMode::kAlways;
    QCOMPARE(llm.engine().stats().accepted_tokens > 100, guesses);
  }

  void minTokens_hideStopStrings() {
    Llm llm = open_draft({.max_context = 256});
    Request request = greedy(12);
    for (int i = 0; i < 12; ++i) request.forced.push_back(300 + i % 2);
    const std::string text = llm.generate({request}).front().text;
    const std::string piece(llm.model().chat->tokenizer->token_bytes(300));
    request.sampling.stop = {piece};
    QCOMPARE(llm.generate({request}).front().text, std::string());
    request.sampling.min_tokens = 5;  // The next piece is token 6.
    const Completion answer = llm.generate({request}).front();
    QCOMPARE(answer.finish, FinishReason::kStop);
    QCOMPARE(answer.tokens.size(), size_t(7));
    QVERIFY(text.starts_with(answer.text) && answer.text.find(piece) != std::string::npos);
  }

  void tokensOutsideTheVocabulary_areRefused() {
    Llm llm = open_draft({.max_context = 256});
    const int vocab = llm.model().config.vocab_size;
    for (const TokenId id : {-1, vocab, 1 << 30}) {
      Request biased = greedy(1);
      biased.sampling.logit_bias = {{id, 1.0f}};
      Request stopped = greedy(1);
      stopped.sampling.stop_token_ids = {id};
      for (const Request& request : {biased, stopped}) {
        const auto submitted = llm.engine().submit(request);
        QVERIFY(!submitted && submitted.error().code == ErrorCode::kInvalidArgument);
        const QString message = QString::fromStdString(submitted.error().message);
        QVERIFY2(message.contains(QString::number(id)) && message.contains(QString::number(vocab)),
                 qPrintable(message));
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestTokenControl)
#include "tst_token_control.moc"
