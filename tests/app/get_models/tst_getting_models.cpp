#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/get_models/get_models.h"
#include "app/store/setting_keys.h"
#include "tests/support/fake_hub.h"
#include "tests/support/sample_listing.h"

using namespace quire;

/// The window's search for models and its list of downloads, on a hub that only notes what it was
/// asked.
class GettingModelsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_hub = std::make_unique<FakeHub>();
    m_hub->listings["org/repo"] = sampleListing();
    open();
  }
  void cleanup() {
    m_models.reset();
    m_session.reset();
  }

  void nothing_isAskedBeforeTheUserSearches() {
    m_models->open();
    m_models->setText("qwen");
    QVERIFY(m_models->canSearch());
    QTest::qWait(20);
    QCOMPARE(m_hub->asked, QStringList());
    m_hub->found.found = {{"org/repo", 1'234'567, "mit", true}, {"org/other", 1, {}, false}};
    m_models->search();
    QVERIFY(m_models->isAsking());
    QCOMPARE(m_models->askingText(), QString("Asking huggingface.co…"));
    QTRY_COMPARE(m_models->results()->count(), 2);
    QCOMPARE(m_hub->asked, QStringList{"search qwen"});
    QCOMPARE(roleOf(*m_models->results(), 0, "facts").toString(),
             QString("1,234,567 download(s) · Licence: mit · asks for consent"));
    QCOMPARE(roleOf(*m_models->results(), 1, "facts").toString(),
             QString("1 download(s) · Licence not stated"));
  }

  void name_opensItsModelAtOnce_andBackLeadsToTheStart() {
    m_models->setText(" org/repo ");
    m_models->search();
    QTRY_VERIFY(m_models->showsFiles());
    QCOMPARE(m_hub->asked, QStringList{"list org/repo"});
    QCOMPARE(m_models->files()->facts(), QString("Hugging Face · Licence: mit"));
    m_models->back();
    QVERIFY(!m_models->showsFiles());
    QVERIFY(m_models->showsOffers());
  }

  void files_saySizeFitAndSpeed() {
    openModel();
    const OfferedFiles& files = *m_models->files();
    QCOMPARE(files.count(), 3);
    QCOMPARE(roleOf(files, 0, "sizeText").toString(), QString("5.0 GB"));
    QCOMPARE(roleOf(files, 0, "facts").toString(),
             QString("Fits memory · about 8.3 tokens/s on the CPU"));
    QVERIFY(roleOf(files, 0, "isUsual").toBool());
    QCOMPARE(roleOf(files, 1, "sizeText").toString(), QString("16.0 GB in 3 files"));
    QCOMPARE(roleOf(files, 1, "facts").toString(), QString("Too large for this computer"));
    QVERIFY(roleOf(files, 1, "isTooLarge").toBool());
    QVERIFY(!roleOf(files, 2, "canGet").toBool());
    QCOMPARE(roleOf(files, 2, "facts").toString(), QString("On this computer"));
    QCOMPARE(roleOf(files, 2, "actText").toString(), QString("Load"));
    QSignalSpy load(m_models.get(), &GetModels::loadWanted);
    m_models->get(2);
    QCOMPARE(load.value(0).value(0).toString(), QString("/models/org/repo/q2.gguf"));
    QCOMPARE(m_models->downloads()->count(), 0);
  }

  void fileThatCannotBeStored_saysWhy() {
    m_hub->listings["org/repo"].choices[0].target.clear();
    m_hub->listings["org/repo"].choices[0].problem = "Its name is not safe to store.";
    openModel();
    QVERIFY(!roleOf(*m_models->files(), 0, "canGet").toBool());
    QCOMPARE(roleOf(*m_models->files(), 0, "problem").toString(),
             QString("Its name is not safe to store."));
  }

  void failedDownload_isSaidInTheSheet_andBegunAgain() {
    openModel();
    m_models->get(0);
    m_hub->change(1, [](HubDownload& row) {
      row.state = DownloadState::kFailed;
      row.problem = {"The disk is full.", false};
    });
    QCOMPARE(m_models->failureText(), QString());  // Its row says it.
    m_models->back();
    QCOMPARE(m_models->failureText(), QString("org/repo · Q4_K_M stopped. The disk is full."));
    openModel();
    const OfferedFiles& files = *m_models->files();
    QCOMPARE(roleOf(files, 0, "problem").toString(), QString("The disk is full."));
    QCOMPARE(roleOf(files, 0, "actText").toString(), QString("Try again"));
    QVERIFY(roleOf(files, 0, "canGet").toBool());
    m_models->get(0);
    QCOMPARE(m_models->downloads()->count(), 1);
    m_models->back();
    QCOMPARE(m_models->failureText(), QString());
  }

  void refusedDownload_isSaidAtItsRow() {
    openModel();
    const OfferedFiles& files = *m_models->files();
    m_hub->getProblem = "The disk is full.";
    m_models->get(1);
    QCOMPARE(roleOf(files, 1, "problem").toString(), QString("The disk is full."));
    QCOMPARE(roleOf(files, 1, "actText").toString(), QString("Try again"));
    QCOMPARE(roleOf(files, 0, "problem").toString(), QString());
    QCOMPARE(m_models->problem(), QString());  // One warning for one failure.
    m_hub->getProblem.clear();
    m_models->get(1);
    QCOMPARE(roleOf(files, 1, "problem").toString(), QString());
    QCOMPARE(m_models->downloads()->count(), 1);
  }

  void nothingFound_isSaid() {
    m_models->setText("zzz");
    m_models->search();
    QTRY_VERIFY(m_models->showsResults());
    QVERIFY2(m_models->note().startsWith("Nothing was found."), qPrintable(m_models->note()));
    m_hub->listings["org/empty"] = {.id = "e", .name = "org/empty"};
    m_models->openModel("org/empty");
    QTRY_VERIFY(m_models->showsFiles());
    QVERIFY2(m_models->note().contains("neither a GGUF file"), qPrintable(m_models->note()));
  }

  void problem_isSaid_andClosingWithdrawsTheQuestion() {
    m_models->openModel("org/none");
    QTRY_COMPARE(m_models->problem(), QString("There is no such model."));
    QVERIFY(!m_models->showsFiles());
    m_models->open();
    m_models->openModel("org/repo");
    m_models->close();
    QTest::qWait(20);
    QVERIFY(!m_models->showsFiles());
    QVERIFY(!m_models->isAsking());
  }

  void download_isListed_andItsButtonPausesIt() {
    openModel();
    m_models->get(0);
    DownloadList& list = *m_models->downloads();
    QCOMPARE(list.count(), 1);
    QVERIFY(!roleOf(*m_models->files(), 0, "canGet").toBool());
    QCOMPARE(roleOf(*m_models->files(), 0, "actName").toString(), QString("Pause: Q4_K_M, 5.0 GB"));
    m_models->get(0);
    QCOMPARE(roleOf(*m_models->files(), 0, "actText").toString(), QString("Continue"));
    QVERIFY(roleOf(*m_models->files(), 0, "canAct").toBool());
    m_models->get(0);
    QVERIFY(list.isActive());
    m_hub->change(1, [](HubDownload& row) {
      row.bytes = 1'000'000'000;
      row.bytesPerSecond = 40'000'000;
    });
    QCOMPARE(roleOf(list, 0, "progressText").toString(),
             QString("1.0 GB of 5.0 GB · 40 MB/s · 2 minute(s) left"));
    QCOMPARE(roleOf(list, 0, "share").toDouble(), 0.2);
    QCOMPARE(list.summaryText(), QString("1 download(s) · 40 MB/s · 2 minute(s) left"));
    m_hub->change(1, [](HubDownload& row) { row.state = DownloadState::kDone; });
    QVERIFY(!roleOf(*m_models->files(), 0, "canGet").toBool());
    QCOMPARE(roleOf(*m_models->files(), 0, "actText").toString(), QString("Load"));
  }

  void cancel_asksWhatBecomesOfThePart() {
    const quint64 id = m_hub->add(running(0));
    DownloadList& list = *m_models->downloads();
    list.cancel(id);
    QVERIFY(!list.isAsking());  // There is nothing to keep.
    QCOMPARE(list.count(), 0);
    const quint64 begun = m_hub->add(running(2'000'000'000));
    list.cancel(begun);
    QVERIFY(list.isAsking());
    QVERIFY(list.isAskedWorking());
    QVERIFY(list.askedText().startsWith("2.0 GB of 5.0 GB"));
    list.answerNothing();
    QVERIFY(roleOf(list, 0, "canPause").toBool());
    list.cancel(begun);
    list.answerKeep();
    QVERIFY(!list.isAsking());
    QVERIFY(roleOf(list, 0, "canResume").toBool());
    list.cancel(begun);
    list.answerDelete();
    QCOMPARE(list.count(), 0);
  }

  void question_ends_withItsDownload() {
    const quint64 id = m_hub->add(running(1));
    m_models->downloads()->cancel(id);
    m_hub->setState(id, DownloadState::kDone);
    QVERIFY(!m_models->downloads()->isAsking());
  }

  void failure_canBeTriedAgain_andTheOrderChanged() {
    const quint64 failed = m_hub->add(running(1));
    m_hub->change(failed, [](HubDownload& row) {
      row.state = DownloadState::kFailed;
      row.problem = {"The hub is gone.", false};
    });
    DownloadList& list = *m_models->downloads();
    QCOMPARE(roleOf(list, 0, "problem").toString(), QString("The hub is gone."));
    QVERIFY(roleOf(list, 0, "canRetry").toBool());
    QVERIFY(!list.isActive());
    list.resume(failed);
    QVERIFY(roleOf(list, 0, "canPause").toBool());
    HubDownload waiting = running(0);
    waiting.state = DownloadState::kWaiting;
    const quint64 second = m_hub->add(waiting);
    QVERIFY(roleOf(list, 1, "canMoveUp").toBool());
    list.moveUp(second);
    QCOMPARE(roleOf(list, 0, "downloadId").toULongLong(), second);
    QVERIFY(!roleOf(list, 0, "canMoveUp").toBool());
  }

  void finishedModel_isAnnounced_andLoadedByOneClick() {
    QSignalSpy done(m_models.get(), &GetModels::downloaded);
    QSignalSpy load(m_models.get(), &GetModels::loadWanted);
    const quint64 id = m_hub->add(running(1));
    m_models->downloads()->load(id);
    QCOMPARE(load.count(), 0);
    m_hub->setState(id, DownloadState::kDone);
    QCOMPARE(done.count(), 1);
    m_models->downloads()->load(id);
    QCOMPARE(load.value(0).value(0).toString(), QString("/models/a.gguf"));
    QCOMPARE(m_models->downloads()->count(), 0);
  }

  void gatedModel_asksForAToken_whichIsNotStored() {
    m_hub->listings["org/repo"].isGated = true;
    openModel();
    QVERIFY(m_models->needsToken());
    m_models->setToken("hf_secret4711");
    m_models->saveToken();
    QCOMPARE(m_hub->tokens, QStringList{"hf_secret4711"});
    QCOMPARE(m_models->token(), QString());
    QTRY_VERIFY(m_models->tokenNote().contains("is kept in the system's keychain"));
    QVERIFY(!m_models->needsToken());
    m_hub->tokenProblem = "There is no service.";
    m_models->setToken("hf_secret4711");
    m_models->saveToken();
    QTRY_VERIFY(m_models->tokenNote().contains("only until Quire ends"));
    m_session->flush(5000);
    QDir folder(m_folder->path());
    for (const QFileInfo& info : folder.entryInfoList(QDir::Files)) {
      QFile file(info.filePath());
      QVERIFY(file.open(QIODevice::ReadOnly));
      QVERIFY2(!file.readAll().contains("secret4711"), qPrintable(info.filePath()));
    }
  }

  void token_isNotCalledKept_beforeTheKeychainAnswers() {
    m_hub->answersKeychain = false;
    m_hub->listings["org/repo"].isGated = true;
    openModel();
    m_models->setToken("hf_1");
    m_models->saveToken();
    QTest::qWait(20);
    QVERIFY2(m_models->tokenNote().startsWith("Asking"), qPrintable(m_models->tokenNote()));
  }

  void gatedModel_asksForNoToken_ifThereIsOne() {
    m_hub->listings["org/repo"].isGated = true;
    m_hub->listings["org/repo"].hasToken = true;
    openModel();
    QVERIFY(!m_models->needsToken());
  }

  void refusedModel_isAskedForAgainWithTheToken() {
    m_hub->listings["org/private"] = {.problem = {"It needs a token.", true}};
    m_models->openModel("org/private");
    QTRY_VERIFY(m_models->needsToken());
    m_hub->listings["org/private"] = sampleListing();
    m_models->setToken("hf_1");
    m_models->saveToken();
    QTRY_VERIFY(m_models->showsFiles());
    QCOMPARE(m_hub->asked, QStringList({"list org/private", "list org/private"}));
    QVERIFY(!m_models->needsToken());
  }

  void refusedDownload_asksForTheToken_andGoesOnWithIt() {
    const quint64 id = m_hub->add(running(1));
    DownloadList& list = *m_models->downloads();
    list.enterToken(id);
    QVERIFY(!m_models->isOpen());
    m_hub->change(id, [](HubDownload& row) {
      row.state = DownloadState::kFailed;
      row.problem = {"It needs a token.", true};
    });
    list.enterToken(id);
    QVERIFY(m_models->isOpen());
    QVERIFY(m_models->needsToken());
    QCOMPARE(m_models->problem(), QString("It needs a token."));
    m_models->setToken("hf_1");
    m_models->saveToken();
    QVERIFY(roleOf(list, 0, "canPause").toBool());
    QCOMPARE(m_hub->asked, QStringList());
  }

  void choices_areStored_andWrongOnesRefused() {
    m_models->setLimitIndex(3);
    QCOMPARE(m_hub->bytesPerSecond, 5'000'000);
    m_models->setMirror("not a mirror");
    QCOMPARE(m_models->mirror(), QString("not a mirror"));  // It stays to be corrected.
    QCOMPARE(m_hub->mirror, QString());
    QVERIFY(!m_models->mirrorProblem().isEmpty());
    m_models->setMirror("https://mirror.example");
    QCOMPARE(m_models->mirrorProblem(), QString());
    m_models->setFolder("/no/such/folder");
    QTRY_COMPARE(m_models->folderProblem(), QString("There is no such folder."));
    QCOMPARE(m_models->folder(), QString("/no/such/folder"));
    QCOMPARE(m_hub->folder, QString("/models"));
    m_models->setFolder("models");
    QVERIFY2(m_models->folderProblem().contains("~/models"), qPrintable(m_models->folderProblem()));
    m_models->setFolder(m_folder->path());
    QTRY_COMPARE(m_hub->folder, m_folder->path());
    QCOMPARE(m_models->folderProblem(), QString());
    m_hub = std::make_unique<FakeHub>();
    open();
    QCOMPARE(m_hub->bytesPerSecond, 5'000'000);
    QCOMPARE(m_models->limitIndex(), 3);
    QCOMPARE(m_hub->mirror, QString("https://mirror.example"));
    QCOMPARE(m_hub->folder, m_folder->path());
    QCOMPARE(m_hub->numRestored, 1);
  }

  /// A network disk that is gone: nobody waits for it.
  void folderThatDoesNotAnswer_isNotUsed_andAnotherOneTakesItsPlace() {
    m_hub->answersFolders = false;
    m_models->setFolder("/mnt/gone");
    QTest::qWait(20);
    QCOMPARE(m_models->folder(), QString("/mnt/gone"));
    QCOMPARE(m_models->folderProblem(), QString());
    QCOMPARE(m_hub->folder, QString("/models"));
    m_hub->answersFolders = true;
    m_models->setFolder(m_folder->path());
    QTRY_COMPARE(m_hub->folder, m_folder->path());
    QCOMPARE(m_models->folder(), m_folder->path());
  }

  void folderThatWasMissing_isExaminedAgain() {
    const QString path = m_folder->filePath("new");
    m_models->setFolder(path);
    QTRY_VERIFY(!m_models->folderProblem().isEmpty());
    QVERIFY(QDir().mkpath(path));
    m_models->setFolder(path);
    QTRY_COMPARE(m_hub->folder, path);
    QCOMPARE(m_models->folderProblem(), QString());
  }

  void newFolder_renewsTheModelThatIsShown() {
    openModel();
    HubListing moved = sampleListing();
    moved.choices[0].target = "/else/org/repo/q4.gguf";
    moved.choices[2].isThere = false;
    m_hub->renewals = {moved};
    m_models->setFolder(m_folder->path());
    QTRY_COMPARE(m_models->files()->listing().choices[0].target, QString("/else/org/repo/q4.gguf"));
    QVERIFY(roleOf(*m_models->files(), 2, "canGet").toBool());
  }

  void sheet_isRenewed_whenItIsOpenedAgain() {
    openModel();
    m_models->close();
    const int before = m_hub->numFolders;
    HubListing measured = sampleListing();
    measured.choices[1].tokensPerSecond = 3.0;
    m_hub->renewals = {measured};
    m_models->open();
    QCOMPARE(m_hub->numFolders, before + 1);
    QCOMPARE(m_models->files()->listing().choices[1].tokensPerSecond, 3.0);
  }

  void mirrorBox_namesTheHubThatIsUsedWithout() {
    m_hub = std::make_unique<FakeHub>();
    m_hub->host = "hub.example";
    open();
    QCOMPARE(m_models->usualHub(), QString("hub.example"));
  }

  void strangersFile_choosesNoMirrorAndNoFolder() {
    QVERIFY(setting_keys::namesPlacesToUse(setting_keys::kHubMirror));
    QVERIFY(setting_keys::namesPlacesToUse(setting_keys::kDownloadFolder));
  }

  void offers_areThoseThatTheHubConfirms() {
    m_hub->suggestions = {{"org/gone", "Gone", "…"},
                          {"org/repo", "Repo 8B", "For everyday questions."},
                          {"org/gated", "Gated", "…"}};
    m_hub->listings["org/gated"] = sampleListing();
    m_hub->listings["org/gated"].id = "gated";
    m_hub->listings["org/gated"].isGated = true;
    ModelOffers& offers = *m_models->offers();
    QTest::qWait(20);
    QCOMPARE(m_hub->asked, QStringList());
    offers.show();
    QVERIFY(offers.isAsking());
    QTRY_VERIFY(!offers.isAsking());
    QCOMPARE(offers.count(), 1);
    QCOMPARE(roleOf(offers, 0, "title").toString(), QString("Repo 8B"));
    QCOMPARE(roleOf(offers, 0, "facts").toString(), QString("5.0 GB · Licence: mit"));
    QCOMPARE(offers.problem(), QString());
    QCOMPARE(roleOf(offers, 0, "actText").toString(), QString("Download"));
    QVERIFY(roleOf(offers, 0, "isSuggested").toBool());
    offers.act(0);
    QCOMPARE(m_models->downloads()->count(), 1);
  }

  void offer_showsItsProgress_andThenTheWayToChat() {
    m_hub->suggestions = {{"org/repo", "Repo 8B", "…"}, {"org/else", "Else", "…"}};
    m_hub->listings["org/else"] = sampleListing();
    m_hub->listings["org/else"].id = "else";
    m_hub->listings["org/else"].choices[0].target = "/models/else.gguf";
    ModelOffers& offers = *m_models->offers();
    QSignalSpy chat(&offers, &ModelOffers::chatWanted);
    offers.show();
    QTRY_COMPARE(offers.count(), 2);
    offers.act(1);
    QVERIFY(offers.isWorking());
    m_hub->change(1, [](HubDownload& row) {
      row.bytes = 1'000'000'000;
      row.bytesPerSecond = 40'000'000;
    });
    QCOMPARE(roleOf(offers, 1, "facts").toString(),
             QString("1.0 GB of 5.0 GB · 40 MB/s · 2 minute(s) left"));
    QCOMPARE(roleOf(offers, 1, "share").toDouble(), 0.2);
    QVERIFY(!roleOf(offers, 0, "isSuggested").toBool());  // There is one thing to wait for.
    QCOMPARE(roleOf(offers, 1, "actText").toString(), QString("Pause"));
    offers.act(1);
    QCOMPARE(roleOf(offers, 1, "actText").toString(), QString("Continue"));
    offers.act(1);
    m_hub->change(1, [](HubDownload& row) {
      row.state = DownloadState::kFailed;
      row.problem = {"The hub is gone.", false};
    });
    QCOMPARE(roleOf(offers, 1, "problem").toString(), QString("The hub is gone."));
    QCOMPARE(roleOf(offers, 1, "ownProblem").toString(),
             QString());  // The list of downloads has it.
    QCOMPARE(roleOf(offers, 1, "facts").toString(), QString("Stopped · 1.0 GB of 5.0 GB"));
    QCOMPARE(roleOf(offers, 1, "actText").toString(), QString("Try again"));
    offers.act(1);
    m_hub->change(2, [](HubDownload& row) { row.state = DownloadState::kDone; });
    QCOMPARE(roleOf(offers, 1, "actText").toString(), QString("Start chatting"));
    QVERIFY(roleOf(offers, 1, "isSuggested").toBool());
    offers.act(1);
    QCOMPARE(chat.value(0).value(0).toString(), QString("/models/else.gguf"));
  }

  void offers_thatTheHubDoesNotConfirm_saysWhy() {
    m_hub->suggestions = {{"org/gone", "Gone", "…"}};
    ModelOffers& offers = *m_models->offers();
    offers.show();
    QCOMPARE(offers.showText(), QString("Try again"));
    QTRY_COMPARE(offers.problem(), QString("There is no such model."));
    QVERIFY(offers.canShow() && !offers.hasNothing());
    m_hub->listings["org/gone"] = sampleListing();
    offers.show();
    QVERIFY(!offers.canShow());
    QCOMPARE(offers.askingText(), QString("Asking huggingface.co…"));
    QTRY_COMPARE(offers.count(), 1);
    QCOMPARE(offers.problem(), QString());
    m_hub->getProblem = "The disk is full.";
    offers.act(0);
    QCOMPARE(roleOf(offers, 0, "ownProblem").toString(), QString("The disk is full."));
    QCOMPARE(offers.problem(), QString());
  }

  void offers_areCancelled() {
    m_hub->answers = false;
    m_hub->suggestions = {{"org/repo", "Repo 8B", "…"}};
    ModelOffers& offers = *m_models->offers();
    offers.show();
    QVERIFY(offers.isAsking() && !offers.canShow());
    offers.cancel();
    QVERIFY(!offers.isAsking() && offers.canShow() && !offers.hasNothing());
    QCOMPARE(offers.showText(), QString("Show models to download"));
  }

 private:
  static HubDownload running(qint64 bytes) {
    return {.title = "org/repo · Q4_K_M",
            .target = "/models/a.gguf",
            .path = "/models/a.gguf",
            .state = DownloadState::kRunning,
            .bytes = bytes,
            .totalBytes = 5'000'000'000};
  }
  void open() {
    m_models.reset();
    m_session = std::make_unique<DataSession>(m_folder->path());
    QVERIFY(m_session->open());
    m_models = std::make_unique<GetModels>(*m_session);
    m_models->setAccess(m_hub.get());
    m_models->load();
  }
  void openModel() {
    m_models->openModel("org/repo");
    QTRY_VERIFY(m_models->showsFiles());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeHub> m_hub;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<GetModels> m_models;
};

QTEST_MAIN(GettingModelsTest)
#include "tst_getting_models.moc"
