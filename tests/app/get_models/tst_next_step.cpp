#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/get_models/get_models.h"
#include "tests/support/fake_hub.h"
#include "tests/support/sample_listing.h"

using namespace quire;

/// What the sheet Get models offers to do next, and what can be done about a search that runs or
/// has failed.
class NextStepTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_hub = std::make_unique<FakeHub>();
    m_hub->listings["org/repo"] = sampleListing();
    m_session = std::make_unique<DataSession>(m_folder->path());
    QVERIFY(m_session->open());
    m_models = std::make_unique<GetModels>(*m_session);
    m_models->setAccess(m_hub.get());
  }
  void cleanup() {
    m_models.reset();
    m_session.reset();
  }

  void failedSearch_isTriedAgain() {
    m_hub->found.problem = {"The hub is gone.", false};
    m_models->setText("qwen");
    m_models->search();
    QTRY_COMPARE(m_models->problem(), QString("The hub is gone."));
    QCOMPARE(m_models->note(), QString());
    QCOMPARE(m_models->retryText(), QString("Try again"));
    QVERIFY(m_models->retryIsNext() && !m_models->searchIsNext());
    m_models->setText("gemma");  // To search for other words is the next step then.
    QVERIFY(m_models->searchIsNext() && !m_models->retryIsNext());
    m_hub->found = {.found = {{"org/repo", 1, "mit", false}}};
    m_models->retry();
    QCOMPARE(m_models->problem(), QString());
    QTRY_COMPARE(m_models->results()->count(), 1);
    QCOMPARE(m_hub->asked, QStringList({"search qwen", "search qwen"}));
  }

  void modelThatDidNotOpen_isTriedAgain_butNotOneThatWantsAToken() {
    m_hub->listings["org/later"] = {.problem = {"The hub is gone.", false}};
    m_models->openModel("org/later");
    QTRY_COMPARE(m_models->retryText(), QString("Try again"));
    m_hub->listings["org/later"] = sampleListing();
    m_models->retry();
    QTRY_VERIFY(m_models->showsFiles());
    QCOMPARE(m_models->retryText(), QString());
    m_hub->listings["org/private"] = {.problem = {"It needs a token.", true}};
    m_models->openModel("org/private");
    QTRY_VERIFY(!m_models->problem().isEmpty());
    QCOMPARE(m_models->retryText(), QString());
    m_hub->listings["org/repo"].problem = {"There is no Q9_K.", false};
    m_models->openModel("org/repo");
    QTRY_COMPARE(m_models->problem(), QString("There is no Q9_K."));
    QCOMPARE(m_models->retryText(), QString());  // The model is there.
  }

  void search_isCancelled_andAnotherTakesItsPlace() {
    m_hub->answers = false;
    m_models->setText("qwen");
    m_models->search();
    QCOMPARE(m_models->askingText(), QString("Asking huggingface.co…"));
    m_models->cancel();
    QVERIFY(!m_models->isAsking());
    QCOMPARE(m_models->askingText(), QString());
    QCOMPARE(m_models->problem(), QString());
    m_models->search();
    m_hub->answers = true;
    m_hub->found.found = {{"org/repo", 1, "mit", false}};
    m_models->setText("gemma");
    m_models->search();
    QTRY_COMPARE(m_models->results()->count(), 1);
    QCOMPARE(m_hub->asked.last(), QString("search gemma"));
  }

  void gatedModel_leadsToItsPage_thenToTheToken_thenToTheDownload() {
    m_hub->listings["org/repo"].isGated = true;
    openModel();
    QVERIFY(m_models->canOpenPage());
    QCOMPARE(nextSteps(), QStringList{"page"});
    m_models->setToken("hf_1");
    QCOMPARE(nextSteps(), QStringList{"token"});
    m_models->saveToken();
    QCOMPARE(nextSteps(), QStringList{"files"});
    QVERIFY(roleOf(*m_models->files(), 0, "isSuggested").toBool());
  }

  void oneStep_isNext() {
    QCOMPARE(nextSteps(), QStringList{"offers"});
    m_models->setText("org/repo");
    QCOMPARE(nextSteps(), QStringList{"search"});
    m_models->search();
    QCOMPARE(nextSteps(), QStringList{});
    QTRY_COMPARE(nextSteps(), QStringList{"files"});
    m_models->setText("qwen");
    QCOMPARE(nextSteps(), QStringList{"search"});
    m_hub->found.found = {{"org/repo", 1, "mit", false}};
    m_models->search();
    QTRY_COMPARE(m_models->results()->count(), 1);
    QCOMPARE(nextSteps(), QStringList{});  // The results themselves.
  }

  void buttonOfTheSheet_isNext_unlessThePageHasAnotherStep() {
    QVERIFY(m_models->isNext());
    m_models->setOffersElsewhere(true);
    QVERIFY(!m_models->isNext() && !m_models->showsOffers());
    m_models->offers()->show();
    QTRY_VERIFY(m_models->offers()->hasNothing());
    QVERIFY(m_models->isNext());
    QSignalSpy changed(m_models.get(), &GetModels::nextChanged);
    const quint64 first = m_hub->add(running(1));
    const quint64 second = m_hub->add(running(2));
    m_hub->setState(second, DownloadState::kDone);
    QVERIFY(!m_models->isNext() && !changed.isEmpty());
    QVERIFY(roleOf(*m_models->downloads(), 1, "isNext").toBool());
    m_hub->setState(first, DownloadState::kDone);
    QVERIFY(roleOf(*m_models->downloads(), 0, "isNext").toBool());
    QVERIFY(!roleOf(*m_models->downloads(), 1, "isNext").toBool());
  }

 private:
  /// What is said to be next, which is at most one thing.
  QStringList nextSteps() const {
    QStringList steps;
    if (m_models->searchIsNext()) steps += "search";
    if (m_models->retryIsNext()) steps += "retry";
    if (m_models->offersAreNext()) steps += "offers";
    if (m_models->pageIsNext()) steps += "page";
    if (m_models->tokenIsNext()) steps += "token";
    if (m_models->filesAreNext()) steps += "files";
    return steps;
  }
  static HubDownload running(qint64 bytes) {
    return {.title = "org/repo · Q4_K_M",
            .state = DownloadState::kRunning,
            .bytes = bytes,
            .totalBytes = 5'000'000'000};
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

QTEST_MAIN(NextStepTest)
#include "tst_next_step.moc"
