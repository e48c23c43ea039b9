#include <QtTest>

#include <sys/stat.h>

#include <set>
#include <utility>

#include "app/hub/download_journal.h"
#include "app/hub/hub_problem.h"
#include "app/hub/hub_replies.h"
#include "app/models/scan/model_places.h"
#include "app/models/scan/model_search.h"
#include "tests/app/hub/download_stage.h"

using namespace quire;
using Kind = HubFault::Kind;

/// A download that goes well, goes on after a stop, and meets what is there already.
class DownloadTest : public QObject, protected DownloadStage {
  Q_OBJECT

 private slots:
  void init() { begin(); }
  void cleanup() { m_hub.reset(); }

  /// What a hub keeps under the name of a model is verified first, and may be none.
  void whatIsNoModel_isKeptAside_data() {
    QTest::addColumn<QByteArray>("contents");
    QTest::addColumn<QString>("words");
    const QByteArray head = ggufHeadOf(4000);
    QTest::newRow("page") << QByteArray("<html>Sign in</html>") << "does not begin as a GGUF file";
    QTest::newRow("short") << QByteArray("GGUF") << "does not begin as a GGUF file";
    QTest::newRow("version") << QByteArray("GGUF\x09") + head.mid(5) << "version of GGUF is 9";
    QTest::newRow("big-endian") << QByteArray("GGUF\0\0\0\3", 8) + head.mid(8)
                                << "version of GGUF is 50331648";
  }
  void whatIsNoModel_isKeptAside() {
    QFETCH(QByteArray, contents);
    QFETCH(QString, words);
    m_contents = contents;
    const DownloadStatus status = run(onePlan());
    QCOMPARE(status.state, DownloadState::kFailed);
    QCOMPARE(problemOf(*status.error), HubProblem::kNotAModel);
    QVERIFY2(QString::fromStdString(status.error->message).contains(words), errorOf(status));
    QVERIFY(!QFileInfo::exists(target()));
    const QString kept = onePlan().stagingPath() + "/files/m.gguf";
    QVERIFY2(QString::fromStdString(status.error->message).contains(QFileInfo(kept).path()),
             errorOf(status));
    QCOMPARE(contentsOf(kept), contents);
    // It is not downloaded twice.
    const int numRequests = m_hub->numFileRequests();
    QCOMPARE(run(onePlan()).state, DownloadState::kFailed);
    QCOMPARE(m_hub->numFileRequests(), numRequests);
  }

  /// The inspector reads what is behind the head, in a process of its own.
  void whatTheInspectorRefuses_isKeptAside() {
    DownloadOptions options = quickOptions();
    options.inspector = QUIRE_INSPECT_PATH;
    const DownloadStatus sound = run(onePlan(), 60'000, options);
    QVERIFY2(sound.state == DownloadState::kDone, errorOf(sound));  // Of an unknown architecture.
    m_contents = ggufHeadOf(kBytes);                                // Its tensor is missing.
    const DownloadStatus cut = run(onePlan("cut"), 60'000, options);
    QCOMPARE(cut.state, DownloadState::kFailed);
    QCOMPARE(problemOf(*cut.error), HubProblem::kNotAModel);
    QVERIFY2(QString::fromStdString(cut.error->message).contains("ends after the end"),
             errorOf(cut));
  }

  /// What takes too long twice takes too long wherever it is read.
  void whatEndsTheInspector_isKeptAside_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("ends");  // So many times.
    QTest::addColumn<int>("asked");
    QTest::addColumn<QString>("words");
    const int tooLong = static_cast<int>(ErrorCode::kUnsupported);
    QTest::newRow("too long") << tooLong << 9 << 2 << ": reading it takes too long. It is kept";
    QTest::newRow("too long, once") << tooLong << 1 << 2 << QString();
    QTest::newRow("memory") << static_cast<int>(ErrorCode::kOutOfMemory) << 9 << 1
                            << ": reading it takes too much memory. It is kept";
    QTest::newRow("crash") << static_cast<int>(ErrorCode::kCorruptFile) << 9 << 1
                           << ": reading it ended in a crash. It is kept";
  }
  void whatEndsTheInspector_isKeptAside() {
    QFETCH(int, code);
    QFETCH(int, ends);
    QFETCH(int, asked);
    QFETCH(QString, words);
    const QTemporaryDir programs;
    QFile program(programs.filePath("inspector"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write(
        "#!/bin/bash\nread -r line; echo \"$line\" >> \"$0.log\"\n"
        "if [ $(wc -l < \"$0.log\") -gt " +
        QByteArray::number(ends) + " ]; then echo '{\"facts\":{}}' >&0\n" +
        "else echo '{\"ended\":{\"code\":" + QByteArray::number(code) +
        ",\"message\":\"A sentence.\"}}' >&0; fi\n");
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    program.close();
    DownloadOptions options = quickOptions();
    options.inspector = program.fileName();
    const DownloadStatus status = run(onePlan(), 60'000, options);
    const QByteArray requests = contentsOf(program.fileName() + ".log");
    QCOMPARE(requests.count('\n'), asked);
    QCOMPARE(requests.count("\"background\":false"), asked);
    QCOMPARE(status.state, words.isEmpty() ? DownloadState::kDone : DownloadState::kFailed);
    QCOMPARE(QFileInfo::exists(target()), words.isEmpty());
    if (words.isEmpty()) return;
    QCOMPARE(problemOf(*status.error), HubProblem::kNotAModel);
    QVERIFY2(QString::fromStdString(status.error->message).contains(words), errorOf(status));
  }

  void weightsOfAFolder_areLookedAt() {
    const DownloadPlan plan = planOf({{"config.json", HubBlob::of("{}", false)},
                                      {"model.safetensors", HubBlob::of("version https")}},
                                     /*isFolder=*/true);
    const DownloadStatus status = run(plan);
    QCOMPARE(status.state, DownloadState::kFailed);
    QVERIFY2(QString::fromStdString(status.error->message).contains("safetensors file"),
             errorOf(status));
    QVERIFY(!QFileInfo::exists(m_folder->path() + "/org"));
  }

  void failuresThatHoldNothing_leaveNothing() {
    m_hub->setFaults(
        [](const HubRequest&, int) -> HubFault { return {.kind = Kind::kStatus, .status = 404}; });
    QCOMPARE(run(onePlan()).state, DownloadState::kFailed);
    QCOMPARE(filesIn(m_folder->path()), QStringList());
    QVERIFY(!QFileInfo::exists(m_folder->path() + "/.incoming"));
  }

  void file_comesWholeToItsPlace() {
    const DownloadStatus status = run(onePlan());
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(status.bytes, kBytes);
    QCOMPARE(contentsOf(target()), m_contents);
    QCOMPARE(filesIn(m_folder->path()), QStringList("org/repo/m.gguf"));
    QCOMPARE(m_hub->numFileRequests(), 1);
  }

  void folder_comesAsAWholeOrNotAtAll() {
    const QByteArray weights = safetensorsOf(kBytes, 1);
    const QMap<QByteArray, HubBlob> files = {
        {"config.json", HubBlob::of("{}", false)},
        {"1_Pooling/config.json", HubBlob::of("{\"a\":1}", false)},
        {"empty.json", HubBlob::of("", false)},
        {"model-00001-of-00002.safetensors", HubBlob::of(weights)},
        {"model-00002-of-00002.safetensors", HubBlob::of(safetensorsOf(500'000, 2))}};
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
    QCOMPARE(contentsOf(target("model-00001-of-00002.safetensors")), weights);
    QCOMPARE(contentsOf(target("1_Pooling/config.json")), QByteArray("{\"a\":1}"));
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
    m_contents = ggufOf(kBytes, 9);
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    QVERIFY(!m_hub->seen().last().headers.contains("range"));
    QCOMPARE(contentsOf(target()), m_contents);
  }

  /// The run between them is killed as soon as its journal has the new hash.
  void anotherVersion_doesNotUseTheFile_afterAKill() {
    const DownloadPlan plan = onePlan();
    DownloadPlan older = plan;
    older.files[0].hash.hex = QByteArray(64, 'a');
    QVERIFY(DownloadJournal(older).open());
    QFile file(plan.stagingPath() + "/files/m.gguf");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(ggufOf(kBytes, 9)) == kBytes);
    file.close();
    QVERIFY(DownloadJournal(plan).open());
    const DownloadStatus status = run(plan);
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    QCOMPARE(m_hub->numFileRequests(), 1);
    QCOMPARE(contentsOf(target()), m_contents);
  }

  /// The part begins anew, of which a power failure may leave nothing.
  void ignoredRange_isNotedInTheJournal() {
    m_hub->setFaults([](const HubRequest& request, int) -> HubFault {
      if (!request.headers.contains("range")) return {.kind = Kind::kCut, .at = 2'000'000};
      return {.kind = Kind::kStatus, .status = 403};
    });
    const DownloadPlan plan = onePlan();
    const QString path = plan.stagingPath() + "/download.json";
    for (int i = 0; i < 2; ++i) QCOMPARE(run(plan).state, DownloadState::kFailed);
    QVERIFY2(contentsOf(path).contains("\"synced\": 2000000"), contentsOf(path).constData());
    QMutex mutex;
    int numRequests = 0;
    QByteArray journal;  // While the part is short.
    m_hub->setFaults([&](const HubRequest&, int) -> HubFault {
      const QMutexLocker lock(&mutex);
      if (++numRequests == 1) return {.kind = Kind::kCut, .at = 1000, .ignoresRange = true};
      journal = contentsOf(path);
      return {};
    });
    QCOMPARE(run(plan).state, DownloadState::kDone);
    const QMutexLocker lock(&mutex);
    QVERIFY2(journal.contains("\"synced\": 0"), journal.constData());
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
    m_contents = safetensorsOf(kBytes, 1);
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

  void journalOfAnyPlan_canBeReadAgain() {
    HubModel model{.name = "org/" + QString(96, 'r')};
    const QString part(66, QChar(0xac12));  // 198 bytes of the 200 that a name may have.
    for (int i = 0; i < kMostPlannedFiles; ++i) {
      const QString path =
          part + '/' + part + '/' + part + '/' + part.chopped(10) + QString::number(i) + ".json";
      model.files.append({path,
                          kMostFileBytes / kMostPlannedFiles,
                          {FileHash::Kind::kSha256, QByteArray(64, 'a')},
                          QUrl("https://huggingface.co/org/m/resolve/main/" + path)});
    }
    const auto plan = planDownload(model, {"x", {}, true, model.files}, m_folder->path());
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    DownloadJournal journal(*plan);
    for (const PlannedFile& file : plan->files) {
      journal.setPart(file.path, {file.hash.hex, QByteArray(299, '"'), file.bytes});
    }
    QVERIFY(journal.open());
    const auto plans = unfinishedDownloads(m_folder->path());
    QCOMPARE(plans.size(), 1);
    QCOMPARE(plans.first().files, plan->files);
  }

  /// It names all of them, so that this would write the square of their number.
  void manySmallFiles_doNotRewriteTheJournal() {
    QMap<QByteArray, HubBlob> files = {
        {"model.safetensors", HubBlob::of(safetensorsOf(10'000, 1))}};
    for (int i = 0; i < 30; ++i) {
      files["m" + QByteArray::number(i) + ".json"] = HubBlob::of("{}", false);
    }
    const DownloadPlan plan = planOf(files, /*isFolder=*/true);
    const std::string path = (plan.stagingPath() + "/download.json").toStdString();
    QMutex mutex;
    std::set<std::pair<ino_t, std::pair<time_t, long>>> journals;
    m_hub->setFaults([&](const HubRequest&, int) -> HubFault {
      struct stat info = {};
      const QMutexLocker lock(&mutex);
      if (::stat(path.c_str(), &info) == 0) {
        journals.insert({info.st_ino, {info.st_mtim.tv_sec, info.st_mtim.tv_nsec}});
      }
      return {};
    });
    const DownloadStatus status = run(plan);
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
    const QMutexLocker lock(&mutex);
    QCOMPARE(journals.size(), size_t{1});
  }

  /// Opening it would wait for its other end.
  void pipeAsJournal_isIgnored() {
    const DownloadPlan plan = onePlan();
    QVERIFY(QDir().mkpath(plan.stagingPath()));
    QCOMPARE(::mkfifo(qPrintable(plan.stagingPath() + "/download.json"), 0600), 0);
    QVERIFY(unfinishedDownloads(m_folder->path()).isEmpty());
    const DownloadStatus status = run(plan);
    QVERIFY2(status.state == DownloadState::kDone, errorOf(status));
  }

  void whatIsThere_isComparedAndNeverReplaced() {
    QCOMPARE(run(onePlan()).state, DownloadState::kDone);
    const int numRequests = m_hub->numFileRequests();
    const DownloadStatus again = run(onePlan());
    QCOMPARE(again.state, DownloadState::kDone);
    QVERIFY(again.wasThere);
    QCOMPARE(m_hub->numFileRequests(), numRequests);
    const QByteArray before = m_contents;
    m_contents = ggufOf(kBytes, 5);
    const DownloadStatus other = run(onePlan());
    QCOMPARE(other.state, DownloadState::kFailed);
    QVERIFY2(QString::fromStdString(other.error->message).contains("is there already"),
             errorOf(other));
    QCOMPARE(contentsOf(target()), before);
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

 private:
  /// What a journal says is then of another run of the machine.
  static void startMachineAgain(const DownloadPlan& plan) {
    QByteArray text = contentsOf(plan.stagingPath() + "/download.json");
    const qsizetype boot = text.indexOf("\"boot\": \"") + 9;
    text.replace(boot, text.indexOf('"', boot) - boot, "another");
    QFile file(plan.stagingPath() + "/download.json");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
  }
};

QTEST_GUILESS_MAIN(DownloadTest)
#include "tst_download.moc"
