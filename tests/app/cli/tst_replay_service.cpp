#include <QHash>
#include <QTemporaryDir>
#include <QtTest>

#include "app/bundled_model.h"
#include "app/chat/answer_run.h"
#include "app/engine/engine_service.h"
#include "tests/app/cli/cli_process.h"

using namespace quire;

namespace {

constexpr RecordId kChat = 1;
constexpr int kTimeoutMs = 60'000;

EngineServiceOptions serviceOptions() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_path().string());
  options.bundledModelPath = options.modelPath;
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  return options;
}

}  // namespace

/// Answers on the window's own way, from the engine's thread through AnswerRun into the store,
/// several at once and out of a warm cache, are made again by another process.
class TestReplayService : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }
  void answersOfTheWindow_areIdenticalInTheTerminal();

 private:
  /// Begins an answer to `turns`; it ends by itself.
  AnswerRun* begin(const QList<ChatTurn>& turns, RecordId parent, float temperature);
  /// Waits until everything that was begun, `runs` the last of it, has ended.
  void end(const QList<AnswerRun*>& runs);

  QTemporaryDir m_folder;
  std::unique_ptr<EngineService> m_service;
  TextClock m_clock;
  std::unique_ptr<StoreWriter> m_writer;
  RecordId m_lastId = kChat;
  int m_numBegun = 0;
  int m_numEnded = 0;
};

AnswerRun* TestReplayService::begin(const QList<ChatTurn>& turns, RecordId parent,
                                    float temperature) {
  ChatRecord chat;
  chat.id = kChat;
  chat.title = "Capitals";
  MessageRecord answer;
  answer.id = ++m_lastId;
  answer.chatId = kChat;
  answer.parentId = parent;
  answer.role = MessageRole::Assistant;
  answer.status = MessageStatus::Streaming;
  answer.modelName = m_service->modelName();
  chat.headMessageId = answer.id;
  ChatRequest request;
  request.turns = turns;
  request.sampling.temperature = temperature;
  request.sampling.seed = 0xf000'0000'0000'0000u + static_cast<uint64_t>(answer.id);
  request.sampling.max_tokens = 48;
  auto* run = new AnswerRun(*m_service, *m_writer, m_clock, m_writer->beginTurn(chat, {}, answer),
                            request, answer, this);
  ++m_numBegun;
  connect(run, &AnswerRun::ended, this, [this] { ++m_numEnded; });
  return run;
}

void TestReplayService::end(const QList<AnswerRun*>& runs) {
  QTRY_COMPARE_WITH_TIMEOUT(m_numEnded, m_numBegun, kTimeoutMs);
  for (const AnswerRun* run : runs) {
    QVERIFY2(run->answer().status != MessageStatus::Failed, qPrintable(run->answer().error));
    QVERIFY(!run->answer().modelFingerprint.isEmpty());
  }
  QVERIFY(m_writer->flush(kTimeoutMs));
}

void TestReplayService::answersOfTheWindow_areIdenticalInTheTerminal() {
  m_service = std::make_unique<EngineService>(serviceOptions());
  m_writer = std::make_unique<StoreWriter>(m_folder.path());
  QTRY_COMPARE_WITH_TIMEOUT(m_service->state(), ModelManager::State::Ready, kTimeoutMs);

  // Four versions of the first answer at once, then three of the second under one of them.
  const QList<ChatTurn> first = {{"system", "You are brief.", {}},
                                 {"user", "What is the capital of France?", {}}};
  QList<AnswerRun*> runs;
  for (const float temperature : {0.0f, 0.7f, 0.9f, 1.2f}) runs << begin(first, 0, temperature);
  end(runs);
  const MessageRecord above = runs[1]->answer();
  const QList<ChatTurn> second = first + QList<ChatTurn>{{"assistant", above.text(), above.tokens},
                                                         {"user", "Tell me a story.", {}}};
  runs.clear();
  for (const float temperature : {0.0f, 0.7f, 0.9f}) runs << begin(second, above.id, temperature);
  // The first piece of text is there; the answer is stopped wherever it is by then.
  QSignalSpy text(runs[2], &AnswerRun::textAppended);
  QTRY_VERIFY_WITH_TIMEOUT(!text.isEmpty(), kTimeoutMs);
  runs[2]->stop();
  end(runs);

  // The service goes on, as the window would.
  const CliResult result = runCli({"replay", "--data", m_folder.path(), "--all"});
  QVERIFY2(result.out.endsWith("7 answers: 7 identical, 0 different, 0 that cannot be replayed.\n"),
           (result.out + result.err).constData());
  QCOMPARE(result.code, 0);
}

QTEST_GUILESS_MAIN(TestReplayService)
#include "tst_replay_service.moc"
