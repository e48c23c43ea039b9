#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "tests/support/fake_api_server.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

int rowOf(SettingField field) {
  const auto fields = generationFields();
  return static_cast<int>(std::ranges::find(fields, field, &GenerationField::field) -
                          fields.begin());
}

}  // namespace

/// Settings of a chat, of a model and of the window, in the real window, as far as the request.
class SettingsTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_backend->setModels(
        {{.path = "/m.gguf", .name = "m", .state = ModelState::State::kReady, .primary = true}});
    start();
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void everyLayer_reachesTheRequest_andTheHighestWins() {
    m_backend->sampling.topK = 40;
    GenerationEditor& model = *app().settings()->generation();
    model.set(rowOf(SettingField::TopP), "0.8");
    model.set(rowOf(SettingField::Temperature), "0.5");
    PersonaLibrary& personas = *app().personaLibrary();
    personas.create();
    personas.editor()->setName("Calm");
    personas.editor()->generation()->set(rowOf(SettingField::Temperature), "0.3");
    personas.editor()->save();
    m_driver->chat().setPersona(app().personas()->personas()[0].id);
    m_driver->click("chatSettings");
    QTRY_VERIFY(app().chatSettings()->isOpen());
    GenerationEditor& chat = *app().chatSettings()->generation();
    chat.set(rowOf(SettingField::MaxTokens), "64");
    chat.set(rowOf(SettingField::Seed), "7");
    app().chatSettings()->close();
    const SamplingParams used = ask();
    QCOMPARE(used.top_k, 40);
    QCOMPARE(used.top_p, 0.8f);
    QCOMPARE(used.temperature, 0.3f);
    QCOMPARE(used.max_tokens, 64);
    QCOMPARE(used.seed, 7u);
  }

  /// At the start the window is there before the model's files were read.
  void whatTheModelsFilesRecommend_isShownOnceTheyWereRead() {
    GenerationEditor& model = *app().settings()->generation();
    const QModelIndex row = model.index(rowOf(SettingField::Temperature));
    QCOMPARE(model.data(row, GenerationEditor::kValueText).toString(), QString("0.7"));
    m_backend->sampling.temperature = 0.4;
    m_backend->setModels(m_backend->models());
    QCOMPARE(model.data(row, GenerationEditor::kValueText).toString(), QString("0.4"));
    QVERIFY(model.data(row, GenerationEditor::kDefaultText).toString().contains("model's files"));
    model.set(row.row(), "0.7");
    QCOMPARE(ask().temperature, 0.7f);
  }

  void withoutASeed_eachAnswerHasANewOne() {
    const quint64 first = ask().seed;
    QVERIFY(ask().seed != first);
  }

  void settings_outliveTheWindow() {
    app().appearance()->setTextPercent(120);
    app().settings()->chooseIdle(2);
    app().settings()->setChatMiB("256");
    app().settings()->generation()->set(rowOf(SettingField::TopK), "20");
    ask();
    app().chatSettings()->open(&m_driver->chat());
    app().chatSettings()->generation()->set(rowOf(SettingField::MinP), "0.1");
    m_driver.reset();
    m_backend->setIdleUnload(0);
    start();
    QCOMPARE(app().appearance()->textPercent(), 120);
    QCOMPARE(m_backend->idleUnload(), 15);
    QCOMPARE(app().settings()->chatMiB(), QString("256"));
    const SamplingParams used = ask();
    QCOMPARE(used.top_k, 20);
    QCOMPARE(used.min_p, 0.1f);
  }

  /// By the keyboard; while it runs the sidebar says so on every page, and stops it.
  void server_isSwitchedOn_andStoppedFromTheSidebar() {
    FakeApiServer server;
    const auto isShown = [&](const char* name) {
      const QQuickItem* item = m_driver->item(name);
      return item && item->isVisible();
    };
    app().navigation()->setPage(Navigation::Page::Settings);
    QTRY_VERIFY(isShown("themeSelect"));
    QVERIFY(!isShown("section-server"));
    app().server()->setControl(&server, nullptr);
    open(SettingsSection::kServer);
    QTRY_VERIFY(isShown("serverSwitch"));
    QVERIFY(!isShown("serverMark"));
    press("serverSwitch", {Qt::Key_Space});
    QTRY_VERIFY(server.runs);
    app().navigation()->setPage(Navigation::Page::Chats);
    QTRY_VERIFY(isShown("serverMark"));
    app().sidebar()->toggle();
    QTRY_VERIFY(isShown("serverRailMark"));
    app().sidebar()->toggle();
    QTRY_VERIFY(isShown("serverMarkStop"));
    press("serverMarkStop", {Qt::Key_Space});
    QTRY_VERIFY(!server.runs);
    QTRY_VERIFY(!isShown("serverMark"));
  }

  /// By the keyboard: a value for all models, then the model that runs without it is loaded again.
  void engineValue_isTyped_andAppliedToWhatIsLoaded() {
    ModelState model = {.path = "/m.gguf", .name = "m", .state = ModelState::State::kReady};
    model.primary = model.serving = true;
    model.request.path = model.path;
    m_backend->setModels({model});
    app().navigation()->setPage(Navigation::Page::Settings);
    open(SettingsSection::kEngine);
    QTRY_VERIFY(m_driver->item("engineSetting0"));
    press("engineSetting0", {Qt::Key_2, Qt::Key_Return});
    QCOMPARE(app().models()->engineSettings()->defaults().threads, 2);
    QTRY_VERIFY(m_driver->item("applyEngineSettings")->isEnabled());
    press("applyEngineSettings", {Qt::Key_Space});
    QCOMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_backend->loads[0].threads, std::optional(2));
    m_driver.reset();
    start();
    QCOMPARE(app().models()->requestFor("/m.gguf").threads, std::optional(2));
  }

  void defaults_areTheDevices_withoutThePageOfModels() {
    m_backend->devices = {
        {.name = "cpu", .available = true, .threads = 6, .defaultCacheType = "f32"}};
    app().navigation()->setPage(Navigation::Page::Settings);
    const QAbstractItemModel& rows = *app().models()->engineSettings();
    const auto defaultOf = [&](int row) {
      return rows.index(row, 0).data(EngineSettings::kDefaultText).toString();
    };
    QTRY_COMPARE(defaultOf(EngineSettings::kPrecision), QString("Default: 32 bit"));
    QCOMPARE(defaultOf(EngineSettings::kThreads), QString("Default: 6, all cores"));
  }

  void precision_isChosenByKeys_andTheWayBackIsAutomatic() {
    app().navigation()->setPage(Navigation::Page::Settings);
    open(SettingsSection::kEngine);
    QTRY_VERIFY(m_driver->item("engineChoice3") && m_driver->item("engineChoice3")->isVisible());
    QVERIFY(!m_driver->item("engineChoice2")->isVisible());
    QVERIFY(!m_driver->item("engineSetting3")->isVisible());
    QQuickItem* choice = m_driver->item("engineChoice3");
    press("engineChoice3", {Qt::Key_Down, Qt::Key_Down, Qt::Key_Down});
    QCOMPARE(app().models()->requestFor("/m.gguf").cacheType, QString("i8"));
    QCOMPARE(choice->property("displayText").toString(), QString("8 bit"));
    app().models()->engineSettings()->reset(EngineSettings::kPrecision);
    QCOMPARE(choice->property("displayText").toString(), QString("Automatic"));
  }

  void aBudgetThatIsNone_isRefused_andTheWayBackIsTheDefault() {
    SettingsModel& settings = *app().settings();
    settings.setPersonaMiB("-3");
    QVERIFY(settings.personaProblem().endsWith(u'.'));
    QVERIFY(!settings.personaMiBIsSet());
    settings.setPersonaMiB("300");
    QVERIFY(settings.personaMiBIsSet());
    QCOMPARE(settings.personaProblem(), QString());
    settings.setPersonaMiB("");
    QVERIFY(!settings.personaMiBIsSet());
    QCOMPARE(settings.personaMiB(), QString("1024"));
  }

  void tabThroughThePage_storesNothing_andShowsWhatHasTheFocus() {
    app().navigation()->setPage(Navigation::Page::Settings);
    app().settingsSearch()->setQuery("e");  // Shows nearly all of them.
    QTRY_VERIFY(m_driver->item("themeSelect"));
    m_driver->settle(0);
    QQuickItem* page = m_driver->item("settingsPage");
    m_driver->item("themeSelect")->forceActiveFocus(Qt::TabFocusReason);
    int numInPage = 0;
    for (int i = 0; i < 60; ++i) {
      m_driver->press(Qt::Key_Tab);
      const QQuickItem* item = m_driver->window()->activeFocusItem();
      if (!page->isAncestorOf(item)) break;
      ++numInPage;
      const QRectF place = item->mapRectToItem(page, item->boundingRect());
      QVERIFY2(place.top() >= 0 && place.bottom() <= page->height(), qPrintable(nameOf(item)));
    }
    QVERIFY(numInPage > 15);
    QVERIFY(page->property("contentY").toReal() > 0);
    for (const GenerationField& field : generationFields())
      QVERIFY(!isSet(*app().settings()->generation(), field.field));
    QCOMPARE(app().appearance()->textPercent(), 100);
  }

  void slider_storesWhatAKeyChose() {
    app().navigation()->setPage(Navigation::Page::Settings);
    QTRY_VERIFY(m_driver->item("textSize"));
    press("textSize", {Qt::Key_Right});
    QCOMPARE(app().appearance()->textPercent(), 105);
    press("textSize", {Qt::Key_Left});
    QCOMPARE(app().appearance()->textPercent(), 100);
  }

  void pages_areDrawn_withoutAWarning() {
    app().navigation()->setPage(Navigation::Page::Settings);
    QTRY_VERIFY(m_driver->item("themeSelect"));
    app().navigation()->setPage(Navigation::Page::Personas);
    QTRY_VERIFY(m_driver->item("personaSearch"));
    app().personaLibrary()->create();
    QTRY_VERIFY(m_driver->item("personaPrompt"));
    app().personaLibrary()->editor()->cancel();
    app().navigation()->setPage(Navigation::Page::Chats);
    app().chatSettings()->open(&m_driver->chat());
    QTRY_VERIFY(app().chatSettings()->isOpen());
    app().chatSettings()->close();
  }

  void aDeletedPersona_leavesItsChatsWithoutOne() {
    PersonaLibrary& personas = *app().personaLibrary();
    personas.create();
    personas.editor()->setName("Calm");
    personas.editor()->setPrompt("You are calm.");
    personas.editor()->save();
    const RecordId id = app().personas()->personas()[0].id;
    m_driver->chat().setPersona(id);
    ask();
    QCOMPARE(m_backend->requests.last().turns.first().role, QString("system"));
    personas.remove(id);
    personas.close();
    QCOMPARE(m_driver->chat().personaId(), 0);
    ask();
    QCOMPARE(m_backend->requests.last().turns.first().role, QString("user"));
  }

 private:
  void press(const QString& name, const QList<Qt::Key>& keys) {
    m_driver->item(name)->forceActiveFocus();
    for (const Qt::Key key : keys) QTest::keyClick(m_driver->window(), key);
  }
  /// With the advanced settings.
  void open(SettingsSection section) {
    app().settingsSearch()->open(static_cast<int>(section));
    app().settingsSearch()->setShowsAdvanced(true);
  }
  static QString nameOf(const QQuickItem* item) {
    return QString::fromLatin1(item->metaObject()->className()) + u' ' + item->objectName();
  }
  static bool isSet(GenerationEditor& editor, SettingField field) {
    return editor.data(editor.index(rowOf(field)), GenerationEditor::kIsSet).toBool();
  }
  AppModel& app() { return m_driver->app(); }
  void start() { m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path()); }

  SamplingParams ask() {
    const qsizetype before = m_backend->requests.size();
    m_driver->chat().composer()->sendText("Hello");
    if (!QTest::qWaitFor([&] { return m_backend->requests.size() > before; }, kCommitMs)) return {};
    m_backend->advance(100);
    return m_backend->requests.last().sampling;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(SettingsTest)
#include "tst_settings.moc"
