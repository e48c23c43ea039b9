#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/quantize_link.h"

using namespace quire;

namespace {

const QString kModel = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/llama.gguf");

std::string presets() {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/resources/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? promptsOf(file.readAll()) : std::string();
}

}  // namespace

/// The window's quantiser on real files.
class QuantizeLinkTest : public QObject {
  Q_OBJECT

 private slots:
  void prompts_areInAllLanguages() {
    const QString text = QString::fromStdString(presets());
    QVERIFY(text.contains("You are a plain teacher.") && text.contains("존댓말"));
    QVERIFY2(text.size() > 6'000, qPrintable(QString::number(text.size())));
  }

  void survey_foretellsTheSizes() {
    const QuantizeSurvey survey = makeQuantizeTools({}).survey(kModel);
    QVERIFY2(survey.error.message.empty(), survey.error.message.c_str());
    QVERIFY(survey.types.size() > 10 && survey.freeMemory > 0 && !survey.isQuantized);
    QCOMPARE(survey.sourceBytes, quint64(QFile(kModel).size()));
    const auto small = run({.modelPath = kModel, .outputPath = path("a.gguf"), .type = "Q8_0"});
    QVERIFY2(small.error.message.empty(), small.error.message.c_str());
    for (const QuantizeType& type : survey.types) {
      if (type.name == "Q8_0") QCOMPARE(small.bytes, type.bytes);
    }
    QCOMPARE(small.bytes, quint64(QFile(path("a.gguf")).size()));
    QVERIFY(makeQuantizeTools({}).survey(path("a.gguf")).isQuantized);
  }

  void survey_saysWhyNot() {
    const auto other = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/models/opt");
    const QuantizeSurvey survey = makeQuantizeTools({}).survey(other);
    QVERIFY(survey.error.message.find("does not write opt") != std::string::npos);
  }

  void aRun_isComparedWithTheOriginal() {
    QList<QuantizeStage> stages;
    const auto result = run({.modelPath = kModel,
                             .outputPath = path("b.gguf"),
                             .type = "Q8_0",
                             .textPath = QStringLiteral(QUIRE_SOURCE_DIR "/docs/replay.md"),
                             .compares = true},
                            &stages);
    QVERIFY2(result.error.message.empty(), result.error.message.c_str());
    QVERIFY2(result.comparison, result.comparisonError.message.c_str());
    QVERIFY(result.comparison->numTokens > 1000);
    QVERIFY(result.comparison->divergence > 0.0 && result.comparison->divergence < 0.1);
    QCOMPARE(stages, (QList{QuantizeStage::Opening, QuantizeStage::Importance,
                            QuantizeStage::Writing, QuantizeStage::Comparing}));
  }

  void anExistingFile_isKept() {
    QFile file(path("there.gguf"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
    file.close();
    const auto result =
        run({.modelPath = kModel, .outputPath = path("there.gguf"), .type = "Q8_0"});
    QVERIFY(result.error.message.find("not overwritten") != std::string::npos);
    QCOMPARE(file.size(), 4);
  }

  void aStoppedRun_isContinued() {
    QuantizeRequest request = {.modelPath = kModel, .outputPath = path("c.gguf"), .type = "Q4_0"};
    const QuantizeTools tools = makeQuantizeTools({});
    std::atomic<bool> cancelled = false;
    const auto stopEarly = [&](const QuantizeStep& step) {
      if (step.stage == QuantizeStage::Writing && step.done > 0) cancelled = true;
    };
    QCOMPARE(tools.run(request, stopEarly, cancelled).error.code, ErrorCode::kCancelled);
    QVERIFY(QFile::exists(path("c.gguf.part")) && !QFile::exists(path("c.gguf")));
    request.resumes = true;
    const auto resumed = run(request);
    QVERIFY2(resumed.error.message.empty(), resumed.error.message.c_str());
    QVERIFY(QFile::exists(path("c.gguf")) && !QFile::exists(path("c.gguf.part")));
  }

 private:
  QString path(const char* name) const { return m_folder.filePath(name); }

  static QuantizeResult run(const QuantizeRequest& request,
                            QList<QuantizeStage>* stages = nullptr) {
    const std::atomic<bool> never = false;
    const auto note = [&](const QuantizeStep& step) {
      if (stages != nullptr && !stages->contains(step.stage)) stages->append(step.stage);
    };
    return makeQuantizeTools(presets()).run(request, note, never);
  }

  QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(QuantizeLinkTest)
#include "tst_quantize_link.moc"
