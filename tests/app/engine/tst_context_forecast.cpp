#include <QtTest>

#include <atomic>
#include <map>

#include "app/engine/answer_stream.h"
#include "app/engine/engine_service.h"
#include "engine/io/hash.h"
#include "engine/model_loader.h"
#include "tests/support/answer_log.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

constexpr int kContext = 256;
const QString kPersona = QStringLiteral("You are a helpful assistant.");

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  options.engine.max_context = kContext;
  return options;
}

/// A chat of so many earlier turns, with a question at its end.
ChatRequest chat(int turns, const QString& question = QStringLiteral("What is the sea?")) {
  ChatRequest request;
  request.chatId = 5;
  request.personaId = 3;
  request.turns = {{"system", kPersona, {}}};
  for (int i = 0; i < turns; ++i) {
    request.turns.append({"user", QString("Tell me about river number %1.").arg(i), {}});
    request.turns.append({"assistant", "It begins in the hills and ends in the sea.", {}});
  }
  request.turns.append({"user", question, {}});
  request.sampling.seed = 7;
  request.sampling.max_tokens = 8;
  request.sampling.ignore_eos = true;
  return request;
}

/// Asks for forecasts and records the replies, by number.
class Forecasts : public QObject {
 public:
  explicit Forecasts(ChatBackend& backend) : m_backend(backend) {}
  void ask(int number, const ChatRequest& request) {
    m_asked[number] = m_backend.forecast(
        request, {this, [this, number](const ContextForecast& made) { heard[number] = made; }});
  }
  void withdraw(int number) { m_asked.erase(number); }

  QMap<int, ContextForecast> heard;

 private:
  ChatBackend& m_backend;
  std::map<int, PendingReply> m_asked;
};

struct TokenCounter : AnswerSink {
  void started(const PromptReport&) override {}
  void textAppended(const QString&, int outputTokens) override { tokens = outputTokens; }
  void finished(const AnswerReport&) override {}
  std::atomic<int> tokens = 0;
};

/// The answer to this chat.
AnswerLog::Answer answered(EngineService& service, const ChatRequest& request) {
  AnswerLog log(service);
  const RequestId id = log.submit(request);
  [&] { QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, 60'000); }();
  return log[id];
}

}  // namespace

/// What the engine's thread says before and after a chat that may be too long, and what an answer
/// was made from.
class TestContextForecast : public QObject {
  Q_OBJECT

 private slots:
  void answer_saysWhatItWasMadeFrom() {
    EngineService service(options());
    const AnswerReport report = answered(service, chat(1)).report;
    QCOMPARE(report.finish, FinishReason::kLength);
    QCOMPARE(report.origin.modelFingerprint, service.primaryModel().fingerprint);
    QVERIFY(!report.origin.modelFingerprint.isEmpty());
    QCOMPARE(report.origin.promptTokens.size(), report.prompt.promptTokens);
    QCOMPARE(report.origin.sampling.seed, 7u);
    QCOMPARE(report.origin.sampling.max_tokens, 8);
    QCOMPARE(report.prompt.droppedMessages, 0);
    auto backend = create_backend({.device = "cpu"});
    const auto model = load_model(bundled_model_folder(), **backend);
    QVERIFY(model.has_value());
    Sha256 hash;
    hash.update(model->chat->template_source);
    QCOMPARE(report.origin.templateHash, QString::fromStdString(to_hex(hash.finish())));
  }

  void longChat_isAnsweredWithoutItsOldestTurns() {
    EngineService service(options());
    const AnswerLog::Answer answer = answered(service, chat(30));
    const AnswerReport& report = answer.report;
    QCOMPARE(report.error, QString());
    QVERIFY(report.prompt.promptTokens <= kContext - kContext / 4);
    QVERIFY(report.prompt.droppedMessages >= 20 && report.prompt.droppedMessages < 60);
    QCOMPARE(report.prompt.droppedMessages % 2, 0);
    QCOMPARE(answer.prompt.droppedMessages, report.prompt.droppedMessages);
  }

  void tooLongMessage_isRefusedWithTheNumbers() {
    EngineService service(options());
    const AnswerReport report = answered(service, chat(3, QString("sea ").repeated(5000))).report;
    QCOMPARE(report.finish, FinishReason::kFailed);
    QVERIFY2(report.error.contains("holds 256"), qPrintable(report.error));
  }

  void forecast_isWhatSendingThenDoes() {
    EngineService service(options());
    Forecasts forecasts(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    for (const int turns : {0, 4, 12, 30}) {
      forecasts.ask(turns, chat(turns));
      QTRY_VERIFY(forecasts.heard.contains(turns));
      const ContextForecast forecast = forecasts.heard[turns];
      const AnswerReport report = answered(service, chat(turns)).report;
      QCOMPARE(forecast.droppedMessages, report.prompt.droppedMessages);
      QCOMPARE(forecast.promptTokens, report.prompt.promptTokens);
      QCOMPARE(forecast.contextTokens, kContext);
      QCOMPARE(forecast.error, QString());
    }
    forecasts.ask(99, chat(3, QString("sea ").repeated(5000)));
    QTRY_VERIFY(forecasts.heard.contains(99));
    QVERIFY(forecasts.heard[99].promptTokens > 5000);
    QVERIFY(!forecasts.heard[99].error.isEmpty());
    forecasts.ask(100, {});
    QTRY_VERIFY(forecasts.heard.contains(100));
    QVERIFY(!forecasts.heard[100].error.isEmpty());
  }

  void forecast_ofAModelThatIsNotLoaded_comesAndIsEmpty() {
    EngineService service(options());
    Forecasts forecasts(service);
    ChatRequest elsewhere = chat(3);
    elsewhere.modelPath = QStringLiteral("/models/not-loaded.gguf");
    forecasts.ask(1, elsewhere);
    QVERIFY(forecasts.heard.isEmpty());  // Never inside the call.
    QTRY_VERIFY(forecasts.heard.contains(1));
    QCOMPARE(forecasts.heard[1].promptTokens, 0);
    QCOMPARE(forecasts.heard[1].error, QString());
  }

  /// Prompts are rendered and tokenised beside the engine's thread.
  void longForecast_doesNotHoldUpAStream() {
    EngineServiceOptions large = options();
    large.engine.max_context = 2048;
    EngineService service(large);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    const auto stream = std::make_shared<TokenCounter>();
    ChatRequest endless = chat(1);
    endless.sampling.max_tokens = 100'000'000;
    const RequestId id = service.submit(endless, stream);
    QTRY_VERIFY_WITH_TIMEOUT(stream->tokens > 0, 60'000);
    const ChatRequest longChat = chat(2000);
    std::atomic<int> atReply = -1;
    int computed = 0;
    // The engine's thread may rest just then, because others use the processor.
    for (int attempt = 0; attempt < 5 && computed < 5; ++attempt) {
      atReply = -1;
      const int before = stream->tokens;
      const PendingReply asked =
          service.forecast(longChat, Reply<ContextForecast>([&](const ContextForecast& forecast) {
                             if (forecast.droppedMessages > 0) atReply = stream->tokens.load();
                           }));
      QTRY_VERIFY_WITH_TIMEOUT(atReply >= 0, 60'000);
      computed = atReply - before;
    }
    QVERIFY2(computed >= 5, qPrintable(QString::number(computed)));
    service.cancel(id);
  }

  void withdrawnForecasts_areNotMade() {
    EngineService service(options());
    Forecasts forecasts(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, 60'000);
    for (int number = 1; number <= 200; ++number) forecasts.ask(number, chat(20));
    for (int number = 2; number <= 199; ++number) forecasts.withdraw(number);
    QTRY_VERIFY_WITH_TIMEOUT(forecasts.heard.contains(200), 60'000);
    QCOMPARE(forecasts.heard.keys(), (QList<int>{1, 200}));
  }

  void withoutAModel_thereIsNothingToSay() {
    EngineServiceOptions none = options();
    none.modelPath = "/nonexistent/model";
    EngineService service(none);
    Forecasts forecasts(service);
    forecasts.ask(1, chat(1));
    QTRY_VERIFY_WITH_TIMEOUT(forecasts.heard.contains(1), 60'000);
    QCOMPARE(forecasts.heard[1].contextTokens, 0);
    QCOMPARE(forecasts.heard[1].error, QString());
  }

  void changedMessage_isCountedInTheWholeChat_data() {
    QTest::addColumn<int>("given");
    QTest::addColumn<int>("told");
    QTest::newRow("unknown") << -1 << -1;
    QTest::newRow("the system prompt") << 0 << 0;
    QTest::newRow("the first that is left") << 1 << 7;
    QTest::newRow("the next") << 2 << 8;
  }
  void changedMessage_isCountedInTheWholeChat() {
    QFETCH(int, given);
    RequestEvent event;
    event.finish = FinishReason::kEnd;
    event.usage.prompt_tokens = 40;
    event.usage.cached_tokens = 16;
    event.usage.disk_tokens = 8;
    event.usage.miss = {.reason = PrefixMiss::Reason::kChanged, .position = 16, .message = given};
    PromptReport report;
    AnswerStream stream(WindowSink::make(this, {.started = [&](const auto& r) { report = r; }}),
                        {.origin = {}, .droppedMessages = 6, .systemTurns = 1});
    QVERIFY(stream.take(event));
    QTEST(report.miss.message, "told");
    QCOMPARE(report.miss.reason, PrefixMiss::Reason::kChanged);
    QCOMPARE(report.diskTokens, 8);
    QCOMPARE(report.droppedMessages, 6);
  }
};

QTEST_GUILESS_MAIN(TestContextForecast)
#include "tst_context_forecast.moc"
