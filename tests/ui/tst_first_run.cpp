#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "app/engine/engine_service.h"
#include "tests/support/bundled_model.h"
#include "tests/support/fake_backend.h"
#include "tests/support/fake_hub.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/hands.h"
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
    m_backend.loads.clear();
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
    QTRY_COMPARE(m_driver->composer()->property("selectedText").toString(),
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
    pickSeveral();
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
    pickSeveral();
    m_driver->click("firstRunPersona0");
    QCOMPARE(m_driver->app().firstRun()->togetherText(), QString("Talk to three at once"));
    m_driver->click("firstRunPersona1");
    m_driver->click("firstRunPersona2");
    QVERIFY(!m_driver->app().firstRun()->canTalkTogether());
    QVERIFY(!m_driver->item("firstRunTogether")->isEnabled());
    m_driver->click("firstRunPersona0");
    QCOMPARE(m_driver->app().firstRun()->togetherText(), QString("Talk to two at once"));
    m_driver->click("firstRunAlone");
    QTRY_VERIFY(isShown("pickSeveral"));
  }

  /// Chats that were shown in panes before are not written to.
  void severalAtOnce_beginNewChats() {
    start();
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(m_driver->composer());
    m_driver->app().panes()->setCount(2);
    for (int pane = 0; pane < 2; ++pane) {
      m_driver->app().panes()->chatAt(pane)->composer()->sendText("Earlier");
    }
    QTRY_COMPARE(m_backend.requests.size(), 2);
    m_backend.advance(1000);
    m_driver->app().firstRun()->pick();
    m_driver->app().firstRun()->startTogether();
    QCOMPARE(m_driver->app().panes()->count(), 4);
    for (int pane = 0; pane < 4; ++pane) {
      QVERIFY(m_driver->app().panes()->chatAt(pane)->isEmpty());
    }
  }

  void firstPage_hasOnePrimaryButton() {
    start();
    QTRY_COMPARE(primaryButtons(), QStringList{"firstRunStart"});
    startWithHub();
    QTRY_COMPARE(primaryButtons(), QStringList{"showOffers"});
    QTRY_VERIFY(m_driver->item("showOffers")->hasActiveFocus());
    QVERIFY(isShown("firstRunDemo"));
  }

  void modelOnThisComputer_isThePrimaryChoice() {
    startWithHub("Qwen3-8B-Q4_K_M.gguf");
    const FirstRun& run = *m_driver->app().firstRun();
    QTRY_COMPARE(run.startText(), QString("Start with Qwen3-8B-Q4_K_M"));
    QTRY_COMPARE(primaryButtons(), QStringList{"firstRunStart"});
    m_driver->click("firstRunStart");
    QVERIFY(!run.isShown());
    QTRY_COMPARE(m_backend.loads.size(), 1);
    QVERIFY(m_backend.loads[0].path.endsWith("Qwen3-8B-Q4_K_M.gguf"));
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Chats);
  }

  void offer_isDownloadedOnThePage_andThenChattedWith() {
    startWithHub();
    QTRY_VERIFY(isShown("showOffers"));
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_driver->app().getModels()->offers()->count(), 1);
    QTRY_COMPARE(primaryButtons(), QStringList{"getOffer"});
    m_driver->click("getOffer");
    m_hub->change(1, [](HubDownload& row) { row.bytes = row.totalBytes / 2; });
    QTRY_VERIFY(isShown("offerProgress"));
    QTRY_VERIFY(m_driver->item("offerFacts")->property("text").toString().contains("of 1.3 GB"));
    QTRY_COMPARE(m_driver->item("getOffer")->property("text").toString(), QString("Pause"));
    QVERIFY(QFile::copy(m_small, m_hub->rows[0].path) || QFileInfo::exists(m_hub->rows[0].path));
    m_hub->setState(1, DownloadState::kDone);
    QTRY_COMPARE(m_driver->item("getOffer")->property("text").toString(),
                 QString("Start chatting"));
    m_driver->click("getOffer");
    QVERIFY(!m_driver->app().firstRun()->isShown());
    QTRY_COMPARE(m_backend.loads.size(), 1);
    QVERIFY(m_backend.loads[0].path.endsWith("small.gguf"));
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Chats);
    QTRY_VERIFY(m_driver->composer() && m_driver->composer()->hasActiveFocus());
  }

  void networkFailure_leavesOnePrimaryButton_thatHasTheFocus() {
    startWithHub();
    m_hub->answers = false;
    QTRY_VERIFY(m_driver->item("showOffers")->hasActiveFocus());
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(m_driver->item("hubCancel")->hasActiveFocus());
    QTRY_COMPARE(primaryButtons(), QStringList{});
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(m_driver->item("showOffers")->hasActiveFocus());
    m_hub->answers = true;
    m_hub->listings.clear();
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_driver->app().getModels()->offers()->problem(),
                 QString("There is no such model."));
    QTRY_VERIFY(m_driver->item("showOffers")->hasActiveFocus());
    QCOMPARE(primaryButtons(), QStringList{"showOffers"});
    QCOMPARE(m_driver->item("showOffers")->property("text").toString(), QString("Try again"));
    m_hub->suggestions.clear();  // None fits this computer.
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(primaryButtons(), QStringList{"firstRunDemo"});
  }

  void offline_isSaidOnce_andThePageHasOnePrimaryButton() {
    startWithHub();
    m_hub->listings["org/small"] = {.problem = {"The hub is gone.", false}};
    m_hub->found.problem = {"The hub is gone.", false};
    m_driver->click("firstRunModels");
    QTRY_COMPARE(primaryButtons(), QStringList{"showOffers"});
    m_driver->click("showOffers");
    QTRY_COMPARE(numShown("The hub is gone."), 1);
    QCOMPARE(primaryButtons(), QStringList{"showOffers"});
    GetModels& source = *m_driver->app().getModels();
    source.open();
    QTRY_VERIFY(isShown("hubSearch"));
    QCOMPARE(numShown("The hub is gone."), 1);
    source.setText("qwen");
    QTRY_VERIFY(m_driver->item("hubSearchButton")->property("isFilled").toBool());
    source.search();
    QTRY_COMPARE(numShown("The hub is gone."), 2);  // Of which the page behind has one.
    QVERIFY(!m_driver->item("hubSearchButton")->property("isFilled").toBool());
    QVERIFY(!isShown("sheetFailure"));
  }

  void ownModel_leadsToTheModels() {
    start();
    m_driver->click("firstRunModels");
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Models);
    QVERIFY(!m_driver->app().firstRun()->isShown());
  }

  void modelThatIsDropped_isLoaded_onTheModelsPage() {
    startWithHub();
    const QString path = m_folder->filePath("mine.gguf");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
    file.close();
    QVERIFY(Hands(*m_driver->window()).drop({path}));
    QVERIFY(!m_driver->app().firstRun()->isShown());
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Models);
    QTRY_COMPARE(m_backend.loads.size(), 1);
    QCOMPARE(m_backend.loads[0].path, path);
  }

  void modelThatAnswers_isNamed_andQuiresOwnIsNotCountedAmongThoseFound() {
    m_backend.setModels({{.path = "/bundled", .primary = true, .isDemonstration = true}});
    start();
    const FirstRun& run = *m_driver->app().firstRun();
    QVERIFY(run.startText().contains("demo model"));
    QVERIFY(run.modelsText().startsWith("Models from LM Studio"));
    m_backend.setModels({{.path = "/bundled", .isDemonstration = true},
                         {.path = "/m.gguf", .name = "Qwen3-8B", .primary = true}});
    QCOMPARE(run.startText(), QString("Start with Qwen3-8B"));
    QCOMPARE(m_driver->item("firstRunStart")->property("text").toString(), run.startText());
    QCOMPARE(run.modelsText(), QString("1 model found on this computer."));
    m_backend.setModels({});
  }

  void modelThatDoesNotLoad_isSaid_andLeadsToTheModels() {
    start();
    m_backend.setState(ModelManager::State::Failed, "/m.gguf is not a GGUF file.");
    const FirstRun& run = *m_driver->app().firstRun();
    QCOMPARE(run.startText(), QString("Choose a model"));
    QCOMPARE(run.problem(), QString("/m.gguf is not a GGUF file."));
    QVERIFY(!run.canTalkTogether());
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
    QTRY_VERIFY(m_driver->item("firstRunStart")->hasActiveFocus());
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
    if (m_driver->app().firstRun()->isShown())
      QTRY_VERIFY(m_driver->item("firstRunStart")->hasActiveFocus());
  }

  /// With a hub that offers a model, and perhaps a model's file in a folder that is searched.
  void startWithHub(const QString& file = {}) {
    m_driver.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    const QString home = m_folder->filePath("home");
    const QString models = home + "/.lmstudio/models/org/repo";
    QDir().mkpath(models);
    m_small = models + "/placeholder.txt";
    for (const QString& name : {QString("placeholder.txt"), file}) {
      QFile out(models + '/' + name);
      if (!name.isEmpty()) QVERIFY(out.open(QIODevice::WriteOnly) && out.write("x") == 1);
    }
    const auto link = [&](AppModel& app) {
      app.models()->setScanner(std::make_unique<ModelScanner>(ModelScanner::Options{
          .reader =
              [](const QString&) { return ModelFacts{.architecture = "qwen3", .fileBytes = 1}; },
          .environment = {.home = home,
                          .variable = [](const char*) { return QString(); },
                          .systemRoot = m_folder->path()}}));
      m_hub = new FakeHub;
      m_hub->setParent(&app);
      m_hub->suggestions = {{"org/small", "Small", "For everyday questions."}};
      m_hub->listings["org/small"] = {.id = "small",
                                      .name = "org/small",
                                      .license = "mit",
                                      .choices = {{.label = "Q4_K_M",
                                                   .bytes = 1'300'000'000,
                                                   .target = m_folder->filePath("small.gguf")}},
                                      .usual = 0};
      app.getModels()->setAccess(m_hub);
    };
    m_driver = std::make_unique<WindowDriver>(m_backend, m_folder->filePath("data"), presets(),
                                              true, link);
  }
  void pickSeveral() {
    m_driver->press(Qt::Key_Return);
    QTRY_VERIFY(m_driver->composer() && isShown("pickSeveral"));
    m_driver->click("pickSeveral");
    QTRY_VERIFY(isShown("firstRunTogether"));
    m_driver->drawFrame();  // Its rows have their places.
  }
  bool isShown(const QString& name) const {
    const QQuickItem* const item = m_driver->item(name);
    return item && item->isVisible();
  }
  QList<QQuickItem*> shownItems() const {
    QList<QQuickItem*> shown;
    QList<QQuickItem*> items = {m_driver->window()->contentItem()};
    while (!items.isEmpty()) {
      QQuickItem* const at = items.takeFirst();
      if (!at->isVisible()) continue;
      shown.append(at);
      items += at->childItems();
    }
    return shown;
  }
  /// The objectNames of the filled buttons that are shown.
  QStringList primaryButtons() const {
    QStringList names;
    for (const QQuickItem* item : shownItems()) {
      if (item->property("isFilled").toBool()) names.append(item->objectName());
    }
    return names;
  }
  /// How often a text is shown.
  int numShown(const QString& text) const {
    return static_cast<int>(std::ranges::count_if(shownItems(), [&](const QQuickItem* item) {
      return item->inherits("QQuickText") && item->property("text").toString() == text;
    }));
  }

  FakeBackend m_backend;
  FakeHub* m_hub = nullptr;
  QString m_small;  ///< A file to copy.
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(FirstRunTest)
#include "tst_first_run.moc"
