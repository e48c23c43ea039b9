#include <QFile>
#include <QtTest>

#include "app/engine/engine_service.h"
#include "tests/support/answer_log.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

/// On one thread, and a busy machine.
constexpr int kWaitMs = 240'000;
/// Of an answer that is not at its end when it is paused.
constexpr int kLongAnswer = 500;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.backend.device = "cpu";
  options.backend.num_threads = 1;  // Several wait for each other where others compute too.
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
    m_heard = std::make_unique<AnswerLog>(*m_service);
    QTRY_COMPARE_WITH_TIMEOUT(m_service->state(), ModelManager::State::Ready, kWaitMs);
  }

  void pausedAnswer_goesOnWithTheSameTokens() {
    const ChatRequest request = ask("Tell me about the sea.", kLongAnswer);
    const RequestId whole = m_heard->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[whole].finishes == 1), kWaitMs);
    const RequestId paused = m_heard->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT((*m_heard)[paused].text.size() > 10, kWaitMs);
    pause();
    const QString text = (*m_heard)[paused].text;
    QTest::qWait(200);
    QCOMPARE((*m_heard)[paused].text, text);
    QVERIFY(!((*m_heard)[paused].finishes == 1));
    m_service->setPaused(false);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[paused].finishes == 1), kWaitMs);
    QCOMPARE((*m_heard)[paused].report.tokens, (*m_heard)[whole].report.tokens);
    QCOMPARE((*m_heard)[paused].text, (*m_heard)[whole].text);
  }

  void whilePaused_requestsWait_andStopWorks() {
    pause();
    const RequestId waiting = m_heard->submit(ask("Tell me about the sea.", 20));
    const RequestId stopped = m_heard->submit(ask("Tell me about the hills.", 20));
    QTest::qWait(150);
    QVERIFY((*m_heard)[waiting].text.isEmpty());
    m_service->cancel(stopped);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[stopped].finishes == 1), kWaitMs);
    QCOMPARE((*m_heard)[stopped].report.finish, FinishReason::kCancelled);
    QVERIFY(!((*m_heard)[waiting].finishes == 1));
    m_service->setPaused(false);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[waiting].finishes == 1), kWaitMs);
    QCOMPARE((*m_heard)[waiting].report.outputTokens, 20);
  }

  /// The load waits for the answers of the model that it replaces, which a pause must not stop.
  void reloadWhilePaused_letsTheAnswersEnd() {
    const RequestId running = m_heard->submit(ask("Tell me about the sea.", kLongAnswer));
    QTRY_VERIFY_WITH_TIMEOUT((*m_heard)[running].text.size() > 10, kWaitMs);
    pause();
    QCOMPARE((*m_heard)[running].finishes, 0);
    m_service->loadModel(LoadRequest{.path = m_service->modelPath(), .contextLength = 512});
    QTRY_COMPARE_WITH_TIMEOUT(m_service->contextLength(), 512, kWaitMs);
    QTRY_COMPARE((*m_heard)[running].finishes, 1);
    QCOMPARE((*m_heard)[running].report.finish, FinishReason::kLength);
    QCOMPARE((*m_heard)[running].report.outputTokens, kLongAnswer);
    QVERIFY(m_service->isPaused());
    const RequestId waiting = m_heard->submit(ask("Tell me about the hills.", 5));
    QTest::qWait(150);
    QCOMPARE((*m_heard)[waiting].starts, 0);
    m_service->setPaused(false);
    QTRY_COMPARE_WITH_TIMEOUT((*m_heard)[waiting].finishes, 1, kWaitMs);
  }

  void continuedAnswer_isWhatItWouldHaveBeen_data() {
    QTest::addColumn<bool>("withTokens");
    QTest::newRow("known by its tokens") << true;
    QTest::newRow("known by its text") << false;
  }
  void continuedAnswer_isWhatItWouldHaveBeen() {
    QFETCH(bool, withTokens);
    const ChatRequest request = ask("Tell me about the sea.", 60);
    const RequestId whole = m_heard->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[whole].finishes == 1), kWaitMs);
    ChatRequest shorter = request;
    shorter.sampling.max_tokens = 25;
    const RequestId first = m_heard->submit(shorter);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[first].finishes == 1), kWaitMs);
    ChatRequest rest = request;
    rest.continueAnswer = true;
    rest.chatId = 1;  // A chat of the window, which counts the whole answer.
    rest.sampling.max_tokens = 35;
    rest.turns.append({"assistant", (*m_heard)[first].text,
                       withTokens ? (*m_heard)[first].report.tokens : QList<qint32>()});
    const RequestId second = m_heard->submit(rest);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[second].finishes == 1), kWaitMs);
    const AnswerReport& report = (*m_heard)[second].report;
    QCOMPARE(report.error, QString());
    QCOMPARE(report.prompt.promptTokens, (*m_heard)[whole].report.prompt.promptTokens);
    QCOMPARE(report.origin.promptTokens, (*m_heard)[whole].report.origin.promptTokens);
    if (!withTokens) return;  // Text encoded again may be other tokens: then it goes on from those.
    QCOMPARE(report.tokens, (*m_heard)[whole].report.tokens);
    QCOMPARE(report.outputTokens, 60);
    QCOMPARE((*m_heard)[first].text + (*m_heard)[second].text, (*m_heard)[whole].text);
  }

  void forecast_countsTheMessageAndWhatIsKept() {
    ChatRequest request = ask("Tell me about the sea.", 60);
    const RequestId first = m_heard->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[first].finishes == 1), kWaitMs);
    request.turns.append({"assistant", (*m_heard)[first].text, (*m_heard)[first].report.tokens});
    request.turns.append({"user", "And about the hills?", {}});
    ContextForecast forecast;
    const PendingReply asked =
        m_service->forecast(request, {this, [&](const auto& made) { forecast = made; }});
    QTRY_VERIFY(forecast.promptTokens > 0);
    QVERIFY(forecast.messageTokens > 2 && forecast.messageTokens < 12);
    const RequestId second = m_heard->submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(((*m_heard)[second].finishes == 1), kWaitMs);
    const PromptReport prompt = (*m_heard)[second].report.prompt;
    QCOMPARE(forecast.promptTokens, prompt.promptTokens);
    constexpr int kBlockSize = 16;  // The tail of a block is shared too, which is not foretold.
    QVERIFY(forecast.cachedTokens <= prompt.cachedTokens);
    QVERIFY(forecast.cachedTokens + kBlockSize >= prompt.cachedTokens);
    QVERIFY(forecast.cachedTokens > 0);
  }

 private:
  /// Until the engine has paused, which it reports as a rate of 0 after its last step, and the text
  /// of that step is here.
  void pause() {
    QSignalSpy rates(m_service.get(), &ModelManager::throughputChanged);
    m_service->setPaused(true);
    QTRY_VERIFY_WITH_TIMEOUT(!rates.isEmpty() && rates.last()[0].toDouble() == 0.0, kWaitMs);
    QTest::qWait(3 * WindowSink::kIntervalMs);
    QCoreApplication::processEvents();
  }

  std::unique_ptr<EngineService> m_service;
  std::unique_ptr<AnswerLog> m_heard;
};

QTEST_GUILESS_MAIN(TestPause)
#include "tst_pause.moc"
