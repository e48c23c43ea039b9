#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

#include "app/models/model_library.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

constexpr int kMany = 10'000;
constexpr int kMostMs = 50;  ///< Three times as long is allowed on a slow processor.

ModelFacts factsOf(const QString& path) {
  ModelFacts facts;
  facts.architecture = "qwen3";
  facts.quantisation = "Q4_K_M";
  facts.fileBytes = 1'000'000 + qHash(path) % 1'000'000;
  facts.contextLength = 40'960;
  facts.vocabulary = "a";
  facts.parameters = static_cast<qint64>(1 + qHash(path) % 1'000) * 1'000'000;
  return facts;
}

double computedMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The longest time that one event kept the window's thread busy.
class Watch : public QObject {
 public:
  void run(const std::function<bool()>& isDone) {
    QElapsedTimer whole;
    whole.start();
    while (!isDone() && whole.elapsed() < 60'000) {
      const double before = computedMs();
      QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
      longestMs = std::max(longestMs, computedMs() - before);
    }
    wholeMs = static_cast<double>(whole.elapsed());
  }
  double longestMs = 0.0;
  double wholeMs = 0.0;
};

}  // namespace

/// A folder of 10,000 models is scanned, sorted and searched without blocking the window.
class ManyModelsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_folder->path()).mkdir("models"));
    for (int i = 0; i < kMany; ++i) {
      QFile file(m_folder->filePath(QStringLiteral("models/model-%1.gguf").arg(i)));
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    m_session = std::make_unique<DataSession>(m_folder->filePath("data"));
    QVERIFY(m_session->open());
    m_library = std::make_unique<ModelLibrary>(m_backend, *m_session, defaults());
    m_library->load();
  }
  void cleanupTestCase() {
    m_library.reset();
    m_defaults.reset();
    m_session.reset();
  }

  void folder_isScannedAndSorted_withoutBlocking_data() {
    QTest::addColumn<bool>("again");
    QTest::newRow("for the first time") << false;
    QTest::newRow("as it is known") << true;
  }
  void folder_isScannedAndSorted_withoutBlocking() {
    QFETCH(bool, again);
    m_library.reset();
    m_library = std::make_unique<ModelLibrary>(m_backend, *m_session, defaults());
    m_library->load();
    m_library->setScanner(std::make_unique<ModelScanner>(
        ModelScanner::Options{.reader = factsOf,
                              .environment = {.home = m_folder->filePath("home"),
                                              .variable = [](const char*) { return QString(); },
                                              .systemRoot = m_folder->path()},
                              .cachePath = m_folder->filePath("models.json"),
                              .readerVersion = "1"}));
    QCOMPARE(QFile::exists(m_folder->filePath("models.json")), again);
    m_library->addFolder(QUrl::fromLocalFile(m_folder->filePath("models")));
    m_library->prepare();
    Watch watch;
    watch.run([&] { return !m_library->isScanning() && m_library->list()->count() == kMany; });
    QCOMPARE(m_library->list()->count(), kMany);
    qInfo("found in %.0f ms, the longest event %.1f ms", watch.wholeMs, watch.longestMs);
    QCOMPARE(m_library->list()->cardAt(2)->name(), QString("model-2"));
    QCOMPARE(m_library->list()->cardAt(kMany - 1)->name(), QString("model-9999"));
    QVERIFY2(watch.longestMs < 3 * kMostMs, qPrintable(QString::number(watch.longestMs)));
  }

  void searchAndSort_areFast() {
    double longest = 0.0;
    for (const char* words : {"m", "mo", "model-77", "q4 99", ""}) {
      const double before = computedMs();
      m_library->setSearch(words);
      longest = std::max(longest, computedMs() - before);
    }
    for (const int choice : {2, 1, 0}) {
      const double before = computedMs();
      m_library->setSortChoice(choice);
      longest = std::max(longest, computedMs() - before);
    }
    qInfo("the longest took %.1f ms", longest);
    QVERIFY2(longest < 3 * kMostMs, qPrintable(QString::number(longest)));
  }

  /// Progress arrives ten times a second.
  void progressOfALoad_doesNotUpdateOtherCards() {
    ModelState state = {.path = m_library->list()->cardAt(5)->path(),
                        .state = ModelState::State::kLoading};
    m_backend.setModels({state});
    const double before = computedMs();
    for (int i = 0; i < 10; ++i) {
      state.fraction = i / 10.0;
      m_backend.setModels({state});
    }
    const double each = (computedMs() - before) / 10;
    qInfo("each takes %.2f ms", each);
    QVERIFY2(each < 10.0, qPrintable(QString::number(each)));
    m_backend.setModels({});
  }

 private:
  GenerationDefaults& defaults() {
    m_defaults = std::make_unique<GenerationDefaults>(m_backend, *m_session);
    return *m_defaults;
  }

  FakeBackend m_backend;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<GenerationDefaults> m_defaults;
  std::unique_ptr<ModelLibrary> m_library;
};

QTEST_MAIN(ManyModelsTest)
#include "tst_many_models.moc"
