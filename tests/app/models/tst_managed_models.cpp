#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/app_model.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

ModelFacts anyFacts(const QString&) {
  return {.architecture = "qwen3", .quantisation = "Q4_K_M", .fileBytes = 7};
}

}  // namespace

namespace {

/// Whose models are gone when unloadModel() returns.
class UnloadingBackend : public FakeBackend {
 public:
  void unloadModel(const QString& path) override {
    FakeBackend::unloadModel(path);
    setModels({});
  }
};

}  // namespace

/// Renaming, deleting, moving, verifying and comparing models through the library.
class ManagedModelsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_root = QFileInfo(m_folder->path()).canonicalFilePath();
    QDir().mkpath(path("target"));
    m_backend = std::make_unique<FakeBackend>();
    write("models/alpha.gguf", "weights");
    write("models/beta.gguf", "WEIGHTS");
    open();
  }
  void cleanup() { m_app.reset(); }

  void name_isStored_andTheFileStays() {
    files().askName(card("alpha"));
    QCOMPARE(files().renamedName(), QString("alpha"));
    files().rename("  My   favourite \n");
    QVERIFY(!files().isRenaming());
    QCOMPARE(card("alpha")->name(), QString("My favourite"));
    QVERIFY(QFileInfo::exists(path("models/alpha.gguf")));
    open();
    QCOMPARE(card("alpha")->name(), QString("My favourite"));
    files().askName(card("alpha"));
    files().rename({});
    QCOMPARE(card("alpha")->name(), QString("alpha"));
  }

  void deletion_saysWhatItTakes_andWhoUsesIt() {
    useIn("Recipes", "models/alpha.gguf");
    useIn("Travel", "models/beta.gguf");
    files().removal()->open(card("alpha"));
    QTRY_VERIFY(files().removal()->canDelete());
    QCOMPARE(files().removal()->files().size(), 1);
    QVERIFY(files().removal()->files()[0].startsWith("alpha.gguf"));
    const QString chats = files().removal()->chatsText();
    QVERIFY2(chats.startsWith("1 chat always uses it: “Recipes”."), qPrintable(chats));
    QVERIFY(files().removal()->ownerText().isEmpty());
    files().removal()->deleteForGood();
    QTRY_VERIFY(!files().removal()->isOpen());
    QVERIFY(!QFileInfo::exists(path("models/alpha.gguf")));
    QTRY_COMPARE(models().list()->count(), 1);
    QVERIFY(models().notice().startsWith("alpha is deleted."));
  }

  void deletion_saysWhereTheModelLies_notItsHashes() {
    write("models/.quire-hashes/alpha.gguf.json", "{}");
    files().removal()->open(card("alpha"));
    QTRY_VERIFY(files().removal()->canDelete());
    QCOMPARE(files().removal()->files().size(), 2);
    QVERIFY2(files().removal()->placeText().endsWith("/models"),
             qPrintable(files().removal()->placeText()));
  }

  /// The manager still knows them, because they were loaded once.
  void lastModel_leavesTheWelcomeOfAnEmptyPage() {
    QList<ModelState> states;
    for (const char* name : {"alpha", "beta"}) {
      ModelState state = {.path = path("models/" + QString(name) + ".gguf"), .name = name};
      state.state = ModelState::State::kUnloaded;
      states.append(state);
    }
    m_backend->setModels(states);
    for (const char* name : {"alpha", "beta"}) {
      QVERIFY(!models().hasNoneOfOwn());
      files().removal()->open(card(name));
      QTRY_VERIFY(files().removal()->canDelete());
      files().removal()->deleteForGood();
      QTRY_VERIFY(!files().removal()->isOpen());
    }
    QTRY_COMPARE(models().list()->count(), 0);
    QVERIFY(models().hasNoneOfOwn());
    QVERIFY(models().isEmpty());
  }

  /// The manager says so within the call, in which the deletion begins.
  void loadedModel_thatIsUnloadedAtOnce_isDeletedOnce() {
    auto backend = std::make_unique<UnloadingBackend>();
    ModelState state = {.path = path("models/alpha.gguf"), .name = "alpha"};
    state.state = ModelState::State::kReady;
    state.serving = true;
    backend->setModels({state});
    m_backend->setModels({state});  // The card shows these.
    ModelRemoval removal(*backend);
    QSignalSpy removed(&removal, &ModelRemoval::removed);
    removal.open(card("alpha"));
    QTRY_VERIFY(removal.canDelete());
    removal.deleteForGood();
    QTRY_VERIFY(!removal.isDeleting());
    QCOMPARE(removal.problem(), QString());
    QCOMPARE(removed.size(), 1);
    QVERIFY(!QFileInfo::exists(path("models/alpha.gguf")));
  }

  void loadedModel_isUnloadedFirst() {
    ModelState state = {.path = path("models/alpha.gguf"), .name = "alpha"};
    state.state = ModelState::State::kReady;
    state.serving = true;
    m_backend->setModels({state});
    files().removal()->open(card("alpha"));
    QTRY_VERIFY(files().removal()->canDelete());
    QVERIFY(files().removal()->loadedText().startsWith("It is loaded."));
    files().removal()->deleteForGood();
    QCOMPARE(m_backend->unloads, QStringList({path("models/alpha.gguf")}));
    QTest::qWait(50);
    QVERIFY(QFileInfo::exists(path("models/alpha.gguf")));
    state.state = ModelState::State::kUnloaded;
    state.serving = false;
    m_backend->setModels({state});
    QTRY_VERIFY(!QFileInfo::exists(path("models/alpha.gguf")));
    QTRY_COMPARE(models().list()->count(), 1);  // Though the manager remembers it.
  }

  void move_takesChatsAndSettingsAlong() {
    const RecordId chat = useIn("Recipes", "models/alpha.gguf");
    files().askName(card("alpha"));
    files().rename("Cook");
    card("alpha")->options()->setContextLength(4096);
    ModelMover& mover = *files().mover();
    mover.open(card("alpha"));
    mover.setFolder(path("nowhere"));
    QTRY_COMPARE(mover.folderProblem(), QString("There is no such folder."));
    QVERIFY(!mover.canStart());
    mover.setFolder(path("target"));
    QTRY_VERIFY(mover.canStart());
    mover.start();
    QTRY_VERIFY(!mover.isMoving());
    QCOMPARE(mover.problem(), QString());
    const QString now = path("target/alpha.gguf");
    QVERIFY(QFileInfo::exists(now));
    QVERIFY(!QFileInfo::exists(path("models/alpha.gguf")));
    QCOMPARE(m_app->library()->list()->find(chat)->modelPath, now);
    QTRY_VERIFY(models().cards().find(now));
    QCOMPARE(models().cards().find(now)->name(), QString("Cook"));
    QCOMPARE(models().cards().find(now)->options()->settings().contextLength, 4096);
    open();  // All of it is on the disk.
    QCOMPARE(m_app->library()->list()->find(chat)->modelPath, now);
    QTRY_VERIFY(models().cards().find(now));
    QCOMPARE(models().cards().find(now)->name(), QString("Cook"));
  }

  void movedModel_isReplaced_whenItsAnswersAreComplete() {
    ModelState state = {.path = path("models/alpha.gguf"), .name = "alpha"};
    state.state = ModelState::State::kReady;
    state.serving = state.primary = true;
    state.runningRequests = 1;
    m_backend->setModels({state});
    ModelMover& mover = *files().mover();
    mover.open(card("alpha"));
    mover.setFolder(path("target"));
    QTRY_VERIFY(mover.canStart());
    mover.start();
    QTRY_VERIFY(!mover.isMoving());
    QVERIFY(m_backend->unloads.isEmpty());
    state.runningRequests = 0;
    m_backend->setModels({state});
    QCOMPARE(m_backend->unloads, QStringList({path("models/alpha.gguf")}));
    QCOMPARE(m_backend->loads.size(), 1);
    QCOMPARE(m_backend->loads[0].path, path("target/alpha.gguf"));
  }

  /// The program ended after the copy was published, before chats were told.
  void interruptedMove_isCompletedAtTheNextStart() {
    const RecordId chat = useIn("Recipes", "models/alpha.gguf");
    const StoredModel model = storedModel(*card("alpha"));
    const MovePlan plan = planMove(model, partsOf(model), path("target"));
    QCOMPARE(plan.problem, QString());
    QCOMPARE(copyModel(plan.move, MoveJournal(path("data/model-move.json")), {}, {}), QString());
    open();
    QTRY_VERIFY(!QFileInfo::exists(path("models/alpha.gguf")));
    QTRY_VERIFY(!QFileInfo::exists(path("data/model-move.json")));
    QCOMPARE(m_app->library()->list()->find(chat)->modelPath, path("target/alpha.gguf"));
  }

  void verifying_saysThatNoHashIsKnown() {
    files().verifier()->verify(card("alpha"));
    QTRY_VERIFY(!files().verifier()->isRunning());
    QVERIFY(files().verifier()->text().startsWith("No hash is known for alpha."));
    QVERIFY(!files().verifier()->warns());
    files().verifier()->dismiss();
    QVERIFY(files().verifier()->text().isEmpty());
  }

  void duplicates_areListed_andOneOfThemDeleted() {
    write("models/copy.gguf", "weights");
    models().rescan();
    QTRY_COMPARE(models().list()->count(), 3);
    QTRY_VERIFY(!models().isScanning());
    DuplicateList& duplicates = *files().duplicates();
    files().findDuplicates();
    QTRY_VERIFY(!duplicates.isRunning());
    QCOMPARE(duplicates.count(), 2);
    QVERIFY(duplicates.summaryText().startsWith("1 model more than once."));
    QCOMPARE(duplicates.data(duplicates.index(1), DuplicateList::kName).toString(),
             QString("copy"));
    files().removeCopy(path("models/copy.gguf"));
    QTRY_VERIFY(files().removal()->canDelete());
    files().removal()->deleteForGood();
    QTRY_COMPARE(duplicates.count(), 0);
    QCOMPARE(duplicates.summaryText(), QString("No model is on your disks twice."));
    QVERIFY(QFileInfo::exists(path("models/alpha.gguf")));
  }

 private:
  QString path(const QString& below) const { return m_root + u'/' + below; }
  ModelLibrary& models() { return *m_app->models(); }
  ModelFileActions& files() { return *models().files(); }
  ModelCard* card(const QString& name) {
    return models().cards().find(path("models/" + name + ".gguf"));
  }

  void write(const QString& below, const QByteArray& content) {
    QDir().mkpath(QFileInfo(path(below)).path());
    QFile file(path(below));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
  }

  void open() {
    if (m_app) m_app->close();
    m_app.reset();
    m_app = std::make_unique<AppModel>(*m_backend, path("data"), QByteArray());
    models().setScanner(std::make_unique<ModelScanner>(
        ModelScanner::Options{.reader = anyFacts,
                              .environment = {.home = path("home"),
                                              .variable = [](const char*) { return QString(); },
                                              .systemRoot = m_root}}));
    m_app->open();
    models().addFolder(QUrl::fromLocalFile(path("models")));
    models().prepare();
    QTRY_VERIFY(!models().isScanning());
    QTRY_VERIFY(models().list()->count() >= 1);
  }

  /// A chat that always uses the model.
  RecordId useIn(const QString& title, const QString& model) {
    ChatModel* chat = m_app->library()->blank();
    chat->composer()->setDraft("x");
    chat->setOwnModel(path(model));
    chat->changeRecord([&](ChatRecord& record) { record.title = title; });
    ChatRecord record = chat->record();
    m_app->library()->list()->put(record);
    return record.id;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_root;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<AppModel> m_app;
};

QTEST_MAIN(ManagedModelsTest)
#include "tst_managed_models.moc"
