#include <QtTest>

#include <QCryptographicHash>
#include <QRandomGenerator>

#include "app/hub/download_queue.h"
#include "app/hub/http_fetch.h"
#include "app/models/scan/model_places.h"
#include "app/models/scan/model_search.h"
#include "tests/app/hub/test_hub.h"
#include "tests/support/small_disk.h"

using namespace quire;
using Kind = HubFault::Kind;

namespace {

std::string whyNoDisk;  ///< Why there can be no small disk.

constexpr qint64 kBytes = 3'000'000;

/// Impatient ones.
DownloadOptions quickOptions() {
  return {.timeouts = {.connectMs = 2000, .firstByteMs = 600, .silenceMs = 600},
          .retries = {.firstMs = 4, .mostMs = 20, .mostAskedMs = 5000, .giveUpMs = 2000},
          .spareBytes = 0};
}

QByteArray contentsOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Every file below a folder, hidden ones too.
QStringList filesIn(const QString& folder) {
  QStringList files;
  QDirIterator entries(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
  while (entries.hasNext()) files.append(QDir(folder).relativeFilePath(entries.next()));
  files.sort();
  return files;
}

/// Faults for the first requests; those after them are answered well.
TestHub::Faults faultsOf(const QList<HubFault>& faults) {
  return [faults](const HubRequest&, int index) { return faults.value(index); };
}

}  // namespace

/// Downloads from a hub that does everything wrong which hubs do.
class DownloadTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_hub = std::make_unique<TestHub>();
    m_folder = std::make_unique<QTemporaryDir>();
    m_contents = randomBytes(kBytes, 1);
  }
  void cleanup() { m_hub.reset(); }

  void file_comesWholeToItsPlace() {
    const DownloadStatus status = run(onePlan());
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(status.bytes, kBytes);
    QCOMPARE(contentsOf(target()), m_contents);
    QCOMPARE(filesIn(m_folder->path()), QStringList("org/repo/m.gguf"));
    QCOMPARE(m_hub->numFileRequests(), 1);
  }

  void folder_comesAsAWholeOrNotAtAll() {
    const QMap<QByteArray, HubBlob> files = {
        {"config.json", HubBlob::of("{}", false)},
        {"1_Pooling/config.json", HubBlob::of("{\"a\":1}", false)},
        {"empty.json", HubBlob::of("", false)},
        {"model-00001-of-00002.safetensors", HubBlob::of(m_contents)},
        {"model-00002-of-00002.safetensors", HubBlob::of(randomBytes(500'000, 2))}};
    DownloadPlan plan = planOf(files, /*isFolder=*/true);
    // The last file is missing: nothing is at the place.
    const QUrl good = plan.files.last().url;
    plan.files.last().url = QUrl(m_hub->address() + "/org/repo/resolve/none");
    QCOMPARE(run(plan).state, DownloadState::kFailed);
    QVERIFY(!QFileInfo::exists(m_folder->path() + "/org"));
    const int numRequests = m_hub->numFileRequests();
    plan.files.last().url = good;
    const DownloadStatus status = run(plan);
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(m_hub->numFileRequests(), numRequests + 1);  // The others were there.
    QCOMPARE(filesIn(m_folder->path()).size(), 5);
    QCOMPARE(contentsOf(target("model-00001-of-00002.safetensors")), m_contents);
    QCOMPARE(contentsOf(target("1_Pooling/config.json")), QByteArray("{\"a\":1}"));
  }

  void faults_endVerified_data() {
    QTest::addColumn<HubFault>("fault");
    const auto row = [](const char* name, const HubFault& fault) { QTest::newRow(name) << fault; };
    row("cut", {.kind = Kind::kCut, .at = 1'000'000});
    row("cut at once", {.kind = Kind::kCut, .at = 0});
    row("cut before the last byte", {.kind = Kind::kCut, .at = kBytes - 1});
    row("reset", {.kind = Kind::kReset, .at = 1'000'000});
    row("stall", {.kind = Kind::kStall, .at = 1'000'000});
    row("slow", {.kind = Kind::kSlow, .at = 60'000});
    row("corrupt", {.kind = Kind::kCorrupt, .at = 2'000'000});
    row("429", {.kind = Kind::kStatus, .status = 429, .retryAfter = 0});
    row("500", {.kind = Kind::kStatus, .status = 500});
    row("503", {.kind = Kind::kStatus, .status = 503});
    row("408", {.kind = Kind::kStatus, .status = 408});
    row("416", {.kind = Kind::kStatus, .status = 416});
    row("other file", {.kind = Kind::kOtherFile});
    row("longer", {.kind = Kind::kLonger});
    row("shorter", {.kind = Kind::kShorter});
    row("endless", {.kind = Kind::kEndless, .at = 10'000});
    row("no HTTP", {.kind = Kind::kNotHttp});
  }
  void faults_endVerified() {
    QFETCH(HubFault, fault);
    m_hub->setFaults(faultsOf({fault}));
    const DownloadStatus status = run(onePlan());
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void faults_whileGoingOnEndVerified_data() { faults_endVerified_data(); }
  void faults_whileGoingOnEndVerified() {
    QFETCH(HubFault, fault);
    if (fault.at > 0) fault.at = std::min<qint64>(fault.at, 1'400'000);
    const HubFault cut = {.kind = Kind::kCut, .at = 1'500'000};
    m_hub->setFaults(faultsOf({cut, fault}));
    const DownloadStatus status = run(onePlan());
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void faults_thatStayEndWithASentence_data() {
    QTest::addColumn<HubFault>("fault");
    QTest::addColumn<QString>("words");
    QTest::newRow("403") << HubFault{.kind = Kind::kStatus, .status = 403} << "HF_TOKEN";
    QTest::newRow("404") << HubFault{.kind = Kind::kStatus, .status = 404}
                         << "does not have m.gguf";
    QTest::newRow("429") << HubFault{.kind = Kind::kStatus, .status = 429} << "too busy";
    QTest::newRow("long wait") << HubFault{.kind = Kind::kStatus, .status = 429, .retryAfter = 7200}
                               << "too busy";
    QTest::newRow("500") << HubFault{.kind = Kind::kStatus, .status = 500} << "error 500";
    QTest::newRow("418") << HubFault{.kind = Kind::kStatus, .status = 418} << "error 418";
    QTest::newRow("416") << HubFault{.kind = Kind::kStatus, .status = 416} << "promised";
    QTest::newRow("cut") << HubFault{.kind = Kind::kCut, .at = 0} << "broke";
    QTest::newRow("corrupt") << HubFault{.kind = Kind::kCorrupt, .at = 5} << "promised";
    QTest::newRow("changed") << HubFault{.kind = Kind::kOtherFile} << "promised";
    QTest::newRow("longer") << HubFault{.kind = Kind::kLonger} << "promised";
    QTest::newRow("compressed") << HubFault{.kind = Kind::kCompressed} << "compressed";
    QTest::newRow("another host") << HubFault{.kind = Kind::kRedirect,
                                              .location = "http://example.org/x"}
                                  << "does not go";
    QTest::newRow("another scheme")
        << HubFault{.kind = Kind::kRedirect, .location = "file:///etc/passwd"} << "does not go";
    QTest::newRow("loop") << HubFault{.kind = Kind::kRedirect, .location = "?again"}
                          << "without end";
  }
  void faults_thatStayEndWithASentence() {
    QFETCH(HubFault, fault);
    QFETCH(QString, words);
    m_hub->setFaults([fault](const HubRequest&, int) { return fault; });
    const DownloadStatus status = run(onePlan());
    QCOMPARE(status.state, DownloadState::kFailed);
    QVERIFY(status.error);
    QVERIFY2(QString::fromStdString(status.error->message).contains(words), errorOf(status));
    QVERIFY(!QFileInfo::exists(target()));
  }

  void rangeIgnored_beginsAnew() {
    const HubFault cut = {.kind = Kind::kCut, .at = 1'000'000};
    m_hub->setFaults(faultsOf({cut, {.kind = Kind::kIgnoreRange}}));
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    QCOMPARE(contentsOf(target()), m_contents);
    m_folder = std::make_unique<QTemporaryDir>();
    m_hub->setFaults(faultsOf({cut, {.kind = Kind::kWrongRange}}));
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void aHubThatNeverGoesOn_isGivenUp() {
    // It cuts every answer at the same place, and knows no ranges: that is no progress.
    m_hub->setFaults([](const HubRequest&, int) -> HubFault {
      return {.kind = Kind::kCut, .at = 1'000'000, .ignoresRange = true};
    });
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(run(onePlan()).state, DownloadState::kFailed);
    QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
  }

  void cut_asksOnlyForTheRest() {
    m_hub->setFaults(faultsOf({{.kind = Kind::kCut, .at = 2'000'000}}));
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    const HubRequest last = m_hub->seen().last();
    QCOMPARE(last.headers.value("range"), QByteArray("bytes=2000000-"));
    QVERIFY(last.headers.value("if-range").startsWith('"'));
    QCOMPARE(last.headers.value("accept-encoding"), QByteArray("identity"));
  }

  void anotherStart_goesOn() {
    m_hub->setFaults([](const HubRequest&, int index) -> HubFault {
      if (index == 0) return {.kind = Kind::kCut, .at = 2'000'000};
      return {.kind = Kind::kStatus, .status = 403};
    });
    QCOMPARE(run(onePlan()).state, DownloadState::kFailed);
    const QStringList left = filesIn(m_folder->path());
    QVERIFY(left.filter("m.gguf.part").size() == 1);
    // What is not complete is no model.
    ModelSearch search({}, {});
    search.search({"", m_folder->path(), PlaceLayout::kTree});
    QVERIFY(search.found().candidates.isEmpty());
    const auto plans = unfinishedDownloads(m_folder->path());
    QCOMPARE(plans.size(), 1);
    QCOMPARE(plans.first().files, onePlan().files);
    m_hub->setFaults({});
    QCOMPARE(run(plans.first()).state, DownloadState::kDone);
    QCOMPARE(m_hub->seen().last().headers.value("range"), QByteArray("bytes=2000000-"));
    QCOMPARE(contentsOf(target()), m_contents);
    QVERIFY(unfinishedDownloads(m_folder->path()).isEmpty());
  }

  void anotherVersion_doesNotUseThePart() {
    m_hub->setFaults([](const HubRequest&, int index) -> HubFault {
      if (index == 0) return {.kind = Kind::kCut, .at = 2'000'000};
      return {.kind = Kind::kStatus, .status = 403};
    });
    QCOMPARE(run(onePlan()).state, DownloadState::kFailed);
    m_hub->setFaults({});
    m_contents = randomBytes(kBytes, 9);
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    QVERIFY(!m_hub->seen().last().headers.contains("range"));
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void afterAPowerFailure_onlySyncedBytesAreUsed() {
    m_hub->setFaults([](const HubRequest&, int index) -> HubFault {
      if (index == 0) return {.kind = Kind::kCut, .at = 2'000'000};
      return {.kind = Kind::kStatus, .status = 403};
    });
    const DownloadPlan plan = onePlan();
    QCOMPARE(run(plan).state, DownloadState::kFailed);
    startMachineAgain(plan);
    m_hub->setFaults({});
    QCOMPARE(run(plan).state, DownloadState::kDone);
    QVERIFY(!m_hub->seen().last().headers.contains("range"));  // Less than 64 MB: none was synced.
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void afterAPowerFailure_verifiedFilesAreUsed() {
    const DownloadPlan plan =
        planOf({{"config.json", HubBlob::of("{}")}, {"model.safetensors", HubBlob::of(m_contents)}},
               /*isFolder=*/true);
    m_hub->setFaults([](const HubRequest&, int index) -> HubFault {
      if (index == 0) return {};
      return {.kind = Kind::kStatus, .status = 403};
    });
    QCOMPARE(run(plan).state, DownloadState::kFailed);
    startMachineAgain(plan);
    m_hub->setFaults({});
    QCOMPARE(run(plan).state, DownloadState::kDone);
    QCOMPARE(m_hub->numFileRequests(), 1);
    QCOMPARE(contentsOf(target("model.safetensors")), m_contents);
  }

  void killedAtItsPlace_leavesNothing() {
    const DownloadPlan plan = onePlan();
    QVERIFY(QDir().mkpath(plan.stagingPath() + "/files"));
    QVERIFY(QDir().mkpath(m_folder->path() + "/org/repo"));
    QFile file(target());
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(m_contents) == kBytes);
    file.close();
    QVERIFY(run(plan).wasThere);
    QCOMPARE(filesIn(m_folder->path()), QStringList("org/repo/m.gguf"));
    QVERIFY(!QFileInfo::exists(m_folder->path() + "/.incoming"));
  }

  void damagedJournals_areNotBelieved_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("{\"version\":1");
    QTest::newRow("wrong types") << QByteArray(
        R"({"version":1,"boot":[],"files":[1,{"path":{},"hash":7,"synced":-5}]})");
    QTest::newRow("outside") << QByteArray(
        R"({"version":1,"target":"../../x","files":[{"path":"../y","bytes":1}]})");
  }
  void damagedJournals_areNotBelieved() {
    QFETCH(QByteArray, text);
    const DownloadPlan plan = onePlan();
    QVERIFY(QDir().mkpath(plan.stagingPath() + "/files"));
    for (const QString& name :
         {QString("/download.json"), QString("/files/m.gguf.part"), QString("/files/m.gguf")}) {
      QFile file(plan.stagingPath() + name);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(name.endsWith("json") ? text : QByteArray(kBytes, 'x'));
    }
    QVERIFY(unfinishedDownloads(m_folder->path()).isEmpty());
    const DownloadStatus status = run(plan);
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void whatIsThere_isComparedAndNeverReplaced() {
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    const int numRequests = m_hub->numFileRequests();
    const DownloadStatus again = run(onePlan());
    QCOMPARE(again.state, DownloadState::kDone);
    QVERIFY(again.wasThere);
    QCOMPARE(m_hub->numFileRequests(), numRequests);
    const QByteArray before = m_contents;
    m_contents = randomBytes(kBytes, 5);
    const DownloadStatus other = run(onePlan());
    QCOMPARE(other.state, DownloadState::kFailed);
    QVERIFY2(QString::fromStdString(other.error->message).contains("is there already"),
             errorOf(other));
    QCOMPARE(contentsOf(target()), before);
  }

  void pauseResumeCancel() {
    DownloadQueue queue(quickOptions());
    queue.setBytesPerSecond(1'000'000);
    const DownloadId id = queue.add(onePlan());
    QTRY_VERIFY(queue.status(id).bytes > 300'000);
    queue.pause(id);
    QTRY_COMPARE(queue.status(id).state, DownloadState::kPaused);
    const qint64 bytes = queue.status(id).bytes;
    const int numRequests = m_hub->numFileRequests();
    QTest::qWait(300);
    QCOMPARE(queue.status(id).bytes, bytes);
    QCOMPARE(m_hub->numFileRequests(), numRequests);
    queue.resume(id);
    QTRY_VERIFY(queue.status(id).bytes > bytes + 100'000);
    QCOMPARE(m_hub->seen().last().headers.value("range"),
             "bytes=" + QByteArray::number(bytes) + '-');
    QSignalSpy ended(&queue, &DownloadQueue::ended);
    queue.cancel(id);
    QTRY_COMPARE(queue.status(id).state, DownloadState::kCancelled);
    QCOMPARE(ended.size(), 1);
    QCOMPARE(filesIn(m_folder->path()), QStringList());
    queue.forget(id);
    QVERIFY(queue.ids().isEmpty());
  }

  void speedLimit_holds() {
    DownloadQueue queue(quickOptions());
    queue.setBytesPerSecond(2'000'000);
    QElapsedTimer timer;
    timer.start();
    const DownloadId id = queue.add(onePlan());
    QTRY_VERIFY_WITH_TIMEOUT(queue.status(id).hasEnded(), 20'000);
    QCOMPARE(queue.status(id).state, DownloadState::kDone);
    QVERIFY2(timer.elapsed() > 1100, qPrintable(QString::number(timer.elapsed())));
  }

  void queue_runsSoManyAtOnce() {
    DownloadQueue queue(quickOptions());
    queue.setMaxRunning(2);
    queue.setBytesPerSecond(3'000'000);
    QList<DownloadId> ids;
    for (quint32 i = 0; i < 4; ++i) {
      m_contents = randomBytes(kBytes / 2, i + 1);
      ids.append(queue.add(onePlan("repo" + QByteArray::number(i))));
    }
    int most = 0;
    const auto countRunning = [&] {
      int running = 0;
      bool haveEnded = true;
      for (const DownloadId id : ids) {
        const DownloadState state = queue.status(id).state;
        running += state == DownloadState::kRunning || state == DownloadState::kChecking;
        haveEnded = haveEnded && queue.status(id).hasEnded();
      }
      most = std::max(most, running);
      return haveEnded;
    };
    QTRY_VERIFY_WITH_TIMEOUT(countRunning(), 30'000);
    QCOMPARE(most, 2);
    for (const DownloadId id : ids) QCOMPARE(queue.status(id).state, DownloadState::kDone);
  }

  void oneDownload_isWrittenOnce() {
    DownloadQueue first(quickOptions());
    first.setBytesPerSecond(500'000);
    const DownloadId id = first.add(onePlan());
    QTRY_VERIFY(first.status(id).bytes > 0);
    const DownloadStatus second = run(onePlan());
    QCOMPARE(second.state, DownloadState::kFailed);
    QVERIFY2(QString::fromStdString(second.error->message).contains("is being downloaded"),
             errorOf(second));
    first.setBytesPerSecond(0);
    QTRY_COMPARE_WITH_TIMEOUT(first.status(id).state, DownloadState::kDone, 20'000);
    QCOMPARE(contentsOf(target()), m_contents);
  }

  void defaultFolder_isSearchedForModels() {
    const QByteArray before = qgetenv("XDG_DATA_HOME");
    qputenv("XDG_DATA_HOME", m_folder->path().toUtf8());
    const QString folder = defaultModelsFolder();
    QVERIFY(QDir().mkpath(folder));
    const auto places = knownPlaces(systemEnvironment());
    qputenv("XDG_DATA_HOME", before);
    if (before.isNull()) qunsetenv("XDG_DATA_HOME");
    QVERIFY(places.contains(ModelPlace{"Quire", folder, PlaceLayout::kTree}));
  }

  void smallDisk_isSaidBefore() {
    if (!whyNoDisk.empty()) QSKIP(whyNoDisk.c_str());
    SmallDisk disk(m_folder->path().toStdString(), 2 << 20);
    QVERIFY(disk.isMounted());
    const DownloadStatus status = run(onePlan());
    QCOMPARE(status.state, DownloadState::kFailed);
    const QString words = QString::fromStdString(status.error->message);
    QVERIFY2(words.contains("needs 3 MB more") && words.contains("has only"), qPrintable(words));
    QCOMPARE(m_hub->numFileRequests(), 0);
  }

  void fullDisk_keepsThePart() {
    if (!whyNoDisk.empty()) QSKIP(whyNoDisk.c_str());
    SmallDisk disk(m_folder->path().toStdString(), 8 << 20);
    QVERIFY(disk.isMounted());
    DownloadQueue queue(quickOptions());
    queue.setBytesPerSecond(2'000'000);
    const DownloadId id = queue.add(onePlan());
    QTRY_VERIFY(queue.status(id).bytes > 300'000);
    disk.fill();
    queue.setBytesPerSecond(0);
    QTRY_COMPARE_WITH_TIMEOUT(queue.status(id).state, DownloadState::kFailed, 10'000);
    QVERIFY2(queue.errorText(id).contains("space"), qPrintable(queue.errorText(id)));
    const qint64 kept = queue.status(id).bytes;
    QVERIFY(kept > 300'000);
    disk.empty();
    queue.resume(id);
    QTRY_COMPARE_WITH_TIMEOUT(queue.status(id).state, DownloadState::kDone, 10'000);
    QCOMPARE(contentsOf(target()), m_contents);
    const QByteArray range = m_hub->seen().last().headers.value("range");
    QVERIFY2(range.mid(6).chopped(1).toLongLong() >= 300'000, range.constData());
  }

  void twoHundredWithRandomFaults_endVerifiedOrWithASentence() {
    quint32 seed = QRandomGenerator::system()->generate();
    if (qEnvironmentVariableIsSet("QUIRE_TEST_SEED")) {
      seed = qEnvironmentVariable("QUIRE_TEST_SEED").toUInt();
    }
    qInfo("seed %u (QUIRE_TEST_SEED repeats it)", seed);
    QRandomGenerator random(seed);
    QMutex mutex;
    m_hub->setFaults([&](const HubRequest&, int) {
      const QMutexLocker lock(&mutex);
      return randomFault(random);
    });
    DownloadQueue queue(quickOptions());
    queue.setMaxRunning(8);
    QMap<DownloadId, QByteArray> expected;
    for (int i = 0; i < 200; ++i) {
      m_contents = randomBytes(20'000 + i * 1000, seed + static_cast<quint32>(i));
      expected[queue.add(onePlan("repo" + QByteArray::number(i)))] = m_contents;
    }
    const auto haveEnded = [&] {
      return std::ranges::all_of(expected.keys(),
                                 [&](DownloadId id) { return queue.status(id).hasEnded(); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(haveEnded(), 240'000);
    int numDone = 0;
    for (auto one = expected.begin(); one != expected.end(); ++one) {
      const QString path = queue.plan(one.key()).targetPath();
      const DownloadStatus status = queue.status(one.key());
      if (status.state == DownloadState::kDone) {
        QVERIFY2(contentsOf(path) == one.value(), qPrintable(path));
        ++numDone;
        continue;
      }
      QCOMPARE(status.state, DownloadState::kFailed);
      QVERIFY(queue.errorText(one.key()).size() > 20);
      QVERIFY2(!QFileInfo::exists(path), qPrintable(path));
    }
    qInfo("%d verified, %d failed with a sentence, %d requests", numDone, 200 - numDone,
          m_hub->numFileRequests());
    QVERIFY(numDone > 50 && numDone < 200);
    // Without faults the rest comes, from what there is.
    m_hub->setFaults({});
    for (const DownloadId id : expected.keys()) queue.resume(id);
    const auto allDone = [&] {
      return std::ranges::all_of(expected.keys(), [&](DownloadId id) {
        return queue.status(id).state == DownloadState::kDone;
      });
    };
    QTRY_VERIFY_WITH_TIMEOUT(allDone(), 60'000);
    QVERIFY(!QFileInfo::exists(m_folder->path() + "/.incoming"));
  }

  void tenGigabytes() {
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) QSKIP("QUIRE_LONG_TESTS is not set");
    constexpr qint64 kHuge = 10'000'000'000;
    const auto read = [](qint64 at, qint64 count) {
      QByteArray bytes(count, '\0');
      for (qint64 i = (4096 - at % 4096) % 4096; i < count; i += 4096) {
        bytes[i] = static_cast<char>((at + i) / 4096 % 251);
      }
      return bytes;
    };
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (qint64 at = 0; at < kHuge; at += 1 << 20) {
      hash.addData(read(at, std::min<qint64>(1 << 20, kHuge - at)));
    }
    const HubBlob huge{.bytes = kHuge,
                       .read = read,
                       .sha256 = hash.result().toHex(),
                       .gitSha1 = QByteArray(40, '0')};
    m_hub->setFaults([](const HubRequest&, int index) -> HubFault {
      if (index > 3) return {};
      return {.kind = Kind::kCut, .at = 1'700'000'000};
    });
    QElapsedTimer timer;
    timer.start();
    const DownloadStatus status = run(planOf({{"m.gguf", huge}}, false), 1'200'000);
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(QFileInfo(target()).size(), kHuge);
    qInfo("10 GB in %.1f s", static_cast<double>(timer.elapsed()) / 1000.0);
  }

 private:
  static const char* errorOf(const DownloadStatus& status) {
    static std::string text;
    text = status.error ? status.error->message : "no error";
    return text.c_str();
  }

  static HubFault randomFault(QRandomGenerator& random) {
    const auto kind = static_cast<Kind>(random.bounded(0, static_cast<int>(Kind::kWrongRange) + 1));
    static const QList<int> kStatuses = {403, 404, 408, 429, 429, 500, 502, 503};
    static const QByteArrayList kPlaces = {"http://example.org/x", "?again"};
    // Half of the requests are answered well, so that most of the downloads can end.
    if (random.bounded(2) == 0 || kind == Kind::kStall) return {};
    HubFault fault{.kind = kind, .at = random.bounded(1, 20'000)};
    fault.status = kStatuses[random.bounded(kStatuses.size())];
    fault.retryAfter = random.bounded(4) == 0 ? 0 : -1;
    fault.location = kPlaces[random.bounded(kPlaces.size())];
    return fault;
  }

  /// What a journal says is then of another run of the machine.
  static void startMachineAgain(const DownloadPlan& plan) {
    QByteArray text = contentsOf(plan.stagingPath() + "/download.json");
    const qsizetype boot = text.indexOf("\"boot\": \"") + 9;
    text.replace(boot, text.indexOf('"', boot) - boot, "another");
    QFile file(plan.stagingPath() + "/download.json");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
  }

  /// The plan for files of a repository, which is put on the hub.
  DownloadPlan planOf(const QMap<QByteArray, HubBlob>& files, bool isFolder,
                      const QByteArray& repository = "repo") {
    m_hub->addModel("org/" + repository, files);
    HubModel model{.name = "org/" + repository};
    for (auto file = files.begin(); file != files.end(); ++file) {
      const bool isLarge = file->isLarge;
      model.files.append({QString::fromUtf8(file.key()),
                          file->bytes,
                          {isLarge ? FileHash::Kind::kSha256 : FileHash::Kind::kGitSha1,
                           isLarge ? file->sha256 : file->gitSha1},
                          QUrl(m_hub->address() + "/org/" + repository + "/resolve/" +
                               QString(40, 'c') + '/' + QString::fromUtf8(file.key()))});
    }
    const auto plan = planDownload(model, {"x", {}, isFolder, model.files}, m_folder->path());
    if (!plan) qFatal("%s", plan.error().message.c_str());
    return *plan;
  }
  DownloadPlan onePlan(const QByteArray& repository = "repo") {
    return planOf({{"m.gguf", HubBlob::of(m_contents)}}, false, repository);
  }
  QString target(const QString& file = "m.gguf") const {
    return m_folder->path() + "/org/repo/" + file;
  }

  /// Downloads to the end.
  static DownloadStatus run(const DownloadPlan& plan, int timeoutMs = 60'000) {
    DownloadQueue queue(quickOptions());
    const DownloadId id = queue.add(plan);
    if (!QTest::qWaitFor([&] { return queue.status(id).hasEnded(); }, timeoutMs)) {
      qWarning("the download does not end: state %d", static_cast<int>(queue.status(id).state));
    }
    return queue.status(id);
  }

  std::unique_ptr<TestHub> m_hub;
  std::unique_ptr<QTemporaryDir> m_folder;
  QByteArray m_contents;
};

int main(int argc, char** argv) {
  whyNoDisk = SmallDisk::prepare();
  QCoreApplication application(argc, argv);
  DownloadTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_download.moc"
