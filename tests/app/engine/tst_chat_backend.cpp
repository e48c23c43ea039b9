#include <QtTest>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/engine/engine_service.h"
#include "app/engine/window_sink.h"
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

ChatRequest ask(const QString& text, int length, int priority = kApiPriority) {
  ChatRequest request;
  request.turns = {{"user", text, {}}};
  request.sampling.seed = 7;
  request.sampling.max_tokens = length;
  request.sampling.ignore_eos = true;
  request.priority = priority;
  return request;
}

/// Waits for its answer on any thread, as a server's connection does.
class BlockingSink : public AnswerSink {
 public:
  void started(const PromptReport&) override {
    const std::lock_guard lock(m_mutex);
    m_inOrder &= m_starts++ == 0 && m_texts == 0 && m_finishes == 0;
    m_changed.notify_all();
  }
  void textAppended(const QString& text, int outputTokens) override {
    const std::lock_guard lock(m_mutex);
    m_inOrder &= m_starts == 1 && m_finishes == 0 && outputTokens >= m_outputTokens;
    m_outputTokens = outputTokens;
    ++m_texts;
    m_text += text;
    m_changed.notify_all();
  }
  void finished(const AnswerReport& report) override {
    const std::lock_guard lock(m_mutex);
    m_inOrder &= m_finishes++ == 0;
    m_report = report;
    m_changed.notify_all();
  }

  bool waitForText() {
    return wait([this] { return m_texts > 0 || m_finishes > 0; });
  }
  bool waitForEnd() {
    return wait([this] { return m_finishes > 0; });
  }
  /// What there is after the end.
  bool isComplete() const { return m_inOrder && m_finishes == 1; }
  const QString& text() const { return m_text; }
  const AnswerReport& report() const { return m_report; }

 private:
  template <typename Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, std::chrono::milliseconds(kWaitMs), condition);
  }

  std::mutex m_mutex;
  std::condition_variable m_changed;
  int m_starts = 0, m_texts = 0, m_finishes = 0, m_outputTokens = 0;
  bool m_inOrder = true;
  QString m_text;
  AnswerReport m_report;
};

}  // namespace

/// The interface to whatever answers chats, as a server uses it: from many threads.
class TestChatBackend : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFile::exists(QString::fromStdString(bundled_model_folder()) + "/config.json")) {
      QSKIP("The bundled model is not there.");
    }
    m_service = std::make_unique<EngineService>(options());
  }
  void cleanupTestCase() { m_service.reset(); }

  /// The model is still being loaded when the first requests come.
  void requestsOfFourThreads_streamToTheirOwnSinks() {
    constexpr int kThreads = 4;
    constexpr int kRequests = 3;
    ChatBackend& backend = *m_service;
    std::vector<std::shared_ptr<BlockingSink>> sinks(kThreads * kRequests);
    for (auto& sink : sinks) sink = std::make_shared<BlockingSink>();
    std::atomic<int> numOver = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kRequests; ++i) {
          const auto& sink = sinks[static_cast<size_t>(thread * kRequests + i)];
          const bool isCancelled = i == 1;
          const RequestId id =
              backend.submit(ask("Tell me about the sea.", isCancelled ? 100'000'000 : 40), sink);
          if (isCancelled) {
            sink->waitForText();
            backend.setPriority(id, kBackgroundPriority);
            backend.cancel(id);
          }
          sink->waitForEnd();
          backend.cancel(id);  // It has finished.
        }
        ++numOver;
      });
    }
    QTRY_COMPARE_WITH_TIMEOUT(numOver.load(), kThreads, kThreads * kRequests * kWaitMs);
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < sinks.size(); ++i) {
      const BlockingSink& sink = *sinks[i];
      QVERIFY(sink.isComplete());
      QCOMPARE(sink.report().error, QString());
      const bool isCancelled = i % kRequests == 1;
      QCOMPARE(sink.report().finish,
               isCancelled ? FinishReason::kCancelled : FinishReason::kLength);
      QCOMPARE(sink.report().tokens.size(), sink.report().outputTokens);
      // The same question with the same seed has the same answer, the one that asks.
      if (!isCancelled) QCOMPARE(sink.text(), sinks[0]->text());
    }
  }

  void forecastsOfThreads_reply() {
    std::atomic<int> promptTokens = 0;
    std::thread asker([&] {
      std::mutex mutex;
      std::condition_variable replied;
      std::unique_lock lock(mutex);
      const PendingReply asked = m_service->forecast(
          ask("Tell me about the sea.", 5), Reply<ContextForecast>([&](const auto& forecast) {
            const std::lock_guard replying(mutex);
            promptTokens = forecast.promptTokens;
            replied.notify_all();
          }));
      replied.wait_for(lock, std::chrono::milliseconds(kWaitMs), [&] { return promptTokens > 0; });
    });
    QTRY_VERIFY_WITH_TIMEOUT(promptTokens > 0, kWaitMs);
    asker.join();
  }

  void windowSink_joinsWhatOtherThreadsSay() {
    QObject receiver;
    QStringList calls;
    const auto sink = WindowSink::make(
        &receiver, {.started = [&](const PromptReport&) { calls += "started"; },
                    .textAppended = [&](const QString& text,
                                        int tokens) { calls += text + QString::number(tokens); },
                    .finished = [&](const AnswerReport&) { calls += "finished"; }});
    std::thread([&] {
      sink->started({});
      for (int i = 1; i <= 3; ++i) sink->textAppended("a", i);
      sink->finished({});
    }).join();
    QVERIFY(calls.isEmpty());
    QTRY_COMPARE(calls, (QStringList{"started", "aaa3", "finished"}));
  }

  void windowSink_isSilentOnceItsReceiverIsGone() {
    int calls = 0;
    auto receiver = std::make_unique<QObject>();
    const auto sink =
        WindowSink::make(receiver.get(), {.finished = [&](const AnswerReport&) { ++calls; }});
    Reply<int> reply(receiver.get(), [&](int) { ++calls; });
    std::thread([&] {
      sink->finished({});
      reply(1);
    }).join();
    receiver.reset();
    QTest::qWait(100);
    QCOMPARE(calls, 0);
  }

  void withdrawnReply_doesNotCome() {
    int calls = 0;
    const Reply<int> reply(this, [&](int) { ++calls; });
    PendingReply pending = reply.pending();
    std::thread([&] { reply(1); }).join();
    pending.reset();
    QVERIFY(reply.isWithdrawn());
    QCoreApplication::processEvents();
    QCOMPARE(calls, 0);
  }

 private:
  std::unique_ptr<EngineService> m_service;
};

QTEST_GUILESS_MAIN(TestChatBackend)
#include "tst_chat_backend.moc"
