#include <QFile>
#include <QSignalSpy>
#include <QtTest>

#include "app/engine/engine_service.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

constexpr int kWaitMs = 60'000;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  return options;
}

ChatRequest ask(const QString& text, int length) {
  ChatRequest request;
  request.turns = {{"user", text, {}}};
  request.sampling.seed = 7;
  request.sampling.temperature = 0.8f;
  request.sampling.max_tokens = length;
  request.sampling.ignore_eos = true;
  return request;
}

/// What a service says of its answers.
class Listener : public QObject {
 public:
  explicit Listener(EngineService& service) {
    connect(&service, &ChatBackend::textAppended, this,
            [this](RequestId id, const QString& text, int) { texts[id] += text; });
    connect(&service, &ChatBackend::finished, this,
            [this](RequestId id, const AnswerReport& report) { reports[id] = report; });
  }
  QHash<RequestId, QString> texts;
  QHash<RequestId, AnswerReport> reports;
};

}  // namespace

/// Answers that wait and go on, and answers that go on after they were cut off: the same tokens as
/// if nothing had happened.
class TestPause : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    if (!QFile::exists(QString::fromStdString(bundled_model_folder()) + "/config.json")) {
      QSKIP("The bundled model is not there.");
    }
    m_service = std::make_unique<EngineService>(options());
    m_heard = std::make_unique<Listener>(*m_service);
    QTRY_COMPARE_WITH_TIMEOUT(m_service->state(), ChatBackend::State::Ready, kWaitMs);
  }

  void pausedAnswer_goesOnWithTheSameTokens() {
    const ChatRequest request = ask("Tell me about the sea.", 200);
    const RequestId whole = m_service->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(whole), kWaitMs);
    const RequestId paused = m_service->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->texts[paused].size() > 10, kWaitMs);
    pause();
    const QString text = m_heard->texts[paused];
    QTest::qWait(200);
    QCOMPARE(m_heard->texts[paused], text);
    QVERIFY(!m_heard->reports.contains(paused));
    m_service->setPaused(false);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(paused), kWaitMs);
    QCOMPARE(m_heard->reports[paused].tokens, m_heard->reports[whole].tokens);
    QCOMPARE(m_heard->texts[paused], m_heard->texts[whole]);
  }

  void whilePaused_requestsWait_andStopWorks() {
    pause();
    const RequestId waiting = m_service->submit(ask("Tell me about the sea.", 20));
    const RequestId stopped = m_service->submit(ask("Tell me about the hills.", 20));
    QTest::qWait(150);
    QVERIFY(m_heard->texts[waiting].isEmpty());
    m_service->cancel(stopped);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(stopped), 1000);
    QCOMPARE(m_heard->reports[stopped].finish, FinishReason::kCancelled);
    QVERIFY(!m_heard->reports.contains(waiting));
    m_service->setPaused(false);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(waiting), kWaitMs);
    QCOMPARE(m_heard->reports[waiting].outputTokens, 20);
  }

  void continuedAnswer_isWhatItWouldHaveBeen_data() {
    QTest::addColumn<bool>("withTokens");
    QTest::newRow("known by its tokens") << true;
    QTest::newRow("known by its text") << false;
  }
  void continuedAnswer_isWhatItWouldHaveBeen() {
    QFETCH(bool, withTokens);
    const ChatRequest request = ask("Tell me about the sea.", 60);
    const RequestId whole = m_service->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(whole), kWaitMs);
    ChatRequest shorter = request;
    shorter.sampling.max_tokens = 25;
    const RequestId first = m_service->submit(shorter);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(first), kWaitMs);
    ChatRequest rest = request;
    rest.continueAnswer = true;
    rest.sampling.max_tokens = 35;
    rest.turns.append({"assistant", m_heard->texts[first],
                       withTokens ? m_heard->reports[first].tokens : QList<qint32>()});
    const RequestId second = m_service->submit(rest);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(second), kWaitMs);
    const AnswerReport& report = m_heard->reports[second];
    QCOMPARE(report.error, QString());
    QCOMPARE(report.prompt.promptTokens, m_heard->reports[whole].prompt.promptTokens);
    QCOMPARE(report.origin.promptTokens, m_heard->reports[whole].origin.promptTokens);
    if (!withTokens) return;  // Text encoded again may be other tokens: then it goes on from those.
    QCOMPARE(report.tokens, m_heard->reports[whole].tokens);
    QCOMPARE(report.outputTokens, 60);
    QCOMPARE(m_heard->texts[first] + m_heard->texts[second], m_heard->texts[whole]);
  }

  void forecast_countsTheMessageAndWhatIsKept() {
    ChatRequest request = ask("Tell me about the sea.", 60);
    const RequestId first = m_service->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(first), kWaitMs);
    request.turns.append({"assistant", m_heard->texts[first], m_heard->reports[first].tokens});
    request.turns.append({"user", "And about the hills?", {}});
    QSignalSpy forecasts(m_service.get(), &ChatBackend::forecast);
    m_service->askForecast(1, request);
    QTRY_COMPARE(forecasts.size(), 1);
    const auto forecast = forecasts[0][1].value<ContextForecast>();
    QVERIFY(forecast.messageTokens > 2 && forecast.messageTokens < 12);
    const RequestId second = m_service->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(m_heard->reports.contains(second), kWaitMs);
    const PromptReport prompt = m_heard->reports[second].prompt;
    QCOMPARE(forecast.promptTokens, prompt.promptTokens);
    constexpr int kBlockSize = 16;  // The tail of a block is shared too, which is not foretold.
    QVERIFY(forecast.cachedTokens <= prompt.cachedTokens);
    QVERIFY(forecast.cachedTokens + kBlockSize >= prompt.cachedTokens);
    QVERIFY(forecast.cachedTokens > 0);
  }

 private:
  /// Waits for what was under way: the step that is being computed ends.
  void pause() {
    m_service->setPaused(true);
    QTest::qWait(150);
  }

  std::unique_ptr<EngineService> m_service;
  std::unique_ptr<Listener> m_heard;
};

QTEST_GUILESS_MAIN(TestPause)
#include "tst_pause.moc"
