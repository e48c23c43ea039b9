#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "tests/support/bundled_model.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// The screen that a stranger sees, and how far it is from there to a reply.
class FirstRunTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend.requests.clear();
  }

  void tidyUp() override { m_driver.reset(); }

 private slots:
  void returnTwice_bringsAReply() {
    start();
    QVERIFY(m_driver->app().firstRun()->isShown());
    QTRY_VERIFY(m_driver->item("firstRunStart")->hasActiveFocus());
    m_driver->press(Qt::Key_Return);
    QVERIFY(!m_driver->app().firstRun()->isShown());
    QTRY_VERIFY(m_driver->composer() && m_driver->composer()->hasActiveFocus());
    QTRY_VERIFY(!m_driver->item("firstRunStart"));  // Nothing of it lies over the chats.
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend.requests.size(), 1);
    m_backend.advance(1000);
  }

  void firstWords_areSelected_soThatTypingReplacesThem() {
    start();
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(m_driver->composer() && m_driver->composer()->hasActiveFocus());
    QCOMPARE(m_driver->composer()->property("selectedText").toString(),
             m_driver->app().firstRun()->examplePrompts().first());
    m_driver->type("Hello");
    QCOMPARE(m_driver->app().composer()->draft(), QString("Hello"));
    QVERIFY(!m_driver->app().composer()->isOffered());
  }

  void screen_isShownOnce() {
    start();
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(m_driver->composer());
    start();
    QVERIFY(!m_driver->app().firstRun()->isShown());
    QVERIFY(m_driver->composer());
  }

  void fourAtOnce_areAskedByOneMessage() {
    start();
    QCOMPARE(m_driver->app().firstRun()->togetherText(), QString("Talk to four at once"));
    m_driver->click("firstRunTogether");
    QCOMPARE(m_driver->app().panes()->count(), 4);
    QVERIFY(m_driver->app().composer()->toAll());
    QTRY_VERIFY(m_driver->composer() && m_driver->composer()->hasActiveFocus());
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend.requests.size(), 4);
    QSet<qint64> personas;
    for (const ChatRequest& request : m_backend.requests) personas.insert(request.personaId);
    QCOMPARE(personas.size(), 4);
    QVERIFY(!personas.contains(0));
    m_backend.advance(1000);
  }

  void personas_areChosenByHand() {
    start();
    m_driver->click("firstRunPersona0");
    QCOMPARE(m_driver->app().firstRun()->togetherText(), QString("Talk to three at once"));
    m_driver->click("firstRunPersona1");
    m_driver->click("firstRunPersona2");
    QVERIFY(!m_driver->app().firstRun()->canTalkTogether());
    QVERIFY(!m_driver->item("firstRunTogether")->isEnabled());
    m_driver->click("firstRunPersona0");
    QCOMPARE(m_driver->app().firstRun()->togetherText(), QString("Talk to two at once"));
  }

  void ownModel_leadsToTheModels() {
    start();
    m_driver->click("firstRunModels");
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Models);
    QVERIFY(!m_driver->app().firstRun()->isShown());
  }

  void modelThatAnswers_isNamed_andQuiresOwnIsNotCountedAmongThoseFound() {
    m_backend.setModels({{.path = "/bundled", .primary = true, .isDemonstration = true}});
    start();
    const FirstRun& run = *m_driver->app().firstRun();
    QVERIFY(run.startText().contains("demo model"));
    QVERIFY(run.modelsText().startsWith("Models from LM Studio"));
    m_backend.setModels({{.path = "/bundled", .isDemonstration = true},
                         {.path = "/m.gguf", .name = "Qwen3-8B", .primary = true}});
    QCOMPARE(run.startText(), QString("Start one chat with Qwen3-8B"));
    QCOMPARE(m_driver->item("firstRunStart")->property("text").toString(), run.startText());
    QCOMPARE(run.modelsText(), QString("1 found on this computer."));
    m_backend.setModels({});
  }

  void modelThatDoesNotLoad_isSaid_andLeadsToTheModels() {
    start();
    m_backend.setState(ModelManager::State::Failed, "/m.gguf is not a GGUF file.");
    const FirstRun& run = *m_driver->app().firstRun();
    QCOMPARE(run.startText(), QString("Choose a model"));
    QCOMPARE(run.problem(), QString("/m.gguf is not a GGUF file."));
    QVERIFY(!m_driver->item("firstRunTogether")->isEnabled());
    m_driver->press(Qt::Key_Return);
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Models);
    m_backend.setState(ModelManager::State::Ready);
  }

  void stranger_hasAReplyOfTheRealEngine_withinAMinute() {
    const QString model = QString::fromStdString(bundled_model_folder());
    if (!QFileInfo::exists(model + "/config.json")) QSKIP("The bundled model is not in this tree.");
    EngineServiceOptions options;
    options.modelPath = model;
    options.bundledModelPath = model;
    options.backend.device = "cpu";
    options.backend.num_threads = 2;
    QElapsedTimer clock;
    clock.start();
    EngineService engine(options);
    m_driver = std::make_unique<WindowDriver>(engine, m_folder->path(), presets(), true);
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(m_driver->app().composer()->canSend(), 60'000);
    QTRY_VERIFY(m_driver->composer() && m_driver->composer()->hasActiveFocus());
    m_driver->press(Qt::Key_Return);
    ChatModel& chat = m_driver->chat();
    const auto answer = [&] { return chat.conversation().find(chat.conversation().head()); };
    QTRY_VERIFY_WITH_TIMEOUT(
        answer() && answer()->role == MessageRole::Assistant && !answer()->text().isEmpty(),
        60'000);
    QVERIFY(clock.elapsed() < 60'000);
    qInfo("The reply began after %lld ms.", clock.elapsed());
    chat.turns()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!chat.turns()->isGenerating(), 60'000);
    m_driver.reset();  // Before its engine.
  }

 private:
  void start() {
    m_driver.reset();
    m_driver = std::make_unique<WindowDriver>(m_backend, m_folder->path(), presets(), true);
  }

  FakeBackend m_backend;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(FirstRunTest)
#include "tst_first_run.moc"
