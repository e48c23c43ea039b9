#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <algorithm>
#include <semaphore>

#include "app/models/scan/model_inspector.h"
#include "app/models/scan/model_reader.h"
#include "app/models/scan/model_scanner.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;

namespace {

constexpr int kScanMs = 10'000;

/// Runs a scan and collects its signals.
struct Scan {
  QList<FoundModel> models;
  QList<LeftOutFile> leftOut;
  ScanReport report;

  const FoundModel* find(const QString& name) const {
    const auto at = std::find_if(models.cbegin(), models.cend(),
                                 [&](const FoundModel& model) { return model.name == name; });
    return at == models.cend() ? nullptr : &*at;
  }
};

}  // namespace

/// The scanner with the engine's reader, on artificial folders of each application.
class ModelScannerTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(m_folder->path());
  }

  void everyApplication_isFound_withItsFacts() {
    m_layouts->copy("gguf/quant_q4_k_m.gguf", "home/.lmstudio/models/org/q/tiny-Q4_K_M.gguf");
    m_layouts->ollama("home/.ollama/models", "library/tiny/1b", testData("gguf/qwen3.gguf"));
    m_layouts->copy("gguf/phi3.gguf", "home/.local/share/nomic.ai/GPT4All/phi.gguf");
    m_layouts->copy("gguf/gemma2.gguf",
                    "home/.local/share/Jan/data/llamacpp/models/gemma/model.gguf");
    m_layouts->huggingFace("home/.cache/huggingface/hub", "org/llama", "llama.gguf",
                           testData("gguf/llama_f16.gguf"));
    m_layouts->copyFolder("models/qwen2", "own/qwen2");
    const Scan scan = run({m_layouts->path("own")});
    QCOMPARE(scan.report.models, 6);
    QCOMPARE(scan.report.read, 6);
    const FoundModel* lmStudio = scan.find("tiny-Q4_K_M");
    QVERIFY(lmStudio);
    QCOMPARE(lmStudio->source, QString("LM Studio"));
    QCOMPARE(lmStudio->facts.architecture, QString("llama"));
    QCOMPARE(lmStudio->facts.quantisation, QString("Q4_K_M"));
    QVERIFY2(lmStudio->facts.obstacle.message.empty(), lmStudio->facts.obstacle.message.c_str());
    QVERIFY(lmStudio->facts.contextLength > 0 && lmStudio->facts.parameters > 0);
    QCOMPARE(lmStudio->facts.fileBytes,
             static_cast<quint64>(testData("gguf/quant_q4_k_m.gguf").size()));
    QVERIFY(scan.find("tiny:1b") && scan.find("tiny:1b")->facts.architecture == "qwen3");
    QVERIFY(scan.find("phi") && scan.find("phi")->source == "GPT4All");
    QVERIFY(scan.find("model") && scan.find("model")->source == "Jan");
    QVERIFY(scan.find("org/llama · llama") &&
            scan.find("org/llama · llama")->facts.quantisation == "F16");
    const FoundModel* own = scan.find("qwen2");
    QVERIFY(own && own->source.isEmpty() && own->facts.format == "safetensors");
    QVERIFY2(own->facts.obstacle.message.find("tokenizer.json") != std::string::npos,
             own->facts.obstacle.message.c_str());
  }

  void secondScan_readsNothing_untilAFileChanges() {
    m_layouts->copy("gguf/llama.gguf", "own/one.gguf");
    m_layouts->copy("gguf/qwen3.gguf", "own/two.gguf");
    const Scan first = run({m_layouts->path("own")});
    QCOMPARE(first.report.read, 2);
    const Scan second = run({m_layouts->path("own")});
    QCOMPARE(second.report.read, 0);
    QCOMPARE(second.models.size(), 2);
    QCOMPARE(second.find("one")->facts, first.find("one")->facts);
    m_layouts->copy("gguf/gemma2.gguf", "own/two.gguf");
    const Scan third = run({m_layouts->path("own")});
    QCOMPARE(third.report.read, 1);
    QCOMPARE(third.find("two")->facts.architecture, QString("gemma2"));
  }

  void cache_isPrivateWhateverTheUmask() {
    m_layouts->copy("gguf/llama.gguf", "own/one.gguf");
    const mode_t before = ::umask(0);
    run({m_layouts->path("own")});
    ::umask(before);
    const auto others = QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther;
    QVERIFY(QFile::exists(m_layouts->path("cache.json")));
    QVERIFY(!(QFile::permissions(m_layouts->path("cache.json")) & others));
  }

  void damagedCache_isRebuilt() {
    m_layouts->copy("gguf/llama.gguf", "own/one.gguf");
    run({m_layouts->path("own")});
    for (const QByteArray& damage :
         {QByteArray("{"), QByteArray("[[[["), QByteArray(R"({"version":7,"models":[1]})")}) {
      m_layouts->file("cache.json", damage);
      QCOMPARE(run({m_layouts->path("own")}).report.read, 1);
    }
  }

  /// Opening it would wait for its other end.
  void pipeAsCache_isIgnored() {
    m_layouts->copy("gguf/llama.gguf", "own/one.gguf");
    QCOMPARE(::mkfifo(qPrintable(m_layouts->path("cache.json")), 0600), 0);
    QCOMPARE(run({m_layouts->path("own")}).report.read, 1);
    QCOMPARE(run({m_layouts->path("own")}).report.read, 0);
  }

  /// It would take seconds and gigabytes to read more values than Quire writes.
  void hugeCache_isIgnored() {
    m_layouts->copy("gguf/llama.gguf", "own/one.gguf");
    QCOMPARE(run({m_layouts->path("own")}).report.read, 1);
    QCOMPARE(run({m_layouts->path("own")}).report.read, 0);
    m_layouts->addValues("cache.json", 600'000);
    QCOMPARE(run({m_layouts->path("own")}).report.read, 1);
  }

  void splitSet_isOneModel_andReportsAMissingPart() {
    for (const char* part : {"1", "2", "3"}) {
      const QString name = QStringLiteral("llama_split-0000%1-of-00003.gguf").arg(part);
      m_layouts->copy("gguf/" + name, "own/" + name);
    }
    const Scan whole = run({m_layouts->path("own")});
    QCOMPARE(whole.models.size(), 1);
    QVERIFY2(whole.models[0].facts.obstacle.message.empty(),
             whole.models[0].facts.obstacle.message.c_str());
    QVERIFY(whole.models[0].facts.fileBytes > 140'000);
    QVERIFY(QFile::remove(m_layouts->path("own/llama_split-00002-of-00003.gguf")));
    const Scan torn = run({m_layouts->path("own")});
    QCOMPARE(torn.models.size(), 1);
    QVERIFY2(torn.models[0].facts.obstacle.message.find("00002-of-00003") != std::string::npos,
             torn.models[0].facts.obstacle.message.c_str());
  }

  void hostileFiles_areListed_withTheirObstacle() {
    const QByteArray good = testData("gguf/llama.gguf");
    m_layouts->file("own/empty.gguf", {});
    m_layouts->file("own/noise.gguf", QByteArray(5000, '\x7f'));
    m_layouts->file("own/short.gguf", good.left(good.size() / 2));
    QByteArray claims = good.left(24);
    claims.replace(8, 16, QByteArray(16, '\x7f'));  // The numbers of tensors and keys.
    m_layouts->file("own/claims.gguf", claims);
    m_layouts->file("own/folder/config.json", "[1]");
    m_layouts->file("own/folder/model.safetensors", QByteArray(16, '\xff'));
    const Scan scan = run({m_layouts->path("own")});
    QCOMPARE(scan.models.size(), 5);
    for (const FoundModel& model : scan.models)
      QVERIFY2(!model.facts.obstacle.message.empty(), qPrintable(model.name));
  }

  void projector_isSkipped_withAReason() {
    m_layouts->copy("gguf/llama.gguf", "own/mmproj-tiny.gguf");
    const Scan scan = run({m_layouts->path("own")});
    QVERIFY(scan.models.isEmpty());
    QCOMPARE(scan.leftOut.size(), 1);
    QVERIFY(scan.leftOut[0].reason.contains("vision projector"));
  }

  /// Neither are they stored as facts, so that the reader is asked about them again.
  void quarantinedModels_areListed_andAskedForAgain() {
    m_layouts->copy("gguf/llama.gguf", "own/one.gguf");
    m_layouts->copy("gguf/qwen3.gguf", "own/two.gguf");
    const ModelReader reader = [](const QString& path) {
      ModelFacts facts = readModelFacts(path);
      facts.isQuarantined = path.contains(QLatin1String("two"));
      if (facts.isQuarantined) facts.obstacle = {ErrorCode::kCorruptFile, "It crashed."};
      return facts;
    };
    for (const int read : {2, 1, 1}) {
      const Scan scan = run({m_layouts->path("own")}, reader);
      QCOMPARE(scan.report.read, read);
      QVERIFY(scan.find("two") && scan.find("two")->facts.isQuarantined);
    }
    QCOMPARE(run({m_layouts->path("own")}).find("two")->facts.architecture, QString("qwen3"));
  }

  void manyStuckModels_doNotHoldUpAScan() {
    std::atomic<int> numRead = 0;
    const Scan scan = scanSlowly({ErrorCode::kCorruptFile, "It was stuck."}, true, numRead);
    QCOMPARE(scan.models.size(), 20);
    QVERIFY(numRead >= 1 && numRead <= 2);
    const auto unread =
        std::count_if(scan.models.begin(), scan.models.end(),
                      [](const FoundModel& model) { return !model.facts.isQuarantined; });
    QVERIFY(unread >= 18);
  }

  /// A reader may end itself by a signal as late as it likes.
  void manyInterruptedModels_doNotHoldUpAScan() {
    std::atomic<int> numRead = 0;
    const Scan scan = scanSlowly({ErrorCode::kCancelled, "It was interrupted."}, false, numRead);
    QCOMPARE(scan.models.size(), 20);
    QVERIFY(numRead >= 1 && numRead <= 2);
  }

  void tryAgain_endsTheQuarantine_andReads() {
    QString forgotten;
    auto options = scannerOptions([&](const QString& path) {
      ModelFacts facts;
      facts.isQuarantined = forgotten != path;
      return facts;
    });
    options.forget = [&](const QString& path) { forgotten = path; };
    ModelScanner scanner(options);
    QSignalSpy inspected(&scanner, &ModelScanner::inspected);
    scanner.tryAgain("/models/a.gguf");
    QTRY_COMPARE(inspected.size(), 1);
    QVERIFY(!inspected[0][0].value<FoundModel>().facts.isQuarantined);
  }

  /// A process for each model costs the page of models little: 100 ms, where nothing else runs.
  void cost_isUnder100ms() {
    for (int i = 0; i < 50; ++i)
      m_layouts->copy("gguf/llama.gguf", QStringLiteral("own/%1.gguf").arg(i));
    const QString cache = m_layouts->path("cache.json");
    const auto best = [&](const ModelReader& reader) {
      qint64 least = kScanMs;
      for (int i = 0; i < 5; ++i) {
        QFile::remove(cache);
        QElapsedTimer time;
        time.start();
        if (run({m_layouts->path("own")}, reader).report.read != 50) return qint64{kScanMs};
        least = std::min(least, time.elapsed());
      }
      return least;
    };
    ModelInspector inspector({.program = QUIRE_INSPECT});
    const qint64 here = best(readModelFacts);
    const qint64 confined = best([&](const QString& path) { return inspector.read(path); });
    qInfo("50 models: %lld ms in this process, %lld ms by quire-inspect", here, confined);
    QVERIFY(confined < kScanMs);
    if (qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) QVERIFY(confined <= here + 100);
  }

  void inspect_readsOneFile_duringAScan() {
    for (int i = 0; i < 20; ++i)
      m_layouts->file(QStringLiteral("own/%1.gguf").arg(i), QByteArray(10, 'x'));
    std::counting_semaphore<100> permits(0);
    auto scanner = makeScanner([&](const QString& path) {
      if (path.contains(QLatin1String("own/"))) permits.acquire();  // Blocks the scan.
      return readModelFacts(path);
    });
    QSignalSpy inspected(scanner.get(), &ModelScanner::inspected);
    QSignalSpy finished(scanner.get(), &ModelScanner::scanFinished);
    m_layouts->copy("gguf/qwen3.gguf", "dropped.gguf");
    scanner->scan({m_layouts->path("own")});
    scanner->inspect(m_layouts->path("dropped.gguf"));
    QTRY_COMPARE_WITH_TIMEOUT(inspected.size(), 1, kScanMs);
    QCOMPARE(inspected[0][0].value<FoundModel>().facts.architecture, QString("qwen3"));
    QVERIFY(finished.isEmpty());
    permits.release(50);
  }

  void cancel_stopsAtTheNextFile_withoutFurtherSignals() {
    for (int i = 0; i < 50; ++i)
      m_layouts->file(QStringLiteral("own/%1.gguf").arg(i), QByteArray(10, 'x'));
    std::counting_semaphore<100> permits(0);
    std::atomic<int> numRead = 0;
    auto scanner = makeScanner([&](const QString&) {
      ++numRead;
      permits.acquire();
      return ModelFacts{};
    });
    QSignalSpy found(scanner.get(), &ModelScanner::modelsFound);
    QSignalSpy finished(scanner.get(), &ModelScanner::scanFinished);
    scanner->scan({m_layouts->path("own")});
    QTRY_COMPARE(numRead.load(), 1);
    scanner->cancel();
    QVERIFY(!scanner->isScanning());
    QCOMPARE(finished.size(), 1);
    QVERIFY(finished[0][0].value<ScanReport>().cancelled);
    permits.release(1);
    QTest::qWait(100);
    QCOMPARE(numRead.load(), 1);
    QVERIFY(found.isEmpty());
    QCOMPARE(finished.size(), 1);
    permits.release(60);
  }

 private:
  ModelScanner::Options scannerOptions(ModelReader reader) {
    return {.reader = std::move(reader),
            .environment = {.home = m_layouts->path("home"),
                            .variable = [](const char*) { return QString(); },
                            .systemRoot = m_folder->path()},
            .cachePath = m_layouts->path("cache.json"),
            .readerVersion = "1"};
  }
  std::unique_ptr<ModelScanner> makeScanner(ModelReader reader) {
    return std::make_unique<ModelScanner>(scannerOptions(std::move(reader)));
  }

  Scan run(const QStringList& folders, ModelReader reader = readModelFacts,
           int mostLostMs = 20'000) {
    ModelScanner::Options options = scannerOptions(std::move(reader));
    options.mostLostMs = mostLostMs;
    auto scanner = std::make_unique<ModelScanner>(std::move(options));
    Scan scan;
    QObject here;
    connect(scanner.get(), &ModelScanner::modelsFound, &here,
            [&](const QList<FoundModel>& models) { scan.models += models; });
    connect(scanner.get(), &ModelScanner::filesLeftOut, &here,
            [&](const QList<LeftOutFile>& files) { scan.leftOut += files; });
    QSignalSpy finished(scanner.get(), &ModelScanner::scanFinished);
    scanner->scan(folders);
    if (!QTest::qWaitFor([&] { return !finished.isEmpty(); }, kScanMs)) qFatal("No end.");
    scan.report = finished[0][0].value<ScanReport>();
    return scan;
  }

  /// Scans 20 models, each of which takes 60 ms to read and has that obstacle; 100 ms may be lost.
  Scan scanSlowly(const Error& obstacle, bool isQuarantined, std::atomic<int>& numRead) {
    for (int i = 0; i < 20; ++i)
      m_layouts->file(QStringLiteral("own/%1.gguf").arg(i), QByteArray(10, 'x'));
    const auto reader = [&](const QString&) {
      ++numRead;
      QTest::qSleep(60);
      ModelFacts facts;
      facts.obstacle = obstacle;
      facts.isQuarantined = isQuarantined;
      return facts;
    };
    return run({m_layouts->path("own")}, reader, /*mostLostMs=*/100);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
};

QTEST_GUILESS_MAIN(ModelScannerTest)
#include "tst_model_scanner.moc"
