#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "app/models/scan/model_inspector.h"
#include "app/models/scan/model_reader.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

/// Of every model; of no path at all it says what quire-inspect says.
const char* const kDies =
    "while read -r line; do case \"$line\" in *'\"path\":\"\"'*) echo '{}' >&0;; "
    "*) echo x >> \"$0.log\"; kill -SEGV $$;; esac; done";
const char* const kAnswers =
    "while read line; do echo x >> \"$0.log\"; echo "
    "'{\"facts\":{\"kind\":0,\"architecture\":\"ok\",\"parameters\":1,\"fileBytes\":1}}' >&0; done";
/// As quire-inspect answers of a process that hardly computed until the deadline.
const char* const kIsLate =
    "while read -r line; do echo \"$line\" >> \"$0.log\"; echo "
    "'{\"ended\":{\"code\":8,\"message\":\"late\",\"format\":\"Reading %1 took too long because "
    "this computer is busy, so it is not loaded. Try again when it is less busy.\",\"arguments\":"
    "[\"x\"]}}' >&0; done";
static_assert(static_cast<int>(ErrorCode::kCancelled) == 8);

}  // namespace

/// Models are read by a program of their own, and stay in quarantine if it dies of one.
class ModelInspectorTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(m_folder->path());
    m_layouts->file("a.gguf", "one");
    m_model = m_layouts->path("a.gguf");
  }

  void facts_areTheSame_asInThisProcess() {
    ModelInspector inspector({.program = QUIRE_INSPECT});
    QVERIFY(!inspector.isProgramMissing());
    for (const char* name :
         {"gguf/llama.gguf", "gguf/quant_q4_k_m.gguf", "models/qwen2", "no/such/file"}) {
      const QString path = QString(QUIRE_SOURCE_DIR "/tests/data/") + name;
      const ModelFacts facts = inspector.read(path);
      QCOMPARE(facts, readModelFacts(path));
      QVERIFY(!facts.isQuarantined);
    }
  }

  void vocabulary_isEqual_forModelsWithTheSameTokens() {
    ModelInspector inspector({.program = QUIRE_INSPECT});
    const auto vocabularyOf = [&](const char* path) {
      return inspector.read(QString(QUIRE_SOURCE_DIR "/") + path).vocabulary;
    };
    const QString mini = vocabularyOf("resources/models/quire-mini");
    QCOMPARE(mini.size(), 64);
    QCOMPARE(vocabularyOf("resources/models/quire-mini-draft"), mini);
    QVERIFY(vocabularyOf("tests/data/models/qwen2") != mini);
    QCOMPARE(vocabularyOf("no/such/file"), QString());
  }

  void childDies_modelIsQuarantined() {
    ModelInspector inspector(options(kDies));
    const ModelFacts facts = inspector.read(m_model);
    QVERIFY(facts.isQuarantined);
    QVERIFY2(facts.obstacle.message.find("a.gguf") != std::string::npos,
             facts.obstacle.message.c_str());
    QVERIFY(facts.obstacle.format != nullptr);
    const int asked = numAsked();
    QVERIFY(inspector.read(m_model).isQuarantined);
    QVERIFY(!inspector.tryOut(m_model, {}));
    QCOMPARE(numAsked(), asked);
  }

  /// Where it was not searched before: by the trial before a load alone.
  void trialThatEndsItsReader_isAnError() {
    ModelInspector inspector(options(kDies));
    const auto tried = inspector.tryOut(m_model, {});
    QVERIFY(!tried);
    QVERIFY2(tried.error().message.find("a.gguf") != std::string::npos,
             tried.error().message.c_str());
    QVERIFY(inspector.read(m_model).isQuarantined);
  }

  void programThatNeverRuns_blamesNoModel() {
    for (const char* script : {"exit 127", "kill -SEGV $$"}) {
      ModelInspector inspector(options(script));
      const ModelFacts facts = inspector.read(m_model);
      QVERIFY(!facts.isQuarantined);
      QCOMPARE(facts.obstacle.message,
               std::string("quire-inspect does not run. Install Quire again."));
      QVERIFY(facts.obstacle.format != nullptr);
      QVERIFY(!inspector.tryOut(m_model, {}));
    }
    ModelInspector repaired(options(kAnswers));
    QVERIFY(repaired.tryOut(m_model, {}));
    QCOMPARE(repaired.read(m_model).architecture, QString("ok"));
  }

  /// Nor is it blamed: a process that could not be started, or was ended by a signal, says nothing.
  void interruptedTrial_isNotPassed() {
    for (const ErrorCode code : {ErrorCode::kCancelled, ErrorCode::kIo}) {
      ModelInspector inspector(
          options("while read line; do echo x >> \"$0.log\"; echo '{\"ended\":{\"code\":" +
                  QByteArray::number(static_cast<int>(code)) +
                  ",\"message\":\"reading was interrupted\"}}' >&0; done"));
      for (const int asked : {1, 2}) {
        const auto tried = inspector.tryOut(m_model, {});
        QVERIFY(!tried);
        QCOMPARE(tried.error().code, ErrorCode::kIo);
        QVERIFY2(tried.error().message.find("a.gguf") != std::string::npos,
                 tried.error().message.c_str());
        QCOMPARE(numAsked(), asked);
      }
      QVERIFY(!inspector.read(m_model).isQuarantined);
    }
  }

  /// A busy machine is not the model's fault; but a reader that sleeps must not delay each start.
  void lateReading_isTriedOnceMore() {
    const ModelInspector::Options late = options(kIsLate);
    QVERIFY(!ModelInspector(late).read(m_model).isQuarantined);
    QCOMPARE(asked().count("\"background\":true"), 1);
    QVERIFY(ModelInspector(late).read(m_model).isQuarantined);  // As the next start.
    QCOMPARE(asked().count("\"background\":false"), 1);
    QVERIFY(ModelInspector(late).read(m_model).isQuarantined);
    QCOMPARE(numAsked(), 2);
  }

  void lateReading_isForgotten_afterOneInTime() {
    const ModelInspector::Options late = options(kIsLate);
    const auto tried = ModelInspector(late).tryOut(m_model, {});
    QVERIFY(!tried);
    QCOMPARE(tried.error().code, ErrorCode::kIo);
    QVERIFY2(tried.error().message.find("is busy") != std::string::npos,
             tried.error().message.c_str());
    QCOMPARE(ModelInspector(options(kAnswers)).read(m_model).architecture, QString("ok"));
    QVERIFY(!ModelInspector(late).read(m_model).isQuarantined);
  }

  void quarantine_survivesAKill() {
    const ModelInspector::Options dying = options(kDies);
    const pid_t child = ::fork();
    if (child == 0) {
      ModelInspector inspector(dying);
      inspector.read(m_model);
      ::_exit(0);  // As a kill: no destructor.
    }
    ::waitpid(child, nullptr, 0);
    ModelInspector::Options next = options(kAnswers);
    next.readerVersion = "another";
    ModelInspector inspector(next);
    QVERIFY(inspector.read(m_model).isQuarantined);
  }

  void changedFile_isReadAgain() {
    ModelInspector(options(kDies)).read(m_model);
    ModelInspector inspector(options(kAnswers));
    QVERIFY(inspector.read(m_model).isQuarantined);
    m_layouts->file("a.gguf", "another");
    QCOMPARE(inspector.read(m_model).architecture, QString("ok"));
  }

  void otherInode_isReadAgain() {
    ModelInspector(options(kDies)).read(m_model);
    ModelInspector inspector(options(kAnswers));
    QFile file(m_model);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QDateTime time = file.fileTime(QFileDevice::FileModificationTime);
    m_layouts->file("b.gguf", "one");
    QFile other(m_layouts->path("b.gguf"));
    QVERIFY(other.open(QIODevice::ReadWrite));
    QVERIFY(other.setFileTime(time, QFileDevice::FileModificationTime));
    other.close();
    QCOMPARE(::rename(qPrintable(other.fileName()), qPrintable(m_model)), 0);
    QCOMPARE(inspector.read(m_model).architecture, QString("ok"));
  }

  void tryAgain_readsAgain() {
    ModelInspector(options(kDies)).read(m_model);
    ModelInspector inspector(options(kAnswers));
    QVERIFY(!inspector.tryOut(m_model, {}));
    inspector.forget(m_model);
    QCOMPARE(inspector.read(m_model).architecture, QString("ok"));
    QVERIFY(inspector.tryOut(m_model, {}));
  }

  /// Only what is put in quarantine waits for the disk.
  void tryAgain_isWrittenAtTheEnd() {
    const auto written = [this] {
      QFile file(m_folder->filePath("verdicts.json"));
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    ModelInspector(options(kDies)).read(m_model);
    QVERIFY(written().contains("a.gguf"));
    {
      ModelInspector inspector(options(kAnswers));
      inspector.forget(m_model);
      QVERIFY(written().contains("a.gguf"));
    }
    QVERIFY(!written().contains("a.gguf"));
  }

  /// Opening it would wait for its other end.
  void pipeAsCache_isIgnored() {
    const QString verdicts = m_folder->filePath("verdicts.json");
    QCOMPARE(::mkfifo(qPrintable(verdicts), 0600), 0);
    ModelInspector inspector(options(kDies));
    QVERIFY(inspector.read(m_model).isQuarantined);
    QVERIFY(QFileInfo(verdicts).isFile());
    ModelInspector next(options(kAnswers));
    QVERIFY(next.read(m_model).isQuarantined);
  }

  /// It would take seconds and gigabytes to read more values than Quire writes.
  void hugeCache_isIgnored() {
    ModelInspector(options(kDies)).read(m_model);
    QVERIFY(ModelInspector(options(kAnswers)).read(m_model).isQuarantined);
    m_layouts->addValues("verdicts.json", 600'000);
    QCOMPARE(ModelInspector(options(kAnswers)).read(m_model).architecture, QString("ok"));
  }

  void missingProgram_saysSo() {
    ModelInspector inspector({.program = "/no/such/program"});
    QVERIFY(inspector.isProgramMissing());
    const QString path = QUIRE_SOURCE_DIR "/tests/data/gguf/llama.gguf";
    QCOMPARE(inspector.read(path), readModelFacts(path));
    QVERIFY(inspector.tryOut(path, {}));
  }

  void stuckChild_doesNotBlock() {
    ModelInspector::Options stuck = options("read line; kill -STOP $$");
    stuck.deadline = 300ms;
    ModelInspector inspector(stuck);
    QElapsedTimer time;
    time.start();
    QVERIFY(inspector.read(m_model).isQuarantined);
    QVERIFY(time.elapsed() < 3'000);
  }

  void stop_endsAReading_withoutQuarantine() {
    ModelInspector inspector(options("read line; sleep 1000"));
    const std::jthread stops([&] {
      std::this_thread::sleep_for(100ms);
      inspector.stop();
    });
    const ModelFacts facts = inspector.read(m_model);
    QVERIFY(!facts.isQuarantined);
    QCOMPARE(facts.obstacle.code, ErrorCode::kCancelled);
  }

  void badAnswer_isAnError() {
    for (const char* answer :
         {"nonsense", "{}", "[1]", "{\"facts\":{\"kind\":9}}", "{\"facts\":{\"parameters\":-1}}",
          "{\"ended\":{\"message\":\"\"}}"}) {
      const auto facts = ModelInspector::factsOf(m_model, answer);
      QVERIFY2(!facts, answer);
      QVERIFY(!facts.error().message.empty());
    }
  }

  void longTexts_areCut() {
    const QByteArray text(5000, 'x');
    const QByteArray answer =
        "{\"facts\":{\"kind\":0,\"parameters\":1,\"fileBytes\":1,"
        "\"architecture\":\"" +
        text + "\",\"obstacle\":{\"code\":2,\"message\":\"" + text + "\"}}}";
    const auto facts = ModelInspector::factsOf(m_model, answer.toStdString());
    QVERIFY(facts);
    QVERIFY(facts->architecture.size() < 100);
    QVERIFY(facts->obstacle.message.size() < 1000);
    const QByteArray many =
        "{\"facts\":{\"kind\":0,\"parameters\":1,\"fileBytes\":1,\"obstacle\":{\"code\":2,"
        "\"message\":\"x\",\"format\":\"%1 does not exist\",\"arguments\":[" +
        QByteArray("\"x\",").repeated(300'000) + "\"x\"]}}}";
    const auto lying = ModelInspector::factsOf(m_model, many.toStdString());
    QVERIFY(lying);
    QVERIFY(lying->obstacle.format != nullptr);
    QVERIFY(lying->obstacle.arguments.size() < 10);
  }

  void goodVerdict_isRemembered_untilTheFileChanges() {
    ModelInspector inspector(options(kAnswers));
    QVERIFY(inspector.tryOut(m_model, {}));
    QVERIFY(inspector.tryOut(m_model, {}));
    QCOMPARE(numAsked(), 1);
    m_layouts->file("a.gguf", "another");
    QVERIFY(inspector.tryOut(m_model, {}));
    QCOMPARE(numAsked(), 2);
  }

 private:
  ModelInspector::Options options(const QByteArray& script) {
    const QString path = m_folder->filePath("program" + QString::number(++m_numPrograms));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("No program.");
    file.write("#!/bin/bash\n" + script + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_log = path + ".log";
    return {.program = path,
            .verdictsPath = m_folder->filePath("verdicts.json"),
            .readerVersion = "1",
            .deadline = 5s};
  }
  QByteArray asked() const {
    QFile file(m_log);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  int numAsked() const { return static_cast<int>(asked().count('\n')); }

  int m_numPrograms = 0;
  QString m_log;
  QString m_model;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
};

QTEST_GUILESS_MAIN(ModelInspectorTest)
#include "tst_model_inspector.moc"
