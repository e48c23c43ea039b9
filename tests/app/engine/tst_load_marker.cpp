#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <semaphore>

#include "app/engine/engine_service.h"
#include "app/engine/load_marker.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

constexpr int kPatienceMs = 60'000;

QString model() {
  return QString::fromStdString(bundled_model_folder());
}

}  // namespace

/// The mark of a load, and the trial before it.
class LoadMarkerTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void killedProcess_leavesItsMark() {
    const pid_t child = ::fork();
    if (child == 0) {
      LoadMarker marker(m_folder->path());
      marker.begin("/models/a.gguf");
      ::_exit(0);  // As a crash: no destructor.
    }
    ::waitpid(child, nullptr, 0);
    const auto load = LoadMarker(m_folder->path()).unfinished();
    QVERIFY(load);
    QCOMPARE(load->path, QString("/models/a.gguf"));
    QVERIFY(load->isSameBoot);
    QVERIFY(LoadMarker(m_folder->path()).unfinished());  // Asking removes nothing.
  }

  /// A load that goes on has not ended with a process.
  void ownMark_isNone() {
    LoadMarker marker(m_folder->path());
    marker.begin("/models/a.gguf");
    QVERIFY(QFile::exists(mark()));
    QVERIFY(!LoadMarker(m_folder->path()).unfinished());
    marker.end();
    QVERIFY(!QFile::exists(mark()));
  }

  void otherBoot_isSeen() {
    QFile file(mark());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"path":"/models/a.gguf","process":1,"boot":"before"})");
    file.close();
    const auto load = LoadMarker(m_folder->path()).unfinished();
    QVERIFY(load && !load->isSameBoot);
  }

  void damagedMark_isNone() {
    QFile file(mark());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[[[");
    file.close();
    QVERIFY(!LoadMarker(m_folder->path()).unfinished());
  }

  /// Opening it would wait for its other end. The next load replaces it.
  void pipeAsMark_isNone() {
    QCOMPARE(::mkfifo(qPrintable(mark()), 0600), 0);
    LoadMarker marker(m_folder->path());
    QVERIFY(!marker.unfinished());
    marker.begin("/models/a.gguf");
    QVERIFY(QFileInfo(mark()).isFile());
    marker.end();
    QVERIFY(!QFile::exists(mark()));
  }

  /// It is there while the trial, which comes before the tokenizer is read, is waited for.
  void load_isMarked_untilItEnds() {
    std::binary_semaphore goOn(0);
    EngineService service(options([&](const QString&, const std::stop_token&) {
      goOn.acquire();
      return Result<void>();
    }));
    QTRY_VERIFY(QFile::exists(mark()));
    QVERIFY(service.state() == ModelManager::State::Loading);
    goOn.release();
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Ready, kPatienceMs);
    QVERIFY(!QFile::exists(mark()));
  }

  void refusedTrial_failsTheLoad_andRemoves() {
    EngineService service(options([](const QString&, const std::stop_token&) -> Result<void> {
      return Error{ErrorCode::kCorruptFile, "It is in quarantine."};
    }));
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Failed, kPatienceMs);
    QVERIFY(service.stateText().contains("It is in quarantine."));
    QTRY_VERIFY(!QFile::exists(mark()));
  }

  /// Its path leads nowhere: planning the load would fail with another sentence.
  void refusedModel_isNotRead() {
    EngineServiceOptions refused =
        options([](const QString&, const std::stop_token&) -> Result<void> {
          return Error{ErrorCode::kCorruptFile, "It is in quarantine."};
        });
    refused.modelPath = "/no/such/model.gguf";
    EngineService service(refused);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Failed, kPatienceMs);
    QVERIFY2(service.stateText().contains("It is in quarantine."), qPrintable(service.stateText()));
  }

  void failedPlan_removes() {
    EngineServiceOptions missing = options({});
    missing.modelPath = "/no/such/model.gguf";
    EngineService service(missing);
    QTRY_COMPARE_WITH_TIMEOUT(service.state(), ModelManager::State::Failed, kPatienceMs);
    QTRY_VERIFY(!QFile::exists(mark()));
  }

  void cancel_removes() {
    EngineService service(options(hang));
    QTRY_VERIFY(QFile::exists(mark()));
    service.cancelLoad(model());
    QTRY_VERIFY(!QFile::exists(mark()));
  }

  void quit_removes() {
    QElapsedTimer time;
    {
      EngineService service(options(hang));
      QTRY_VERIFY(QFile::exists(mark()));
      time.start();
    }
    QVERIFY2(time.elapsed() < 2'000, qPrintable(QString::number(time.elapsed())));
    QVERIFY(!QFile::exists(mark()));
  }

 private:
  static Result<void> hang(const QString&, const std::stop_token& stop) {
    while (!stop.stop_requested()) QThread::msleep(5);
    return Error{ErrorCode::kCancelled, "cancelled"};
  }
  QString mark() const { return m_folder->filePath("loading"); }
  EngineServiceOptions options(TrialOfModel trial) const {
    EngineServiceOptions options;
    options.modelPath = model();
    options.backend.device = "cpu";
    options.engine.kv_bytes = 32 << 20;
    options.trial = std::move(trial);
    options.markerFolder = m_folder->path();
    return options;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(LoadMarkerTest)
#include "tst_load_marker.moc"
