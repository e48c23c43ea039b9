#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/fake_hub.h"
#include "tests/support/watched_test.h"
#include "tests/ui/screen_reader.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// What people do in the window, done by keys and by the accessibility tree alone.
class WalksTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_backend->charactersPerTick = 1000;
    m_backend->setModels(
        {{.path = "/m.gguf", .name = "m", .state = ModelState::State::kReady, .primary = true}});
  }
  void tidyUp() override {
    m_reader.reset();
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void firstRun_startsAChat_thatAnswers() {
    open(true);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Welcome to Quire"));
    QTRY_COMPARE(reader().focusedRole(), QAccessible::Button);
    QVERIFY2(!reader().focusedName().isEmpty(), "The first choice has no name.");
    reader().press(Qt::Key_Return);
    QTRY_VERIFY(!reader().hears(QAccessible::Pane, "Welcome to Quire"));
    QTRY_COMPARE(reader().focusedRole(), QAccessible::EditableText);
    QVERIFY(!reader().focusedName().isEmpty());
    reader().press(Qt::Key_A, Qt::ControlModifier);
    say("Speak");
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("Speak"));
  }

  void fourPanes_getTheSameQuestion() {
    open();
    reader().press(Qt::Key_4, Qt::ControlModifier);
    QTRY_COMPARE(m_driver->app().panes()->count(), 4);
    QVERIFY(reader().tabToBeginning("To this chat"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(reader().focusedName().startsWith("To all 4 panes"));
    toComposer();
    const qsizetype before = m_backend->requests.size();
    reader().type("Why?");
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), before + 4);
    m_backend->advance(10);
    QTRY_COMPARE(m_backend->numRunning(), 0);
  }

  void message_isEdited_andBothVersionsAreToldOf() {
    open();
    m_backend->queueAnswer("Because.");
    say("Why?");
    QVERIFY(reader().tabTo("Edit as a new version"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(reader().focusedText(), QString("Why?"));
    QCOMPARE(reader().focusedRole(), QAccessible::EditableText);
    QVERIFY(!reader().focusedName().isEmpty());
    reader().press(Qt::Key_End);
    m_backend->queueAnswer("Therefore.");
    const qsizetype before = m_backend->requests.size();
    reader().type(" not?");
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), before + 1);
    QCOMPARE(m_backend->requests.last().turns.last().text, QString("Why? not?"));
    m_backend->advance(10);
    QTRY_VERIFY(reader().hears(QAccessible::Button, "Previous version"));
  }

  void answer_isRegenerated_andTheOldOneIsReached() {
    open();
    m_backend->queueAnswer("Because.");
    say("Why?");
    m_backend->queueAnswer("Therefore.");
    QVERIFY(reader().tabToBeginning("Regenerate"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(10);
    const auto says = [this](const QString& words) {
      return m_driver->shownTexts().join(u' ').contains(words);
    };
    QTRY_VERIFY(says("Therefore."));
    QVERIFY(reader().tabTo("Previous version"));
    reader().press(Qt::Key_Space);
    QTRY_VERIFY(says("Because."));
  }

  void setting_isFound_changed_andReset() {
    open();
    reader().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Settings"));
    QVERIFY(reader().tabTo("Search settings"));
    reader().type("text size");
    QVERIFY(reader().tabTo("Text size"));
    QCOMPARE(reader().focusedRole(), QAccessible::Slider);
    reader().press(Qt::Key_Right);
    QTRY_COMPARE(m_driver->app().appearance()->textPercent(), 105);
    QVERIFY(reader().tabTo("Reset Text size"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(m_driver->app().appearance()->textPercent(), 100);
  }

  void wrongSetting_isToldAsAnAlert_andByItsField() {
    open();
    reader().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Settings"));
    QVERIFY(reader().tabTo("Search settings"));
    QVERIFY(reader().tabTo("Engine"));
    reader().press(Qt::Key_Space);
    QVERIFY(reader().tabToBeginning("Context in"));
    reader().type("7");
    reader().press(Qt::Key_Return);
    QTRY_VERIFY(reader().hears(QAccessible::AlertMessage, "This is a whole number"));
    QAccessibleInterface* field =
        QAccessible::queryAccessibleInterface(m_driver->window()->activeFocusItem());
    QVERIFY(field->text(QAccessible::Description).contains("whole number"));
  }

  /// From the chat to a model that is downloaded and loaded.
  void model_isFound_downloaded_andLoaded() {
    openWithHub();
    QVERIFY(reader().tabToBeginning("Models"));
    reader().press(Qt::Key_Space);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Models"));
    QVERIFY(reader().tabTo("Get models"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(reader().focusedName(), QString("Search models, or type a name"));
    QCOMPARE(reader().focusedRole(), QAccessible::EditableText);
    reader().type("qwen");
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(lastTold(), QString("1 model found"));
    QVERIFY(m_told.contains("Asking huggingface.co…"));
    QVERIFY(reader().tabTo("org/repo"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(lastTold(), QString("org/repo"));
    QTRY_COMPARE(reader().focusedName(), QString("Back to the results"));
    QVERIFY(reader().tabTo("Download: Q4_K_M, 5.0 GB"));
    QCOMPARE(reader().focusedRole(), QAccessible::Button);
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(lastTold(), QString("Downloading org/repo · Q4_K_M"));
    QTRY_COMPARE(reader().focusedName(), QString("Pause: Q4_K_M, 5.0 GB"));
    m_hub->change(1, [](HubDownload& row) { row.bytes = row.totalBytes / 2; });
    QTRY_COMPARE(lastTold(), QString("org/repo · Q4_K_M: 50% downloaded"));
    QTRY_VERIFY(reader().tells(QAccessible::ProgressBar, "org/repo · Q4_K_M", "2.5 GB of 5.0 GB"));
    m_hub->setState(1, DownloadState::kDone);
    QTRY_COMPARE(lastTold(), QString("org/repo · Q4_K_M is downloaded and verified."));
    QTRY_COMPARE(reader().focusedName(), QString("Load: Q4_K_M, 5.0 GB"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(m_backend->loads.size(), 1);
    QTRY_VERIFY(!m_driver->app().getModels()->isOpen());
    QTRY_VERIFY2(!reader().focusedName().isEmpty(), "Nothing has the focus.");
  }

  void failedSearch_isTold_andTriedAgain() {
    openWithHub();
    m_hub->found = {.problem = {"The hub is gone.", false}};
    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Models"));
    QVERIFY(reader().tabTo("Get models"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(reader().focusedName(), QString("Search models, or type a name"));
    reader().type("qwen");
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(lastTold(), QString("The hub is gone."));
    QTRY_VERIFY(reader().hears(QAccessible::AlertMessage, "The hub is gone."));
    QVERIFY(reader().tabTo("Try again"));
    m_hub->answers = false;
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(reader().focusedName(), QString("Search models, or type a name"));
    QVERIFY(reader().tabTo("Cancel"));
    reader().press(Qt::Key_Space);
    QTRY_COMPARE(reader().focusedName(), QString("Search models, or type a name"));
    QVERIFY(!m_driver->app().getModels()->isAsking());
  }

  void openSection_isToldAsSelected() {
    open();
    reader().press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(reader().hears(QAccessible::Pane, "Sections of the settings"));
    QVERIFY(reader().tabTo("Appearance"));
    const auto isSelected = [this] {
      return bool(QAccessible::queryAccessibleInterface(m_driver->window()->activeFocusItem())
                      ->state()
                      .selected);
    };
    QVERIFY(isSelected());
    reader().press(Qt::Key_Down);
    QCOMPARE(reader().focusedName(), QString("Answers"));
    QVERIFY(!isSelected());
  }

 private:
  ScreenReader& reader() { return *m_reader; }
  QString lastTold() const { return m_told.isEmpty() ? QString() : m_told.last(); }
  void open(bool isGreeted = false) {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path(), presets(), isGreeted);
    m_driver->window()->resize(1440, 900);
    m_reader = std::make_unique<ScreenReader>(*m_driver->window());
    QTest::qWait(50);
  }
  /// With a hub that has one model, and a model's file of another application.
  void openWithHub() {
    const QString model = m_folder->filePath("models/qwen.gguf");
    const QString own = m_folder->filePath("home/.lmstudio/models/org/own/own.gguf");
    for (const QString& path : {model, own}) {
      QDir().mkpath(QFileInfo(path).path());
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
    }
    const auto link = [&](AppModel& app) {
      app.models()->setScanner(std::make_unique<ModelScanner>(ModelScanner::Options{
          .reader =
              [](const QString&) { return ModelFacts{.architecture = "qwen3", .fileBytes = 1}; },
          .environment = {.home = m_folder->filePath("home"),
                          .variable = [](const char*) { return QString(); },
                          .systemRoot = m_folder->path()}}));
      m_hub = new FakeHub;
      m_hub->setParent(&app);
      m_hub->found.found = {{"org/repo", 1, "mit", false}};
      m_hub->listings["org/repo"] = {
          .id = "id",
          .name = "org/repo",
          .license = "mit",
          .choices = {{.label = "Q4_K_M", .bytes = 5'000'000'000, .target = model}},
          .usual = 0};
      app.getModels()->setAccess(m_hub);
      app.spokenDownloads()->setHeard([] { return true; });
    };
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->filePath("data"), presets(),
                                              false, link);
    m_driver->window()->resize(1440, 900);
    m_reader = std::make_unique<ScreenReader>(*m_driver->window());
    m_told.clear();
    // What the item that speaks is called then, as in AccessibleTest::listen().
    connect(m_driver->app().spokenDownloads(), &SpokenDownloads::spoken, this, [this] {
      QAccessibleInterface* const speaker =
          QAccessible::queryAccessibleInterface(m_driver->item("spokenDownload"));
      m_told.append(speaker ? speaker->text(QAccessible::Name) : QString());
    });
    QTest::qWait(50);
  }
  void toComposer() {
    for (int i = 0; i < 250 && reader().focusedRole() != QAccessible::EditableText; ++i)
      reader().press(Qt::Key_Tab);
  }
  /// In the composer; the answer is complete afterwards.
  void say(const QString& words) {
    toComposer();
    const qsizetype before = m_backend->requests.size();
    reader().type(words);
    reader().press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->requests.size(), before + 1);
    m_backend->advance(10);
    QTRY_COMPARE(m_backend->numRunning(), 0);
    m_driver->settle(0);  // Its buttons are there.
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  FakeHub* m_hub = nullptr;
  QStringList m_told;
  std::unique_ptr<WindowDriver> m_driver;
  std::unique_ptr<ScreenReader> m_reader;
};

QUIRE_UI_TEST_MAIN(WalksTest)
#include "tst_walks.moc"
