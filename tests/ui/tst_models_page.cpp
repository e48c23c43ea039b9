#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/fake_hub.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

ModelFacts factsOf(const QString&) {
  ModelFacts facts = {.architecture = "qwen3", .quantisation = "Q4_K_M"};
  facts.parameters = 8'200'000'000;
  facts.fileBytes = 5'000'000'000;
  facts.contextLength = 32'768;
  return facts;
}

}  // namespace

/// The page of models and the header's menu, pressed and typed at, on a backend that only listens.
class ModelsPageTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    for (const char* name : {"alpha", "beta"}) {
      LoadPlan plan;
      plan.memory = {.weights = 5'000'000'000,
                     .cache = 500'000'000,
                     .workspace = 100'000'000,
                     .free = 9'800'000'000};
      plan.fits = true;
      m_backend->plans[path(name)] = plan;
      QDir().mkpath(m_folder->filePath("models"));
      QFile file(path(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->filePath("data"));
    models().setScanner(std::make_unique<ModelScanner>(
        ModelScanner::Options{.reader = factsOf,
                              .environment = {.home = m_folder->filePath("home"),
                                              .variable = [](const char*) { return QString(); },
                                              .systemRoot = m_folder->path()}}));
    m_driver->app().navigation()->setPage(Navigation::Page::Models);
    models().addFolder(QUrl::fromLocalFile(m_folder->filePath("models")));
    QTRY_COMPARE(models().list()->count(), 2);
    QTRY_VERIFY(!models().isScanning());
    // A forecast that comes later would move the buttons.
    for (const char* name : {"alpha", "beta"}) QTRY_VERIFY(card(name)->memory()->isKnown());
  }

  void tidyUp() override { m_driver.reset(); }

 private slots:
  void card_saysMemory_andItsButtonLoads() {
    QTRY_COMPARE(card("alpha")->memory()->text(), QString("needs 5.6 of 9.8 GB free"));
    QTRY_VERIFY(m_driver->item("loadModel"));
    m_driver->click("loadModel");
    QCOMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_backend->loads[0].path, path("alpha"));
  }

  void loadingCard_canBeCancelled() {
    ModelState state;
    state.path = path("alpha");
    state.fraction = 0.3;
    m_backend->setModels({state});
    QTRY_VERIFY(m_driver->item("cancelLoad") && m_driver->item("cancelLoad")->isVisible());
    m_driver->click("cancelLoad");
    QCOMPARE(m_backend->cancelledLoads, QStringList({path("alpha")}));
  }

  void options_openOnTheCard_andTheSliderMovesByKeys() {
    QTRY_VERIFY(m_driver->item("modelOptions"));
    m_driver->click("modelOptions");
    QTRY_VERIFY(m_driver->item("contextSlider") && m_driver->item("contextSlider")->isVisible());
    m_driver->item("contextSlider")->forceActiveFocus();
    for (int press = 0; press < 3; ++press) m_driver->press(Qt::Key_Left);
    QVERIFY(card("alpha")->options()->contextIsSet());
    QVERIFY(card("alpha")->options()->contextLength() < 32'768);
  }

  /// The choices change with the device: what is chosen stays chosen.
  void precision_isChosenByKeys_andStaysWhenTheDeviceChanges() {
    QTRY_VERIFY(m_driver->item("modelOptions"));
    m_driver->click("modelOptions");
    QTRY_VERIFY(m_driver->item("precisionChoice") &&
                m_driver->item("precisionChoice")->isVisible());
    QQuickItem* choice = m_driver->item("precisionChoice");
    choice->forceActiveFocus();
    for (int press = 0; press < 3; ++press) m_driver->press(Qt::Key_Down);
    ModelOptions& options = *card("alpha")->options();
    QCOMPARE(options.request().cacheType, QString("i8"));
    QCOMPARE(choice->property("displayText").toString(), QString("8 bit"));
    m_backend->devices = {{.name = "cpu", .available = true, .cacheTypes = {"f32", "f16"}}};
    options.devices()->refresh();
    QTRY_COMPARE(choice->property("displayText").toString(), QString("8 bit, not on this device"));
    QCOMPARE(options.request().cacheType, QString("i8"));
    options.resetAll();
    QTRY_COMPARE(choice->property("displayText").toString(), QString("Same as all models"));
  }

  void quantising_isChosen_started_andRead() {
    QuantizeRequest request;
    const auto run = [&](const QuantizeRequest& wanted, const auto& progress, const auto&) {
      request = wanted;
      progress({QuantizeStage::Writing, 1, 2});
      return QuantizeResult{.bytes = 5'000'000'000, .comparison = QuantizeComparison()};
    };
    models().quantizer()->setTools(
        {.survey =
             [](const QString&) {
               return QuantizeSurvey{.types = {{"Q8_0", 8'000'000'000}, {"Q4_K_M", 5'000'000'000}},
                                     .sourceBytes = 16'000'000'000};
             },
         .run = run});
    QTRY_VERIFY(m_driver->item("modelMore"));
    m_driver->click("modelMore");
    // A menu that is still opening takes no clicks.
    const auto isMenuOpen = [&] {
      const QQuickItem* entry = m_driver->item("quantizeModel");
      const auto* menu = entry ? entry->property("menu").value<QObject*>() : nullptr;
      return menu && menu->property("opened").toBool();
    };
    QTRY_VERIFY(isMenuOpen());
    m_driver->click("quantizeModel");
    QTRY_VERIFY(models().quantizer()->isOpen());
    QTRY_VERIFY(m_driver->item("quantizeType") && m_driver->item("quantizeType")->isVisible());
    m_driver->item("quantizeType")->forceActiveFocus();
    m_driver->press(Qt::Key_Up);
    QCOMPARE(models().quantizer()->fileName(), "alpha-Q8_0.gguf");
    QTRY_COMPARE(m_driver->item("quantizeName")->property("text").toString(),
                 QString("alpha-Q8_0.gguf"));
    // The sheet has just been opened: its buttons lie below the window until they are laid out.
    const auto bottom = [&] {
      const QQuickItem* button = m_driver->item("quantizeStart");
      return button->mapToScene({0, button->height()}).y();
    };
    QTRY_VERIFY(bottom() < m_driver->window()->height());
    m_driver->click("quantizeStart");
    QTRY_VERIFY(models().quantizer()->isFinished());
    QCOMPARE(request.outputPath, path("alpha").replace("alpha.gguf", "alpha-Q8_0.gguf"));
    QTRY_VERIFY(m_driver->item("quantizeFigures")->isVisible());
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!models().quantizer()->isOpen());
  }

  void model_isDeleted_afterAQuestion() {
    chooseInMenu("deleteModel");
    ModelRemoval& removal = *models().files()->removal();
    QTRY_VERIFY(removal.canDelete());
    const QString gone = models().list()->cardAt(0)->path();
    QTRY_VERIFY(isInWindow("deleteModelForGood"));
    m_driver->click("deleteModelForGood");
    QTRY_COMPARE(models().list()->count(), 1);
    QVERIFY(!QFileInfo::exists(gone));
    QTRY_VERIFY(!removal.isOpen());
  }

  void model_isKept_onCancelAndEscape() {
    for (const bool escapes : {false, true}) {
      chooseInMenu("deleteModel");
      QTRY_VERIFY(isInWindow("keepModel") && m_driver->isPopupOpen());
      escapes ? m_driver->press(Qt::Key_Escape) : m_driver->click("keepModel");
      QTRY_VERIFY(!models().files()->removal()->isOpen());
      QTRY_VERIFY(!m_driver->item("keepModel") || !m_driver->item("keepModel")->isVisible());
    }
    QVERIFY(QFileInfo::exists(path("alpha")) && QFileInfo::exists(path("beta")));
  }

  void name_isTyped() {
    chooseInMenu("renameModel");
    QTRY_VERIFY(m_driver->item("modelName") && m_driver->item("modelName")->hasActiveFocus());
    QTRY_COMPARE(m_driver->item("modelName")->property("selectedText").toString(),
                 models().list()->cardAt(0)->name());
    for (QChar c : QStringLiteral("zed"))
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
    const QString renamed = models().list()->cardAt(0)->path();
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(models().cards().find(renamed)->name(), QString("zed"));
  }

  void duplicates_areFound_byAClick() {
    for (const char* name : {"alpha", "beta"}) {
      QFile file(path(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("the same");
    }
    QTRY_VERIFY(m_driver->item("findDuplicates") && m_driver->item("findDuplicates")->isVisible());
    m_driver->click("findDuplicates");
    QTRY_VERIFY(!models().files()->duplicates()->isRunning());
    QTRY_COMPARE(models().files()->duplicates()->count(), 2);
    QTRY_VERIFY(isInWindow("deleteCopy") && m_driver->isPopupOpen());
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(!models().files()->duplicates()->isOpen());
  }

  void moving_isGivenUp_byCancel() {
    chooseInMenu("moveModel");
    QTRY_VERIFY(models().files()->mover()->isOpen());
    QTRY_VERIFY(isInWindow("cancelMove"));
    m_driver->click("cancelMove");
    QTRY_VERIFY(!models().files()->mover()->isOpen());
  }

  void picker_findsAModel_byTyping() {
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    QTRY_VERIFY(m_driver->item("modelChip"));
    m_driver->click("modelChip");
    QTRY_VERIFY(m_driver->item("modelPickerSearch") &&
                m_driver->item("modelPickerSearch")->hasActiveFocus());
    typeHere("bet");
    QTRY_COMPARE(models().recent()->count(), 1);
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_backend->loads[0].path, path("beta"));
    QTRY_COMPARE(models().pickerSearch(), QString());
  }

  void getModels_isACommand() {
    const Command* const command = m_driver->app().commands()->find("models.get");
    QVERIFY(command && !m_driver->app().commands()->canRun(*command));
    auto* const hub = new FakeHub;
    hub->setParent(&m_driver->app());
    m_driver->app().getModels()->setAccess(hub);
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    m_driver->app().commands()->run("models.get");
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Models);
    QTRY_VERIFY(m_driver->item("hubSearch") && m_driver->item("hubSearch")->hasActiveFocus());
  }

  void downloadFolder_isTaken_whenItsEditingEnds() {
    auto* const hub = new FakeHub;
    hub->setParent(&m_driver->app());
    GetModels& source = *m_driver->app().getModels();
    source.setAccess(hub);
    source.open();
    // The sheet takes the focus when it has slid in.
    QTRY_VERIFY(m_driver->item("hubSearch") && m_driver->item("hubSearch")->hasActiveFocus());
    m_driver->click("hubOptions");
    QTRY_VERIFY(m_driver->item("hubFolder") && m_driver->item("hubFolder")->isVisible());
    QQuickItem* const box = m_driver->item("hubFolder");
    box->forceActiveFocus();
    QMetaObject::invokeMethod(box, "selectAll");
    typeHere(m_folder->path());
    QCOMPARE(hub->folder, QString());  // No prefix of it was taken.
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(hub->folder, m_folder->path());
    QMetaObject::invokeMethod(box, "selectAll");
    typeHere("/no/such/folder");
    m_driver->press(Qt::Key_Return);
    QTRY_COMPARE(source.folderProblem(), QString("There is no such folder."));
    QCOMPARE(hub->folder, m_folder->path());
    m_driver->item("hubSearch")->forceActiveFocus();
    QCOMPARE(box->property("text").toString(), QString("/no/such/folder"));
  }

  void search_isTyped_andNarrowsTheList() {
    QTRY_VERIFY(m_driver->item("modelSearch"));
    m_driver->item("modelSearch")->forceActiveFocus();
    for (QChar c : QStringLiteral("bet"))
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
    QTRY_COMPARE(models().list()->count(), 1);
    m_driver->press(Qt::Key_Escape);
    QTRY_COMPARE(models().list()->count(), 2);
  }

  void pathField_takesTheFocus_whereThereIsNoChooser() {
    QTRY_VERIFY(m_driver->item("addFolder"));
    m_driver->click("addFolder");
    QTRY_VERIFY(m_driver->item("folderPath") && m_driver->item("folderPath")->isVisible());
    QTRY_VERIFY(m_driver->item("folderPath")->hasActiveFocus());
  }

  void accepts_onlyWhatMayBeAModel() {
    QVERIFY(models().accepts({QUrl::fromLocalFile("/a/b.GGUF")}));
    QVERIFY(models().accepts({QUrl::fromLocalFile(m_folder->path())}));
    QVERIFY(!models().accepts({QUrl::fromLocalFile("/a/b.pdf")}));
    QVERIFY(!models().accepts({QUrl::fromLocalFile("/a/b.gguf"), QUrl("https://example.org")}));
    QVERIFY(!models().accepts({}));
  }

  void chat_keepsTheModelInUse_untilItIsReleased() {
    ModelState state;
    state.path = path("alpha");
    state.state = ModelState::State::kReady;
    state.serving = state.primary = true;
    m_backend->setModels({state});
    QCOMPARE(models().primaryPath(), path("alpha"));
    m_driver->app().navigation()->setPage(Navigation::Page::Chats);
    m_driver->chat().setOwnModel(models().primaryPath());
    QTRY_VERIFY(m_driver->item("ownModelChip")->isVisible());
    m_driver->chat().composer()->sendText("Hello");
    QTRY_COMPARE(m_backend->requests.size(), 1);
    QCOMPARE(m_backend->requests[0].modelPath, path("alpha"));
    m_driver->chat().setOwnModel({});
    QTRY_VERIFY(!m_driver->item("ownModelChip")->isVisible());
  }

 private:
  /// Of the first card.
  void chooseInMenu(const char* name) {
    QTRY_VERIFY(m_driver->item("modelMore"));
    m_driver->click("modelMore");
    const auto isMenuOpen = [&] {
      const QQuickItem* entry = m_driver->item(name);
      const auto* menu = entry ? entry->property("menu").value<QObject*>() : nullptr;
      return menu && menu->property("opened").toBool();
    };
    QTRY_VERIFY(isMenuOpen());
    m_driver->click(name);
  }
  /// Into what has the focus.
  void typeHere(const QString& text) {
    for (const QChar c : text)
      QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, QString(c),
                          Qt::NoModifier);
  }
  /// The button of a sheet, which lies below the window until it is laid out.
  bool isInWindow(const char* name) const {
    const QQuickItem* button = m_driver->item(name);
    return button && button->isVisible() &&
           button->mapToScene({button->width(), button->height()}).y() <
               m_driver->window()->height();
  }

  ModelLibrary& models() { return *m_driver->app().models(); }
  QString path(const QString& name) const { return m_folder->filePath("models/" + name + ".gguf"); }
  ModelCard* card(const QString& name) { return models().cards().find(path(name)); }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(ModelsPageTest)
#include "tst_models_page.moc"
