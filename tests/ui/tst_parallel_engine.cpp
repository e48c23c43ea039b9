#include <QDeadlineTimer>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "app/engine/window_sink.h"
#include "tests/support/bundled_model.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

constexpr int kWaitMs = 120'000;

}  // namespace

/// What several answers and forks cost, counted by the engine with the bundled model.
class ParallelEngineTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    EngineServiceOptions options;
    options.modelPath = QString::fromStdString(bundled_model_folder());
    options.bundledModelPath = options.modelPath;
    options.backend.device = "cpu";
    options.backend.num_threads = 2;
    m_folder = std::make_unique<QTemporaryDir>();
    m_engine = std::make_unique<EngineService>(options);
    m_driver = std::make_unique<WindowDriver>(*m_engine, m_folder->path());
    QTRY_VERIFY_WITH_TIMEOUT(m_driver->app().engine()->isReady(), kWaitMs);
  }

  void tidyUp() override {
    m_driver.reset();
    m_engine.reset();
  }

 private slots:
  void initTestCase() {
    const QString config = QString::fromStdString(bundled_model_folder()) + "/config.json";
    if (!QFileInfo::exists(config)) QSKIP("The bundled model is not in this tree.");
  }

  void askFour_computesThePromptOnce() {
    ask(kQuestion, 4);
    QList<MessageRecord> answers;
    for (const RecordId id : chat().turns()->group()->answers()) {
      answers.append(*chat().conversation().find(id));
    }
    int computed = 0;
    QSet<quint64> seeds;
    for (const MessageRecord& answer : answers) {
      QVERIFY2(answer.error.isEmpty(), qPrintable(answer.error));
      QCOMPARE(answer.promptTokens, answers[0].promptTokens);
      QVERIFY(answer.outputTokens > 0);
      computed += answer.promptTokens - answer.cachedTokens;
      seeds.insert(answer.seed);
    }
    QCOMPARE(seeds.size(), 4);
    QVERIFY(answers[0].promptTokens > 3 * kBlockSize);
    // One reads it; of the others each computes at most what a block holds.
    const int most = answers[0].promptTokens + 3 * kBlockSize;
    QVERIFY2(computed <= most, qPrintable(QString("%1 of %2").arg(computed).arg(most)));
  }

  void fork_computesAtMostABlockOfWhatItShares() {
    ask(kQuestion, 1);
    const MessageRecord first = head();
    chat().history()->fork(first.id);
    ask("And why is that so?", 1);
    const MessageRecord forked = head();
    QVERIFY2(forked.error.isEmpty(), qPrintable(forked.error));
    QCOMPARE(forked.reusedTokens, forked.cachedTokens);
    const int shared = first.promptTokens + first.outputTokens;
    QVERIFY2(forked.cachedTokens + kBlockSize + 1 >= shared,
             qPrintable(QString("%1 of %2").arg(forked.cachedTokens).arg(shared)));
  }

  void stoppedAnswer_goesOn_andPausedOnesWait() {
    beginStoryAndPause();
    ChatModel& story = chat();
    const auto paused = head().text();
    QTest::qWait(150);
    QCOMPARE(head().text(), paused);
    QVERIFY(story.turns()->isGenerating());
    m_driver->press(Qt::Key_Escape);  // Stop works while paused.
    QTRY_VERIFY(!story.turns()->isGenerating());
    m_driver->app().pause()->toggle();
    const MessageRecord begun = head();
    QCOMPARE(begun.status, MessageStatus::Stopped);
    story.turns()->continueAnswer(begun.id);
    QTRY_VERIFY_WITH_TIMEOUT(!story.turns()->isGenerating(), kWaitMs);
    const MessageRecord whole = head();
    QCOMPARE(whole.id, begun.id);
    QVERIFY2(whole.error.isEmpty(), qPrintable(whole.error));
    QVERIFY(whole.text().startsWith(begun.text()) && whole.text().size() > begun.text().size());
    QCOMPARE(whole.tokens.first(begun.tokens.size()), begun.tokens);
    QCOMPARE(whole.promptTokens, begun.promptTokens);
    QCOMPARE(static_cast<int>(whole.tokens.size()), whole.outputTokens);
  }

 private:
  const QString kQuestion = QStringLiteral(
      "What is the capital of France? Please answer in one sentence, and then say the same thing "
      "once more in other words, so that I can compare the two. What is the capital of Italy, and "
      "what is the capital of Spain? Make a list of the three of them, please.");

  ChatModel& chat() { return m_driver->chat(); }
  MessageRecord head() { return *chat().conversation().find(chat().conversation().head()); }
  void ask(const QString& question, int answers) {
    m_driver->app().composer()->plan()->setCount(answers);
    chat().turns()->ask(question, m_driver->app().composer()->plan()->plans());
    QVERIFY(chat().turns()->isGenerating());
    QTRY_VERIFY_WITH_TIMEOUT(!chat().turns()->isGenerating(), kWaitMs);
  }
  /// The engine takes less than a second for a whole story, which may be over by the pause.
  void beginStoryAndPause() {
    for (int round = 0; round < 8; ++round) {
      m_driver->app().navigation()->newChat();
      m_driver->type("Tell me a long story about a bear");
      m_driver->press(Qt::Key_Return);
      const QDeadlineTimer deadline(kWaitMs);
      while (head().text().isEmpty() && !deadline.hasExpired()) QTest::qWait(1);
      QVERIFY(!head().text().isEmpty());
      QSignalSpy rates(m_engine.get(), &ModelManager::throughputChanged);
      m_driver->app().pause()->toggle();
      // The engine has paused when it reports a rate of 0.
      QTRY_VERIFY_WITH_TIMEOUT(!rates.isEmpty() && rates.last()[0].toDouble() == 0.0, kWaitMs);
      QTest::qWait(3 * WindowSink::kIntervalMs);  // What came before is shown.
      QCoreApplication::processEvents();
      if (chat().turns()->isGenerating()) return;
      m_driver->app().pause()->toggle();
    }
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<EngineService> m_engine;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(ParallelEngineTest)
#include "tst_parallel_engine.moc"
