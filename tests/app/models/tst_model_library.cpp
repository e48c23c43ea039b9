#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/model_library.h"
#include "app/session/interface_language.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

/// Invents facts from the file name, so that the tests need no model.
ModelFacts factsByName(const QString& path) {
  ModelFacts facts;
  facts.architecture = "qwen3";
  facts.quantisation = "Q4_K_M";
  facts.parameters = 8'200'000'000;
  facts.fileBytes = path.contains("small") ? 800'000'000 : 5'000'000'000;
  facts.contextLength = 40'960;
  facts.vocabulary = path.contains("other") ? "b" : "a";
  if (path.contains("tiny")) facts.parameters = 600'000'000;
  if (path.contains("half")) facts.parameters = 4'100'000'000;
  if (path.contains("broken")) facts.obstacle.message = "This file ends too early.";
  if (path.contains("mmproj")) facts.kind = ModelKind::kProjector;
  return facts;
}

ModelState stateOf(const QString& path, ModelState::State state, bool serving) {
  ModelState model;
  model.path = path;
  model.name = "loaded";
  model.state = state;
  model.serving = serving;
  model.primary = serving;
  return model;
}

}  // namespace

class ModelLibraryTest : public QObject {
  Q_OBJECT

 private:
  const InterfaceLanguage m_language;

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_session = std::make_unique<DataSession>(m_folder->filePath("data"));
    QVERIFY(m_session->open());
    m_backend = std::make_unique<FakeBackend>();
    open();
  }
  void cleanup() {
    m_library.reset();
    m_session.reset();
  }

  void folder_isScanned_whenAdded_andItsModelsGoWhenRemoved() {
    file("models/alpha.gguf");
    file("models/mmproj-alpha.gguf");
    m_library->prepare();
    waitForScan();
    QVERIFY(m_library->isEmpty());
    m_library->addFolder(QUrl::fromLocalFile(m_folder->filePath("models")));
    QCOMPARE(m_library->folders().size(), 1);
    waitForScan();
    QCOMPARE(names(), QStringList({"alpha"}));
    QCOMPARE(m_library->leftOutText(), QString("1 file skipped"));
    QVERIFY(m_library->leftOutHint().startsWith("mmproj-alpha.gguf: A vision projector"));
    QCOMPARE(m_library->list()->cardAt(0)->factsText(),
             QString("Qwen 3 · 8.2 billion parameters · Q4_K_M · 5.0 GB · 40,960-token context"));
    m_library->removeFolder(m_library->folders().first());
    waitForScan();
    QVERIFY(names().isEmpty());
  }

  void searchAndSort_selectTheRows() {
    for (const char* name : {"models/b-small.gguf", "models/a.gguf", "models/c-broken.gguf"})
      file(name);
    addModels();
    m_library->setSortChoice(static_cast<int>(CardSort::kName));
    QCOMPARE(names(), QStringList({"a", "b-small", "c-broken"}));
    m_library->setSortChoice(static_cast<int>(CardSort::kSize));
    QCOMPARE(names(), QStringList({"a", "b-small", "c-broken"}));
    m_library->setSearch("SMALL qwen");
    QCOMPARE(names(), QStringList({"b-small"}));
    m_library->setSearch("nothing like it");
    QVERIFY(m_library->foundNothing());
    m_library->setSearch("");
    m_backend->setModels({used("models/b-small.gguf", 2'000'000)});
    m_library->setSortChoice(static_cast<int>(CardSort::kLastUsed));
    QCOMPARE(names(), QStringList({"b-small", "a", "c-broken"}));
    open();  // The choice and the last use are stored.
    m_library->prepare();
    waitForScan();
    QCOMPARE(m_library->sortChoice(), static_cast<int>(CardSort::kLastUsed));
    QCOMPARE(names(), QStringList({"b-small", "a", "c-broken"}));
  }

  void hiddenModel_canBeShownAgain_alsoAfterARestart() {
    file("models/a.gguf");
    file("models/b.gguf");
    addModels();
    m_library->hide(m_folder->filePath("models/a.gguf"));
    QCOMPARE(names(), QStringList({"b"}));
    QCOMPARE(m_library->hiddenText(), QString("1 model removed from this list"));
    open();
    m_library->prepare();
    waitForScan();
    QCOMPARE(names(), QStringList({"b"}));
    m_library->showHidden();
    QCOMPARE(names(), QStringList({"a", "b"}));
    QVERIFY(QFile::exists(m_folder->filePath("models/a.gguf")));
  }

  void droppedFile_isLoadedInPlace_andItsFolderAddedOnRequest() {
    file("far/away.gguf");
    file("far/other.gguf");
    const QString path = m_folder->filePath("far/away.gguf");
    m_library->open({QUrl::fromLocalFile(path)});
    QTRY_COMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_backend->loads[0].path, path);
    QVERIFY(m_library->notice().contains("away"));
    QCOMPARE(names(), QStringList({"away"}));
    m_library->acceptNotice();
    waitForScan();
    QVERIFY(m_library->notice().isEmpty());
    QCOMPARE(names().size(), 2);
  }

  void droppedFile_withAnObstacle_showsIt() {
    file("far/broken.gguf");
    m_library->open({QUrl::fromLocalFile(m_folder->filePath("far/broken.gguf"))});
    QTRY_COMPARE(m_library->notice(), QString("This file ends too early."));
    QVERIFY(m_library->noticeAction().isEmpty());
    QVERIFY(m_backend->loads.isEmpty());
  }

  void droppedFolder_withAnObstacle_showsIt() {
    file("far/broken/config.json");
    file("far/broken/model.safetensors");
    m_library->open({QUrl::fromLocalFile(m_folder->filePath("far/broken"))});
    QTRY_COMPARE(m_library->notice(), QString("This file ends too early."));
    QVERIFY(m_library->noticeAction().isEmpty());
    file("far/broken-models/a.gguf");
    m_library->open({QUrl::fromLocalFile(m_folder->filePath("far/broken-models"))});
    QTRY_VERIFY(m_library->notice().startsWith("broken-models is a folder, not a model."));
    QVERIFY(!m_library->noticeAction().isEmpty());
  }

  void droppedFolder_ofGgufFilesWithAConfiguration_canBeAdded() {
    for (const char* name : {"config.json", "a.gguf", "b.gguf"})
      file(QStringLiteral("far/broken-gguf/") + QLatin1String(name));
    m_library->open({QUrl::fromLocalFile(m_folder->filePath("far/broken-gguf"))});
    QTRY_VERIFY(m_library->notice().startsWith("broken-gguf is a folder, not a model."));
    QVERIFY(!m_library->noticeAction().isEmpty());
  }

  void names_hideNothing_norForgeLines() {
    file(QString::fromUtf8("models/mmproj-\u202efdp\x1b[2J\nAll is well.gguf"));
    addModels();
    const QString hint = m_library->leftOutHint();
    QVERIFY2(hint.startsWith("mmproj-<U+202E>fdp<U+001B>[2J All is well.gguf: "), qPrintable(hint));
    m_library->say(QString::fromUtf8("\u202eread\nme"));
    QCOMPARE(m_library->notice(), QString("<U+202E>read me"));
  }

  void notice_aboutALoad_endsWithIt() {
    file("far/away.gguf");
    const QString path = m_folder->filePath("far/away.gguf");
    m_library->open({QUrl::fromLocalFile(path)});
    QTRY_COMPARE(m_library->notice(), QString("Loading away from its current folder."));
    m_backend->setModels({stateOf(path, ModelState::State::kReady, true)});
    QCOMPARE(m_library->notice(), QString("away is loaded from its current folder."));
    QVERIFY(!m_library->noticeAction().isEmpty());
    m_library->acceptNotice();
    waitForScan();
    file("far/next.gguf");
    const QString next = m_folder->filePath("far/next.gguf");
    m_library->open({QUrl::fromLocalFile(next)});
    QTRY_VERIFY(!m_library->notice().isEmpty());
    m_backend->setModels({stateOf(next, ModelState::State::kReady, true)});
    QCOMPARE(m_library->notice(), QString());  // Its folder is listed already.
  }

  void downloadedModel_isListedUnderQuire_andLoadedWithoutANotice() {
    file("quire/models/org/new.gguf");
    const QString path = m_folder->filePath("quire/models/org/new.gguf");
    m_library->addDownloaded(path, m_folder->filePath("quire/models"));
    QTRY_COMPARE(names(), QStringList{"new"});
    QCOMPARE(sections(), QStringList{"Quire"});
    m_library->loadDownloaded(path);
    QTRY_COMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_library->notice(), QString());
    file("else/other.gguf");  // It is listed after a restart, too.
    m_library->addDownloaded(m_folder->filePath("else/other.gguf"), {});
    QTRY_COMPARE(sections(), QStringList({"Opened by you", "Quire"}));
  }

  void deletedModel_isListedAgain_onceItIsDownloadedAgain() {
    file("models/a.gguf");
    addModels();
    const QString path = m_folder->filePath("models/a.gguf");
    QVERIFY(QFile::remove(path));
    emit m_library->files()->removal()->removed(path, "Gone.");
    waitForScan();
    QCOMPARE(names(), QStringList());
    file("models/a.gguf");
    m_library->addDownloaded(path, m_folder->filePath("models"));
    QTRY_COMPARE(names(), QStringList{"a"});
  }

  void loadedModels_areFirst_andThoseThatCannotBeLoadedLast() {
    for (const char* name : {"models/a.gguf", "models/b-broken.gguf", "models/c.gguf"}) file(name);
    addModels();
    ModelState state =
        stateOf(m_folder->filePath("models/c.gguf"), ModelState::State::kReady, true);
    ModelState bundled = stateOf("/bundled", ModelState::State::kReady, true);
    bundled.primary = false;
    bundled.isDemonstration = true;
    m_backend->setModels({bundled, state});
    QCOMPARE(names().value(0), QString("c"));
    QCOMPARE(names().last(), QString("b-broken"));
    const QStringList headings = sections();
    QCOMPARE(headings.first(), QString("Loaded"));
    QCOMPARE(headings.value(1), QString("Loaded"));
    QCOMPARE(headings.last(), QString("Cannot be loaded"));
  }

  void picker_listsRecentModels_orThoseThatMatch() {
    for (const char* name : {"models/alpha.gguf", "models/beta.gguf", "models/beta-broken.gguf"})
      file(name);
    addModels();
    QCOMPARE(m_library->firstInPicker(), QString());
    QVERIFY(m_library->canSearchPicker());
    m_library->setPickerSearch("BET");
    QCOMPARE(m_library->recent()->count(), 1);
    QCOMPARE(m_library->firstInPicker(), m_folder->filePath("models/beta.gguf"));
    m_library->setPickerSearch({});
    QCOMPARE(m_library->recent()->count(), 0);
  }

  void bestOfOwn_isTheLargestThatFits() {
    for (const char* name : {"models/a-small.gguf", "models/b.gguf", "models/c-broken.gguf"})
      file(name);
    m_backend->devices = {{.name = "cpu", .freeBytes = 2'000'000'000, .available = true}};
    addModels();
    QTRY_VERIFY(m_library->bestOfOwn());
    QTRY_COMPARE(m_library->bestOfOwn()->name(), QString("a-small"));
    m_backend->devices[0].freeBytes = 16'000'000'000;
    m_library->cards().devices().refresh();
    QTRY_COMPARE(m_library->bestOfOwn()->name(), QString("b"));
  }

  void rescan_removesDeletedModels() {
    file("models/a.gguf");
    file("models/b.gguf");
    addModels();
    QVERIFY(QFile::remove(m_folder->filePath("models/a.gguf")));
    m_library->rescan();
    waitForScan();
    QCOMPARE(names(), QStringList({"b"}));
  }

  void loadedModel_isShown_andStoredAsTheLastModel() {
    file("apart/own.gguf");
    const QString path = m_folder->filePath("apart/own.gguf");
    m_backend->setModels({stateOf(path, ModelState::State::kReady, true)});
    QCOMPARE(names(), QStringList({"loaded"}));
    QTRY_VERIFY(m_library->list()->cardAt(0)->isFound());  // It was inspected meanwhile.
    QCOMPARE(m_session->setting(LibrarySettings::kLastModelKey), path);
    m_library->prepare();
    waitForScan();
    QCOMPARE(m_library->list()->count(), 1);
  }

  void use_loadsAModel_orMakesALoadedOnePrimary() {
    file("models/a.gguf");
    addModels();
    const QString path = m_folder->filePath("models/a.gguf");
    m_library->use(path);
    QCOMPARE(m_backend->loads.size(), 1);
    m_backend->setModels({stateOf(path, ModelState::State::kReady, true)});
    m_library->use(path);
    QCOMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_backend->primaryChoices, QStringList({path}));
  }

  void optionsAndGeneration_areStoredTogether() {
    file("models/a.gguf");
    addModels();
    const QString path = m_folder->filePath("models/a.gguf");
    ModelSettings others = m_settings->modelSettings(path);
    others.generation.topK = 7;
    m_settings->putModelSettings(others);  // As the settings page does.
    ModelCard* card = m_library->cards().find(path);
    card->options()->setContextLength(4096);
    m_library->close();
    QCOMPARE(m_settings->modelSettings(path).generation.topK, std::optional(7));
    QCOMPARE(m_settings->modelSettings(path).contextLength, std::optional(4096));
    card->showGeneration();
    QCOMPARE(card->generation()->own().topK, std::optional(7));
    card->generation()->resetAll();
    m_library->close();
    QVERIFY(!m_settings->modelSettings(path).generation.topK);
    QCOMPARE(m_settings->modelSettings(path).contextLength, std::optional(4096));
  }

  void recent_hasLoadedModelsFirst_thenTheLastUsed() {
    for (const char* name : {"models/a.gguf", "models/b.gguf", "models/c.gguf", "models/d.gguf"})
      file(name);
    addModels();
    QCOMPARE(m_library->recent()->count(), 0);
    ModelState old = used("models/a.gguf", 1'000'000);
    old.serving = true;
    m_backend->setModels({old, used("models/b.gguf", 2'000'000), used("models/c.gguf", 3'000'000)});
    QStringList recent;
    for (int row = 0; row < m_library->recent()->count(); ++row)
      recent.append(m_library->recent()->cardAt(row)->path().section('/', -1));
    QCOMPARE(recent, QStringList({"a.gguf", "c.gguf", "b.gguf"}));
  }

  void draftModels_areSmallOnesOfTheSameTokens() {
    for (const char* name : {"models/big.gguf", "models/half.gguf", "models/tiny.gguf",
                             "models/tiny-broken.gguf", "models/tiny-other.gguf"})
      file(name);
    addModels();
    QCOMPARE(draftsOf("models/big.gguf"), QStringList({"None", "tiny"}));
    QCOMPARE(draftsOf("models/half.gguf"), QStringList({"None", "tiny"}));
    QCOMPARE(draftsOf("models/tiny.gguf"), QStringList({"None"}));
    QCOMPARE(draftsOf("models/tiny-other.gguf"), QStringList({"None"}));
    QFile::remove(m_folder->filePath("models/tiny.gguf"));
    m_library->rescan();
    waitForScan();
    QTRY_COMPARE(draftsOf("models/big.gguf"), QStringList({"None"}));
  }

  void bundledDraftModel_isOfferedWithoutACard() {
    file("bundled/tiny.gguf");
    m_library->offerDraft(m_folder->filePath("bundled/tiny.gguf"));
    file("models/big.gguf");
    addModels();
    QTRY_COMPARE(draftsOf("models/big.gguf"), QStringList({"None", "tiny"}));
    QVERIFY(!m_library->cards().find(m_folder->filePath("bundled/tiny.gguf")));
    QCOMPARE(m_library->list()->count(), 1);
  }

 private:
  QStringList draftsOf(const QString& name) const {
    ModelCard* const card = m_library->cards().find(m_folder->filePath(name));
    card->show();
    return card->options()->draftChoices();
  }
  void open() {
    if (m_library) m_library->close();
    m_session->flush(2000);
    m_library.reset();
    m_backend->setModels({});
    m_settings = std::make_unique<GenerationDefaults>(*m_backend, *m_session);
    m_library = std::make_unique<ModelLibrary>(*m_backend, *m_session, *m_settings);
    m_library->setScanner(std::make_unique<ModelScanner>(
        ModelScanner::Options{.reader = factsByName,
                              .environment = {.home = m_folder->filePath("home"),
                                              .variable = [](const char*) { return QString(); },
                                              .systemRoot = m_folder->path()}}));
    m_library->load();
  }
  void file(const QString& name) {
    QDir().mkpath(QFileInfo(m_folder->filePath(name)).path());
    QFile out(m_folder->filePath(name));
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write("x") == 1);
  }
  void addModels() {
    m_library->prepare();
    m_library->addFolder(QUrl::fromLocalFile(m_folder->filePath("models")));
    waitForScan();
  }
  void waitForScan() { QTRY_VERIFY(!m_library->isScanning()); }
  ModelState used(const QString& name, qint64 lastUsedMs) {
    ModelState state = stateOf(m_folder->filePath(name), ModelState::State::kUnloaded, false);
    state.lastUsedMs = lastUsedMs;
    return state;
  }
  QStringList sections() const {
    QStringList sections;
    const ModelListModel& list = *m_library->list();
    for (int row = 0; row < list.count(); ++row)
      sections.append(list.data(list.index(row), ModelListModel::kSection).toString());
    return sections;
  }
  QStringList names() const {
    QStringList names;
    for (int row = 0; row < m_library->list()->count(); ++row)
      names.append(m_library->list()->cardAt(row)->name());
    return names;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<GenerationDefaults> m_settings;
  std::unique_ptr<ModelLibrary> m_library;
};

QTEST_MAIN(ModelLibraryTest)
#include "tst_model_library.moc"
