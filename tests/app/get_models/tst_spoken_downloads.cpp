#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

#include "app/get_models/spoken_downloads.h"
#include "tests/support/fake_hub.h"

using namespace quire;

/// What people who do not see the window hear of searches and downloads.
class SpokenDownloadsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_session = std::make_unique<DataSession>(m_folder->path());
    QVERIFY(m_session->open());
    m_hub = std::make_unique<FakeHub>();
    m_models = std::make_unique<GetModels>(*m_session);
    m_spoken = std::make_unique<SpokenDownloads>(*m_models);
    m_spoken->setHeard([this] { return m_isHeard; });
    m_isHeard = true;
    m_told.clear();
    connect(m_spoken.get(), &SpokenDownloads::spoken, this,
            [this] { m_told.append(m_spoken->text()); });
  }
  void cleanup() {
    m_spoken.reset();
    m_models.reset();
    m_session.reset();
  }

  void search_isToldFromItsBeginningToItsEnd() {
    m_models->setAccess(m_hub.get());
    m_hub->found.found = {{"org/a", 1, "mit", false}, {"org/b", 1, "mit", false}};
    m_models->setText("qwen");
    QVERIFY(m_told.isEmpty());
    m_models->search();
    QCOMPARE(m_told, QStringList{"Asking huggingface.co…"});
    QTRY_COMPARE(m_told.size(), 2);
    QCOMPARE(m_told.last(), QString("2 model(s) found"));
    m_hub->found = {.problem = {"The hub is gone.", false}};
    m_models->search();
    QTRY_COMPARE(m_told.size(), 4);
    QCOMPARE(m_told.last(), QString("The hub is gone."));
    m_hub->listings["org/a"] = {.id = "a", .name = "org/a", .choices = {{.label = "Q4_K_M"}}};
    m_models->openModel("org/a");
    QTRY_COMPARE(m_told.size(), 6);
    QCOMPARE(m_told.last(), QString("org/a"));
  }

  void offers_areTold() {
    m_models->setAccess(m_hub.get());
    m_models->offers()->show();
    QTRY_COMPARE(m_told.size(), 2);
    QVERIFY2(m_told.last().startsWith("No recommended model"), qPrintable(m_told.last()));
  }

  void download_isToldByQuarters_andHowItEnds() {
    m_models->setAccess(m_hub.get());
    const quint64 id = m_hub->add(download(DownloadState::kWaiting, 0));
    QCOMPARE(m_told, QStringList{"Downloading org/a"});
    m_hub->setState(id, DownloadState::kRunning);
    setBytes(id, 24);
    QCOMPARE(m_told.size(), 1);
    setBytes(id, 26);
    setBytes(id, 30);
    QCOMPARE(m_told.mid(1), QStringList{"org/a: 25% downloaded"});
    setBytes(id, 80);
    QCOMPARE(m_told.last(), QString("org/a: 75% downloaded"));
    m_hub->setState(id, DownloadState::kPaused);
    QCOMPARE(m_told.last(), QString("org/a is paused."));
    m_hub->setState(id, DownloadState::kRunning);
    QCOMPARE(m_told.last(), QString("Downloading org/a"));
    m_hub->change(id, [](HubDownload& row) {
      row.state = DownloadState::kFailed;
      row.problem = {"The disk is full.", false};
    });
    QCOMPARE(m_told.last(), QString("org/a stopped. The disk is full."));
    m_hub->setState(id, DownloadState::kRunning);
    m_hub->setState(id, DownloadState::kDone);
    QCOMPARE(m_told.last(), QString("org/a is downloaded and verified."));
    const qsizetype numTold = m_told.size();
    m_models->downloads()->dismiss(id);
    QCOMPARE(m_told.size(), numTold);
  }

  void whatAnEarlierStartLeft_isNotTold_norWithoutAListener() {
    m_hub->add(download(DownloadState::kPaused, 60));
    m_hub->add(download(DownloadState::kFailed, 60));
    m_models->setAccess(m_hub.get());
    QVERIFY(m_told.isEmpty());
    m_isHeard = false;
    m_hub->setState(1, DownloadState::kRunning);
    QVERIFY(m_told.isEmpty());
    m_isHeard = true;
    setBytes(1, 80);  // Only from then on.
    QCOMPARE(m_told, QStringList{"org/a: 75% downloaded"});
  }

 private:
  static HubDownload download(DownloadState state, qint64 bytes) {
    return {.title = "org/a", .state = state, .bytes = bytes, .totalBytes = 100};
  }
  void setBytes(quint64 id, qint64 bytes) {
    m_hub->change(id, [bytes](HubDownload& row) { row.bytes = bytes; });
  }

  bool m_isHeard = true;
  QStringList m_told;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<FakeHub> m_hub;
  std::unique_ptr<GetModels> m_models;
  std::unique_ptr<SpokenDownloads> m_spoken;
};

QTEST_MAIN(SpokenDownloadsTest)
#include "tst_spoken_downloads.moc"
