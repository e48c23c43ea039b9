#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

#include "app/engine/engine_service.h"
#include "tests/support/bundled_model.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

constexpr int kLoadMs = 120'000;
constexpr int kAnswerMs = 120'000;

std::unique_ptr<EngineService> makeEngine() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.bundledModelPath = options.modelPath;
  options.backend.device = "cpu";
  options.backend.num_threads = 2;
  return std::make_unique<EngineService>(options);
}

QString lastAnswer(const ChatModel& chat) {
  return chat.conversation().find(chat.conversation().head())->text();
}

MessageStatus lastStatus(const ChatModel& chat) {
  return chat.conversation().find(chat.conversation().head())->status;
}

/// Whether `stop` stops an answer to the window's chat. The answer may have ended just before, and
/// is then asked for again.
bool stops(WindowDriver& driver, const std::function<void()>& stop) {
  const ChatModel& chat = driver.chat();
  for (int attempt = 0; attempt < 5; ++attempt) {
    driver.type("Tell me a long story about a bear");
    driver.press(Qt::Key_Return);
    if (!QTest::qWaitFor([&] { return !lastAnswer(chat).isEmpty(); }, kAnswerMs)) return false;
    stop();
    if (!QTest::qWaitFor([&] { return !chat.turns()->isGenerating(); }, kAnswerMs)) return false;
    if (lastStatus(chat) == MessageStatus::Stopped) return true;
  }
  return false;
}

}  // namespace

/// The whole application, as a user has it: the window, the store, the engine and the bundled
/// model.
class WindowEngineTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void initTestCase() {
    const QString config = QString::fromStdString(bundled_model_folder()) + "/config.json";
    if (!QFileInfo::exists(config)) QSKIP("The bundled model is not in this tree.");
  }

  void twoChats_areAnsweredAtOnce_oneIsStopped_andBothSurviveARestart() {
    QTemporaryDir folder;
    auto engine = makeEngine();
    auto driver = std::make_unique<WindowDriver>(*engine, folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(driver->app().engine()->isReady(), kLoadMs);
    QVERIFY(driver->app().engine()->isDemonstration());

    driver->type("Tell me a short story about a fox");
    driver->press(Qt::Key_Return);
    ChatModel* story = &driver->chat();
    driver->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(stops(*driver, [&] { driver->press(Qt::Key_Escape); }));
    ChatModel* stopped = &driver->chat();
    QVERIFY(story != stopped);
    QTRY_VERIFY_WITH_TIMEOUT(!story->turns()->isGenerating(), kAnswerMs);
    QCOMPARE(lastStatus(*story), MessageStatus::Complete);
    const MessageRecord whole = *story->conversation().find(story->conversation().head());
    QVERIFY(!whole.tokens.isEmpty());
    QCOMPARE(static_cast<int>(whole.tokens.size()), whole.outputTokens);
    QVERIFY(whole.promptTokens > 0 && whole.totalMs > 0.0);
    const QString stoppedText = lastAnswer(*stopped);
    const RecordId storyId = story->chatId();

    driver.reset();
    engine = makeEngine();
    driver = std::make_unique<WindowDriver>(*engine, folder.path());
    QCOMPARE(lastAnswer(driver->chat()), stoppedText);
    driver->app().navigation()->openChat(storyId);
    QCOMPARE(lastAnswer(driver->chat()), whole.text());
    QCOMPARE(driver->chat().conversation().find(driver->chat().conversation().head())->tokens,
             whole.tokens);

    QTRY_VERIFY_WITH_TIMEOUT(driver->app().engine()->isReady(), kLoadMs);
    QVERIFY(stops(*driver, [&] { driver->chat().turns()->stop(); }));
  }

  void secondTurn_findsTheFirstInTheCache() {
    QTemporaryDir folder;
    auto engine = makeEngine();
    WindowDriver driver(*engine, folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(driver.app().engine()->isReady(), kLoadMs);
    driver.chat().composer()->sendText("What is the capital of France?");
    QTRY_VERIFY_WITH_TIMEOUT(!driver.chat().turns()->isGenerating(), kAnswerMs);
    const MessageRecord first =
        *driver.chat().conversation().find(driver.chat().conversation().head());
    QVERIFY2(first.error.isEmpty(), qPrintable(first.error));
    driver.chat().composer()->sendText("And of Italy?");
    QTRY_VERIFY_WITH_TIMEOUT(!driver.chat().turns()->isGenerating(), kAnswerMs);
    const MessageRecord second =
        *driver.chat().conversation().find(driver.chat().conversation().head());
    constexpr int kBlockSize = 16;
    QVERIFY2(second.cachedTokens + kBlockSize + 1 >= first.promptTokens + first.outputTokens,
             qPrintable(QStringLiteral("%1 of %2 cached after %3 + %4")
                            .arg(second.cachedTokens)
                            .arg(second.promptTokens)
                            .arg(first.promptTokens)
                            .arg(first.outputTokens)));
  }
};

QUIRE_UI_TEST_MAIN(WindowEngineTest)
#include "tst_window_engine.moc"
