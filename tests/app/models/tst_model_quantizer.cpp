#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <semaphore>

#include "app/models/model_card.h"
#include "app/models/model_quantizer.h"
#include "app/models/quantize_labels.h"
#include "app/session/interface_language.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

constexpr quint64 kGigabyte = 1'000'000'000;

/// Tools that do what the test says.
struct FakeTools {
  QuantizeSurvey survey = {.types = {{"Q8_0", 8 * kGigabyte}, {"Q4_K_M", 5 * kGigabyte}},
                           .sourceBytes = 16 * kGigabyte,
                           .freeMemory = 64 * kGigabyte};
  QuantizeResult result = {.bytes = 5 * kGigabyte};
  QuantizeRequest request;
  std::binary_semaphore mayEnd{0};  ///< A run waits for it, or for being cancelled.

  QuantizeTools tools() {
    return {.survey = [this](const QString&) { return survey; },
            .run =
                [this](const QuantizeRequest& wanted,
                       const std::function<void(const QuantizeStep&)>& progress,
                       const std::atomic<bool>& cancelled) {
                  request = wanted;
                  progress({QuantizeStage::Writing, 2 * kGigabyte, 5 * kGigabyte});
                  while (!cancelled && !mayEnd.try_acquire_for(std::chrono::milliseconds(5))) {
                  }
                  if (cancelled) return QuantizeResult{.error = {ErrorCode::kCancelled, "stopped"}};
                  return result;
                }};
  }
};

}  // namespace

class ModelQuantizerTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    m_folder = std::make_unique<QTemporaryDir>();
    m_fake = std::make_unique<FakeTools>();
    m_planner = std::make_unique<LoadPlanner>(m_backend);
    m_devices = std::make_unique<ComputeDevices>(m_backend);
    const QString path = m_folder->filePath("llama-F16.gguf");
    m_card = std::make_unique<ModelCard>(path, m_backend, *m_planner, *m_devices);
    m_card->setFound({.path = path, .name = "llama-F16"});
    m_quantizer = std::make_unique<ModelQuantizer>();
    m_quantizer->setTools(m_fake->tools());
  }
  void cleanup() {
    m_quantizer.reset();
    m_card.reset();
  }

  void withoutTools_nothingOpens() {
    ModelQuantizer none;
    QVERIFY(!none.isAvailable());
    none.open(m_card.get());
    QVERIFY(!none.isOpen());
  }

  void theUsualType_isOffered_besideItsModel() {
    open();
    QCOMPARE(m_quantizer->types(), (QStringList{"Q8_0 · 8.0 GB", "Q4_K_M · 5.0 GB"}));
    QCOMPARE(m_quantizer->typeIndex(), 1);
    QVERIFY(m_quantizer->typeMeaning().contains("usual choice"));
    QCOMPARE(m_quantizer->expectedSizeText(),
             "The file will take 5.0 GB; the original takes 16.0 GB.");
    QCOMPARE(m_quantizer->folder(), m_folder->path());
    QCOMPARE(m_quantizer->fileName(), "llama-Q4_K_M.gguf");
    QVERIFY(m_quantizer->canStart() && !m_quantizer->canResume());
    QVERIFY(m_quantizer->compares());  // 21 of 64 GB.
    QCOMPARE(m_quantizer->sourceNote(), "");
  }

  void littleMemory_comparesNothing() {
    m_fake->survey.freeMemory = 40 * kGigabyte;
    open();
    QVERIFY(!m_quantizer->compares());
  }

  void theName_followsTheType_untilItIsTyped() {
    open();
    m_quantizer->setTypeIndex(0);
    QCOMPARE(m_quantizer->fileName(), "llama-Q8_0.gguf");
    m_quantizer->setFileName("mine");
    m_quantizer->setTypeIndex(1);
    QCOMPARE(m_quantizer->fileName(), "mine");
    QCOMPARE(m_quantizer->outputPath(), m_folder->filePath("mine.gguf"));
  }

  void badOutputs_areNamed_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("problem");  // Of the folder where one is given, else of the name.
    QTest::newRow("no folder") << "/none/of/these"
                               << "a.gguf"
                               << "There is no such folder.";
    QTest::newRow("relative") << "models"
                              << "a.gguf"
                              << "There is no such folder.";
    QTest::newRow("no name") << ""
                             << " "
                             << "Give the file a name.";
    QTest::newRow("slash") << ""
                           << "../a.gguf"
                           << "The name of a file cannot contain a slash.";
    QTest::newRow("exists") << ""
                            << "there"
                            << "This file exists, and it is not overwritten. Choose another name.";
  }
  void badOutputs_areNamed() {
    QFETCH(const QString, folder);
    QFETCH(const QString, name);
    QFETCH(const QString, problem);
    write("there.gguf");
    open();
    if (!folder.isEmpty()) m_quantizer->setFolder(folder);
    m_quantizer->setFileName(name);
    QCOMPARE(m_quantizer->folderProblem(), folder.isEmpty() ? QString() : problem);
    QCOMPARE(m_quantizer->nameProblem(), folder.isEmpty() ? problem : QString());
    QVERIFY(!m_quantizer->canStart());
    m_quantizer->start();
    QVERIFY(!m_quantizer->isRunning());
  }

  void aMissingText_isNamed() {
    open();
    m_quantizer->setTextPath(m_folder->filePath("none.txt"));
    QVERIFY(!m_quantizer->canStart());
    QVERIFY(!m_quantizer->textProblem().isEmpty());
    write("there.txt");
    m_quantizer->setTextPath(m_folder->filePath("there.txt"));
    QVERIFY(m_quantizer->canStart());
  }

  void aRun_showsProgress_andItsResult() {
    m_fake->result.comparison = QuantizeComparison{.perplexity = 8.3114,
                                                   .originalPerplexity = 8.2399,
                                                   .divergence = 0.01234,
                                                   .sameTop = 0.971,
                                                   .numTokens = 2048};
    open();
    QSignalSpy written(m_quantizer.get(), &ModelQuantizer::written);
    m_quantizer->start();
    QVERIFY(m_quantizer->isRunning());
    QTRY_COMPARE(m_quantizer->stageText(), "Writing the file, 2.0 GB of 5.0 GB");
    QCOMPARE(m_quantizer->progress(), 0.4);
    m_quantizer->close();
    QVERIFY(m_quantizer->isRunning() && m_quantizer->isInBackground());
    QCOMPARE(m_quantizer->summaryText(), "llama-F16 to Q4_K_M: Writing the file, 2.0 GB of 5.0 GB");
    m_fake->mayEnd.release();
    QTRY_VERIFY(m_quantizer->isFinished());
    QCOMPARE(m_fake->request.outputPath, m_folder->filePath("llama-Q4_K_M.gguf"));
    QCOMPARE(m_fake->request.type, "Q4_K_M");
    QVERIFY(m_fake->request.compares && !m_fake->request.resumes);
    QCOMPARE(written.count(), 1);
    QCOMPARE(m_quantizer->resultText(), "llama-Q4_K_M.gguf is written. Its size is 5.0 GB.");
    QVERIFY(m_quantizer->isCompared());
    QStringList values;
    for (int row = 0; row < m_quantizer->figures()->rowCount(); ++row) {
      const QModelIndex at = m_quantizer->figures()->index(row);
      values += m_quantizer->figures()->data(at, FigureList::kValue).toString();
    }
    QCOMPARE(values, (QStringList{"8.311", "8.240", "0.01234", "97%"}));
    m_quantizer->show();
    m_quantizer->close();
    QVERIFY(!m_quantizer->isFinished() && !m_quantizer->isInBackground());
  }

  void anotherModel_waitsUntilTheRunIsOver() {
    open();
    m_quantizer->start();
    ModelCard other(m_folder->filePath("other.gguf"), m_backend, *m_planner, *m_devices);
    m_quantizer->open(&other);
    QVERIFY(m_quantizer->isRunning());
    QCOMPARE(m_quantizer->modelName(), "llama-F16");
  }

  void stopping_keepsWhatIsWritten_andCanBeResumed() {
    open();
    m_quantizer->start();
    write("llama-Q4_K_M.gguf.part");
    writeJournal();
    m_quantizer->cancel();
    QTRY_VERIFY(m_quantizer->isChoosing());
    QVERIFY(m_quantizer->notice().contains("Resume"));
    QVERIFY(m_quantizer->canResume());
    m_quantizer->start();
    QTRY_COMPARE(m_quantizer->progress(), 0.4);
    QVERIFY(m_fake->request.resumes);
    QCOMPARE(m_quantizer->notice(), "");
  }

  void whatQuireInterrupted_isOfferedWithItsChoices() {
    QString kept;
    const auto keep = [&kept](const QString& started) { kept = started; };
    write("text.txt");
    m_quantizer->setMemory({}, keep);
    open();
    m_quantizer->setTypeIndex(0);
    m_quantizer->setFileName("mine.gguf");
    m_quantizer->setTextPath(m_folder->filePath("text.txt"));
    m_quantizer->setCompares(false);
    m_quantizer->start();
    write("llama-F16.gguf");
    QTRY_COMPARE(m_quantizer->progress(), 0.4);
    m_quantizer = std::make_unique<ModelQuantizer>();  // As after a kill.
    m_quantizer->setTools(m_fake->tools());
    m_quantizer->setMemory(kept, keep);
    QVERIFY(!m_quantizer->isInterrupted());  // Nothing was written.
    write("mine.gguf.part");
    write("mine.gguf.part.log", "quire-quantize 1 0123\n");
    QVERIFY(m_quantizer->isInterrupted() && m_quantizer->isInBackground());
    QVERIFY(m_quantizer->summaryText().startsWith("Quantising llama-F16 to Q8_0 was interrupted"));
    m_quantizer->show();
    QVERIFY(m_quantizer->isOpen());
    QTRY_VERIFY(m_quantizer->isChoosing());
    QCOMPARE(m_quantizer->outputPath(), m_folder->filePath("mine.gguf"));
    QCOMPARE(m_quantizer->textPath(), m_folder->filePath("text.txt"));
    QVERIFY(m_quantizer->canResume() && !m_quantizer->compares());
    QCOMPARE(m_quantizer->typeIndex(), 0);
    m_quantizer->close();
    QVERIFY(m_quantizer->isInterrupted());  // It stays until it is resumed or forgotten.
    m_quantizer->dismiss();
    QVERIFY(!m_quantizer->isInterrupted());
    QCOMPARE(kept, "");
    QVERIFY(QFile::exists(m_folder->filePath("mine.gguf.part")));
  }

  void whatEndsWhileTheSheetIsClosed_isShownByThePage() {
    write("llama-F16.gguf");
    open();
    m_quantizer->start();
    write("llama-Q4_K_M.gguf.part");
    writeJournal();
    m_quantizer->close();
    m_quantizer->cancel();
    QTRY_VERIFY(m_quantizer->isInterrupted());
    QVERIFY(m_quantizer->isInBackground());
    m_quantizer->show();
    QTRY_VERIFY(m_quantizer->canResume());
    m_fake->result = {.error = {ErrorCode::kIo, "The disk is full."}};
    m_quantizer->start();
    m_quantizer->close();
    m_fake->mayEnd.release();
    QTRY_VERIFY(m_quantizer->isFailed());
    QVERIFY(m_quantizer->isInBackground());
    QVERIFY(m_quantizer->summaryText().contains("The disk is full."));
    m_quantizer->show();
    QVERIFY(m_quantizer->isChoosing() && m_quantizer->problem().contains("The disk is full."));
    m_quantizer->close();
    QVERIFY(!m_quantizer->isFailed() && m_quantizer->isInterrupted());
  }

  void aWholeFile_isNotOfferedAgain() {
    QString kept;
    m_quantizer->setMemory({}, [&kept](const QString& started) { kept = started; });
    open();
    m_quantizer->start();
    QVERIFY(kept.contains("llama-Q4_K_M.gguf"));
    m_fake->mayEnd.release();
    QTRY_VERIFY(m_quantizer->isFinished());
    QCOMPARE(kept, "");
  }

  void aStoredRun_isCheckedBeforeItIsUsed() {
    for (const char* stored : {"", "[]", "{}", "{\"model\":\"a.gguf\",\"output\":\"b.gguf\"}",
                               "{\"model\":7,\"output\":[]}"}) {
      QVERIFY2(!startedQuantize(QString::fromUtf8(stored)), stored);
    }
  }

  void startingOver_deletesThePart_andOnlyThat() {
    for (const char* name : {"llama-Q4_K_M.gguf.part", "other.part"}) write(name);
    writeJournal();
    open();
    QVERIFY(m_quantizer->canResume());
    m_quantizer->startOver();
    QTRY_COMPARE(m_quantizer->progress(), 0.4);
    QVERIFY(!m_fake->request.resumes);
    QVERIFY(!QFile::exists(m_folder->filePath("llama-Q4_K_M.gguf.part")));
    QVERIFY(!QFile::exists(m_folder->filePath("llama-Q4_K_M.gguf.part.log")));
    QVERIFY(QFile::exists(m_folder->filePath("other.part")));
  }

  /// A browser's unfinished download, say.
  void anotherProgramsPart_isNeitherResumedNorDeleted() {
    write("llama-Q4_K_M.gguf.part");
    open();
    QVERIFY(m_quantizer->canStart() && !m_quantizer->canResume());
    m_quantizer->startOver();
    QVERIFY(!m_quantizer->isRunning());
    QVERIFY(QFile::exists(m_folder->filePath("llama-Q4_K_M.gguf.part")));
    write("llama-Q4_K_M.gguf.part.log");
    QVERIFY(!m_quantizer->canResume());
  }

  void errors_areShown() {
    m_fake->survey.error = {ErrorCode::kUnsupported, "No such luck."};
    open();
    QVERIFY(m_quantizer->problem().contains("No such luck."));
    m_fake->survey.error = {};
    m_quantizer->close();
    open();
    QCOMPARE(m_quantizer->problem(), "");
    m_fake->result = {.error = {ErrorCode::kIo, "The disk is full."}};
    m_fake->mayEnd.release();
    m_quantizer->start();
    QTRY_VERIFY(m_quantizer->isChoosing());
    QVERIFY(m_quantizer->problem().contains("The disk is full."));
    QVERIFY(m_quantizer->canStart());
  }

  void itsEnd_stopsTheRun() {
    open();
    m_quantizer->start();
    QTRY_COMPARE(m_quantizer->progress(), 0.4);
    m_quantizer.reset();  // Would wait for ever.
  }

  void fileNames_areUsable() {
    using quantize_labels::fileName;
    QCOMPARE(fileName("Qwen3-8B-BF16", "Q4_K_M"), "Qwen3-8B-Q4_K_M.gguf");
    QCOMPARE(fileName("model.fp16", "Q8_0"), "model-Q8_0.gguf");
    QCOMPARE(fileName("Phi-4-mini-Q6_K", "Q4_K_M"), "Phi-4-mini-Q4_K_M.gguf");
    QCOMPARE(fileName("org/a:b", "Q8_0"), "org-a-b-Q8_0.gguf");
  }

 private:
  void open() {
    m_quantizer->open(m_card.get());
    QVERIFY(m_quantizer->isOpen() && m_quantizer->isSurveying());
    QTRY_VERIFY(m_quantizer->isChoosing());
  }
  void write(const QString& name, const QByteArray& content = {}) const {
    QFile file(m_folder->filePath(name));
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
    file.write(content);
  }
  void writeJournal() const { write("llama-Q4_K_M.gguf.part.log", "quire-quantize 1 0123\n"); }

  const InterfaceLanguage m_language;
  FakeBackend m_backend;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeTools> m_fake;
  std::unique_ptr<LoadPlanner> m_planner;
  std::unique_ptr<ComputeDevices> m_devices;
  std::unique_ptr<ModelCard> m_card;
  std::unique_ptr<ModelQuantizer> m_quantizer;
};

QTEST_MAIN(ModelQuantizerTest)
#include "tst_model_quantizer.moc"
