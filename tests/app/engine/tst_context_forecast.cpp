#include <QSignalSpy>
#include <QtTest>

#include "app/engine/answer_stream.h"
#include "app/engine/engine_service.h"
#include "engine/io/hash.h"
#include "engine/model_loader.h"
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

/// The answers to forecasts, by number.
class Forecasts : public QObject {
 public:
  explicit Forecasts(const EngineService& service) {
    connect(&service, &ChatBackend::forecast, this,
            [this](quint64 number, const ContextForecast& forecast) { heard[number] = forecast; });
  }
  QMap<quint64, ContextForecast> heard;
};

/// The report of the answer to this chat.
AnswerReport answered(EngineService& service, const ChatRequest& request) {
  AnswerReport heard;
  int finishes = 0;
  QObject listener;
  RequestId id = 0;
  QObject::connect(&service, &ChatBackend::finished, &listener,
                   [&](RequestId one, const AnswerReport& report) {
                     if (one != id) return;
                     heard = report;
                     ++finishes;
                   });
  id = service.submit(request);
  [&] { QTRY_COMPARE_WITH_TIMEOUT(finishes, 1, 60'000); }();
  return heard;
}

}  // namespace

/// What the engine's thread says before and after a chat that may be too long, and what an answer
/// was made from.
class TestContextForecast : public QObject {
  Q_OBJECT

 private slots:
  void answer_saysWhatItWasMadeFrom() {
    EngineService service(options());
    const AnswerReport report = answered(service, chat(1));
    QCOMPARE(report.finish, FinishReason::kLength);
    QCOMPARE(report.origin.modelFingerprint, service.modelFingerprint());
    QVERIFY(!report.origin.modelFingerprint.isEmpty());
    QCOMPARE(report.origin.promptTokens.size(), report.prompt.promptTokens);
    QCOMPARE(report.origin.sampling.seed, 7u);
    QCOMPARE(report.origin.sampling.max_tokens, 8);
    QCOMPARE(report.prompt.droppedMessages, 0);
    auto backend = create_backend({.device = "cpu"});
    const auto model = load_model(bundled_model_folder(), **backend);
    QVERIFY(model.has_value());
    Sha256 hash;
    hash.update(model->template_source);
    QCOMPARE(report.origin.templateHash, QString::fromStdString(to_hex(hash.finish())));
  }

  void longChat_isAnsweredWithoutItsOldestTurns() {
    EngineService service(options());
    QSignalSpy started(&service, &ChatBackend::started);
    const AnswerReport report = answered(service, chat(30));
    QCOMPARE(report.error, QString());
    QVERIFY(report.prompt.promptTokens <= kContext - kContext / 4);
    QVERIFY(report.prompt.droppedMessages >= 20 && report.prompt.droppedMessages < 60);
    QCOMPARE(report.prompt.droppedMessages % 2, 0);
    const auto first = started.first()[1].value<PromptReport>();
    QCOMPARE(first.droppedMessages, report.prompt.droppedMessages);
  }

  void tooLongMessage_isRefusedWithTheNumbers() {
    EngineService service(options());
    const AnswerReport report = answered(service, chat(3, QString("sea ").repeated(5000)));
    QCOMPARE(report.finish, FinishReason::kFailed);
    QVERIFY2(report.error.contains("holds 256"), qPrintable(report.error));
  }

  void forecast_isWhatSendingThenDoes() {
    EngineService service(options());
    Forecasts forecasts(service);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ChatBackend::State::Ready, 60'000);
    for (const int turns : {0, 4, 12, 30}) {
      service.askForecast(static_cast<quint64>(turns), chat(turns));
      QTRY_VERIFY(forecasts.heard.contains(static_cast<quint64>(turns)));
      const ContextForecast forecast = forecasts.heard[static_cast<quint64>(turns)];
      const AnswerReport report = answered(service, chat(turns));
      QCOMPARE(forecast.droppedMessages, report.prompt.droppedMessages);
      QCOMPARE(forecast.promptTokens, report.prompt.promptTokens);
      QCOMPARE(forecast.contextTokens, kContext);
      QCOMPARE(forecast.error, QString());
    }
    service.askForecast(99, chat(3, QString("sea ").repeated(5000)));
    QTRY_VERIFY(forecasts.heard.contains(99));
    QVERIFY(forecasts.heard[99].promptTokens > 5000);
    QVERIFY(!forecasts.heard[99].error.isEmpty());
    service.askForecast(100, {});
    QTRY_VERIFY(forecasts.heard.contains(100));
    QVERIFY(!forecasts.heard[100].error.isEmpty());
  }

  void forecast_ofAModelThatIsNotLoaded_comesAndIsEmpty() {
    EngineService service(options());
    Forecasts forecasts(service);
    ChatRequest elsewhere = chat(3);
    elsewhere.modelPath = QStringLiteral("/models/not-loaded.gguf");
    service.askForecast(1, elsewhere);
    QVERIFY(forecasts.heard.isEmpty());  // Never inside the call.
    QTRY_VERIFY(forecasts.heard.contains(1));
    QCOMPARE(forecasts.heard[1].promptTokens, 0);
    QCOMPARE(forecasts.heard[1].error, QString());
  }

  void laterQuestions_takeThePlaceOfEarlierOnes() {
    EngineService service(options());
    Forecasts forecasts(service);
    ChatRequest other = chat(1);
    other.chatId = 6;
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ChatBackend::State::Ready, 60'000);
    // Enough work to keep the engine's thread busy meanwhile.
    QList<RequestId> answers;
    for (int i = 0; i < 8; ++i) answers.append(service.submit(chat(30)));
    service.askForecast(1, other);
    for (quint64 number = 2; number <= 200; ++number) service.askForecast(number, chat(20));
    QTRY_VERIFY_WITH_TIMEOUT(forecasts.heard.contains(200), 60'000);
    QVERIFY(forecasts.heard.contains(1));  // Another chat's.
    QVERIFY2(forecasts.heard.size() < 190, qPrintable(QString::number(forecasts.heard.size())));
    QCOMPARE(forecasts.heard[200].droppedMessages % 2, 0);
  }

  void withoutAModel_thereIsNothingToSay() {
    EngineServiceOptions none = options();
    none.modelPath = "/nonexistent/model";
    EngineService service(none);
    Forecasts forecasts(service);
    service.askForecast(1, chat(1));
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
    Outbox outbox([] {});
    RequestEvent event;
    event.finish = FinishReason::kEnd;
    event.usage.prompt_tokens = 40;
    event.usage.cached_tokens = 16;
    event.usage.disk_tokens = 8;
    event.usage.miss = {.reason = PrefixMiss::Reason::kChanged, .position = 16, .message = given};
    AnswerStream stream(1, outbox, {.origin = {}, .droppedMessages = 6, .systemTurns = 1});
    QVERIFY(stream.take(event));
    const auto events = outbox.take();
    const PromptReport& report = std::get<AnswerStarted>(events.front()).report;
    QTEST(report.miss.message, "told");
    QCOMPARE(report.miss.reason, PrefixMiss::Reason::kChanged);
    QCOMPARE(report.diskTokens, 8);
    QCOMPARE(report.droppedMessages, 6);
  }
};

QTEST_GUILESS_MAIN(TestContextForecast)
#include "tst_context_forecast.moc"
