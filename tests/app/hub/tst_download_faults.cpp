#include <QtTest>

#include <QCryptographicHash>
#include <QRandomGenerator>

#include "tests/app/hub/download_stage.h"

using namespace quire;
using Kind = HubFault::Kind;

/// Downloads from a hub that does everything wrong which hubs do.
class DownloadFaultsTest : public QObject, protected DownloadStage {
  Q_OBJECT

 private slots:
  void init() { begin(); }
  void cleanup() { m_hub.reset(); }

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
    QTest::newRow("403") << HubFault{.kind = Kind::kStatus, .status = 403}
                         << "the token of that account";
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
    const DownloadStatus status = run(onePlan(), 60'000, quickOptions(kGiveUpMs));
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
    QCOMPARE(run(onePlan(), 60'000, quickOptions(kGiveUpMs)).state, DownloadState::kFailed);
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
      m_contents = ggufOf(20'000 + i * 1000, seed + static_cast<quint32>(i));
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
    const QByteArray head = ggufHeadOf(kHuge);
    const auto read = [head](qint64 at, qint64 count) {
      QByteArray bytes(count, '\0');
      for (qint64 i = (4096 - at % 4096) % 4096; i < count; i += 4096) {
        bytes[i] = static_cast<char>((at + i) / 4096 % 251);
      }
      if (at < head.size())
        bytes.replace(0, std::min(head.size() - at, count), head.mid(at, count));
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
};

QTEST_GUILESS_MAIN(DownloadFaultsTest)
#include "tst_download_faults.moc"
