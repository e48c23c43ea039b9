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

/// Of the catalog: cards that are not made of SettingRow.
constexpr const char* kWithoutRow[] = {"backups", "privacy"};

class SilentDesktop : public DesktopNotifications {
 public:
  void show(const DesktopNotice&) override {}
  void withdraw() override {}
};

QStringList sorted(QStringList list) {
  list.sort();
  return list;
}

}  // namespace

/// The sections of the settings page, its search, and what a wrong entry does.
class SettingsPageTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_backend->setModels(
        {{.path = "/m.gguf", .name = "m", .state = ModelState::State::kReady, .primary = true}});
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1440, 900);
    app().language()->setChoice(QStringLiteral("en"));
    app().server()->setControl(&m_server, nullptr);
    app().navigation()->setPage(Navigation::Page::Settings);
    QTRY_VERIFY(m_driver->item("themeSelect"));
  }

  void tidyUp() override {
    app().language()->setChoice(QStringLiteral("en"));
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  /// By the keyboard: Down in the list of sections, Return.
  void sections_areShownOneAtATime() {
    QVERIFY(isShown("themeSelect") && !isShown("idleSelect"));
    m_driver->item("section-answers")->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_Down);
    QVERIFY(m_driver->item("section-engine")->hasActiveFocus());
    m_driver->press(Qt::Key_Space);
    QTRY_VERIFY(isShown("idleSelect"));
    QVERIFY(!isShown("themeSelect"));
    QVERIFY(m_driver->item("section-engine")->property("checked").toBool());
    QVERIFY(!m_driver->item("section-appearance")->property("checked").toBool());
  }

  void advancedSettings_areFolded_butChangedOnesAreSeen() {
    open(SettingsSection::kEngine);
    QVERIFY(isShown("engineSetting1") && !isShown("engineSetting4"));
    app().models()->engineSettings()->set(EngineSettings::kBatch, "256");
    QTRY_VERIFY(isShown("engineSetting4"));
    QVERIFY(!isShown("engineChoice3"));
    m_driver->item("advanced-engine")->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_Space);
    QTRY_VERIFY(isShown("engineChoice3"));
    open(SettingsSection::kAppearance);
    QVERIFY(!isShown("advanced-appearance"));
  }

  void defaults_areShownOnlyWhereAValueIsChanged() {
    open(SettingsSection::kAppearance);
    QVERIFY(!sees("Default: 100%"));
    app().appearance()->setTextPercent(120);
    QTRY_VERIFY(sees("Default: 100%"));
    app().appearance()->setTextPercent(100);
    QTRY_VERIFY(!sees("Default: 100%"));
  }

  void search_findsEnglishAndKorean_inBothLanguages_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QStringList>("found");
    QTest::newRow("a name") << "theme" << QStringList{"theme"};
    QTest::newRow("part of a name") << "TEMPER" << QStringList{"sampling0"};
    QTest::newRow("words of the help")
        << "likely  consider " << QStringList{"sampling1", "sampling2"};
    QTest::newRow("Korean") << QStringLiteral("글자 크기") << QStringList{"textSize"};
    QTest::newRow("Korean, of the help")
        << QStringLiteral("KV 캐시의 정밀도") << QStringList{"engine3"};
    QTest::newRow("a section") << "server"
                               << QStringList{"server",    "serverUse",  "serverAddress",
                                              "serverKey", "serverPort", "serverReach"};
    QTest::newRow("decomposed") << QStringLiteral("테마").normalized(QString::NormalizationForm_D)
                                << QStringList{"theme"};
    QTest::newRow("none") << "zeppelin" << QStringList{};
  }
  void search_findsEnglishAndKorean_inBothLanguages() {
    QFETCH(QString, query);
    QFETCH(QStringList, found);
    for (const char* language : {"en", "ko"}) {
      app().language()->setChoice(QString::fromLatin1(language));
      app().settingsSearch()->setQuery(query);
      QCOMPARE(sorted(app().settingsSearch()->shown()), sorted(found));
      QVERIFY(!app().settingsSearch()->summary().isEmpty());
    }
  }

  void search_showsWhatItFinds_withItsSections_andEscapeEndsIt() {
    open(SettingsSection::kData);
    m_driver->item("settingsSearch")->forceActiveFocus();
    type("threads");
    QTRY_VERIFY(isShown("engineSetting0"));
    QVERIFY(!isShown("engineSetting1") && !isShown("themeSelect") && !isShown("exportAll"));
    QVERIFY(sees("1 setting found"));
    QCOMPARE(m_driver->item("section-engine")->property("detail").toString(), QString("1"));
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(isShown("exportAll"));
    QVERIFY(!isShown("engineSetting0"));
    type("zeppelin");
    QTRY_VERIFY(sees("Try another word"));
    m_driver->item("section-appearance")->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_Space);
    QTRY_VERIFY(isShown("themeSelect"));
    QCOMPARE(m_driver->item("settingsSearch")->property("text").toString(), QString());
  }

  void narrowWindow_hasAListOfSections() {
    m_driver->window()->resize(680, 600);  // The sidebar has closed itself by then.
    QTRY_VERIFY(isShown("settingsSection"));
    QVERIFY(!isShown("section-appearance"));
    m_driver->item("settingsSection")->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_Down);
    m_driver->press(Qt::Key_Down);
    QTRY_VERIFY(isShown("idleSelect"));
  }

  /// The catalog repeats the texts of the QML files, in whose language they are looked up.
  void everyRow_isInTheCatalog_underItsName_data() {
    QTest::addColumn<QString>("language");
    QTest::newRow("English") << "en";
    QTest::newRow("Korean") << "ko";
  }
  void everyRow_isInTheCatalog_underItsName() {
    QFETCH(QString, language);
    app().notifier()->setDesktop(std::make_unique<SilentDesktop>());
    app().server()->start();
    app().language()->setChoice(language);
    app().settingsSearch()->setShowsAdvanced(true);
    QSet<QString> unseen;
    for (const CatalogEntry& entry : catalogEntries()) unseen.insert(entry.id);
    for (int section = 0; section < kNumSettingsSections; ++section) {
      app().settingsSearch()->open(section);
      QTest::qWait(50);
      for (const QQuickItem* row : rows()) {
        const QString id = row->property("setting").toString();
        const auto entry = std::ranges::find(catalogEntries(), id, &CatalogEntry::id);
        QVERIFY2(entry != catalogEntries().end(), qPrintable(id));
        QCOMPARE(static_cast<int>(entry->section), section);
        unseen.remove(id);
        if (id == QLatin1String("version")) continue;               // Named by the version itself.
        const bool hasOwnHelp = id == QLatin1String("dataFolder");  // The folder.
        const auto translated = [&](int text) {
          return QCoreApplication::translate(entry->context, entry->texts[text].toUtf8());
        };
        QTRY_COMPARE(row->property("label").toString(), translated(0));
        const QString help = row->property("help").toString();
        if (entry->texts.size() == 2 && !help.isEmpty() && !hasOwnHelp)
          QCOMPARE(help, translated(1));
      }
    }
    QCOMPARE(unseen, QSet<QString>(std::begin(kWithoutRow), std::end(kWithoutRow)));
  }

  void entryWithoutARow_hasTheTextsOfItsCard_data() { everyRow_isInTheCatalog_underItsName_data(); }
  void entryWithoutARow_hasTheTextsOfItsCard() {
    QFETCH(QString, language);
    app().transfer()->backUpNow();  // The card says another sentence while there are no backups.
    QTRY_VERIFY_WITH_TIMEOUT(!app().transfer()->isBusy(), 20'000);
    app().language()->setChoice(language);
    for (const char* id : kWithoutRow) {
      const auto entry = std::ranges::find(catalogEntries(), QLatin1String(id), &CatalogEntry::id);
      QVERIFY2(entry != catalogEntries().end(), id);
      open(entry->section);
      for (const QString& text : entry->texts) {
        const QString shown = QCoreApplication::translate(entry->context, text.toUtf8());
        QVERIFY2(QTest::qWaitFor([&] { return showsText(shown); }), qPrintable(shown));
      }
    }
  }

  /// Without them nothing can be set.
  void notifications_areASection_whereTheDesktopHasThem() {
    QVERIFY(!isShown("section-notifications"));
    app().notifier()->setDesktop(std::make_unique<SilentDesktop>());
    QTRY_VERIFY(isShown("section-notifications"));
    open(SettingsSection::kNotifications);
    QTRY_VERIFY(isShown("notifiesSwitch"));
  }

  void invalidText_stays_withItsMessage_untilItIsCorrectedOrReset() {
    open(SettingsSection::kEngine);
    QQuickItem* context = m_driver->item("engineSetting1");
    const auto text = [&] { return context->property("text").toString(); };
    fill("engineSetting1", "12");
    QTRY_VERIFY(sees("This is a whole number from"));
    m_driver->item("engineSetting2")->forceActiveFocus();
    QCOMPARE(text(), QString("12"));
    fill("engineSetting2", "2048");
    QCOMPARE(app().models()->engineSettings()->defaults().cacheMebibytes, 2048);
    QCOMPARE(text(), QString("12"));
    QVERIFY(sees("This is a whole number from"));
    fill("engineSetting1", "8192");
    m_driver->item("engineSetting2")->forceActiveFocus();
    QTRY_VERIFY(!sees("This is a whole number from"));
    QCOMPARE(app().models()->engineSettings()->defaults().contextLength, 8192);
    fill("engineSetting1", "x");
    m_driver->item("engineSetting2")->forceActiveFocus();
    app().models()->engineSettings()->reset(EngineSettings::kContext);
    QTRY_COMPARE(text(), QString());
  }

  /// Another row that is changed, or is wrong too, takes no message away.
  void invalidSampling_stays_whileOtherRowsChange() {
    open(SettingsSection::kAnswers);
    GenerationEditor& editor = *app().settings()->generation();
    const auto problemOf = [&](int row) {
      return editor.index(row).data(GenerationEditor::kProblem).toString();
    };
    editor.set(2, "-4");
    editor.set(0, "warm");
    editor.set(4, "64");
    QVERIFY(problemOf(2).startsWith("Top k") && problemOf(0).startsWith("Temperature"));
    editor.set(0, "0.9");
    QVERIFY(problemOf(0).isEmpty() && !problemOf(2).isEmpty());
    editor.reset(2);
    QVERIFY(problemOf(2).isEmpty());
  }

  void wrongEntryOfAChat_isNotShownInAnother() {
    ChatSettings& settings = *app().chatSettings();
    settings.open(&m_driver->chat());
    settings.generation()->set(2, "-4");
    const auto problem = [&] {
      return settings.generation()->index(2).data(GenerationEditor::kProblem).toString();
    };
    QVERIFY(!problem().isEmpty());
    m_driver->chat().changeRecord([](ChatRecord& chat) { chat.title = "Another name"; });
    QVERIFY(!problem().isEmpty());
    settings.open(&m_driver->chat());
    QVERIFY(problem().isEmpty());
    settings.close();
  }

 private:
  AppModel& app() { return m_driver->app(); }
  void open(SettingsSection section) {
    app().settingsSearch()->open(static_cast<int>(section));
    QTest::qWait(20);
  }
  /// Into what has the focus.
  void type(const QString& text) {
    for (const QChar letter : text) QTest::keyClick(m_driver->window(), letter.toLatin1());
  }
  bool isShown(const QString& name) const {
    const QQuickItem* item = m_driver->item(name);
    return item && item->isVisible();
  }
  void fill(const QString& name, const QString& text) {
    QQuickItem* box = m_driver->item(name);
    box->forceActiveFocus();
    box->setProperty("text", QString());
    type(text);
    m_driver->press(Qt::Key_Return);
  }
  template <typename Visit>
  static void visitShown(QQuickItem* item, const Visit& visit) {
    if (!item->isVisible()) return;
    visit(item);
    for (QQuickItem* child : item->childItems()) visitShown(child, visit);
  }
  QList<const QQuickItem*> rows() const {
    QList<const QQuickItem*> found;
    visitShown(m_driver->item("settingsPage"), [&](const QQuickItem* item) {
      if (item->property("setting").isValid()) found.append(item);
    });
    return found;
  }
  QStringList shownTexts() const {
    QStringList texts;
    visitShown(m_driver->item("settingsPage"), [&](const QQuickItem* item) {
      if (item->inherits("QQuickText")) texts.append(item->property("text").toString());
    });
    return texts;
  }
  bool showsText(const QString& text) const { return shownTexts().contains(text); }
  bool sees(const QString& words) const { return !shownTexts().filter(words).isEmpty(); }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  FakeApiServer m_server;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(SettingsPageTest)
#include "tst_settings_page.moc"
