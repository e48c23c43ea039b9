#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/cli/cli_process.h"

using namespace quire;

namespace {

const QString kGguf = QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/");
const QString kText = QStringLiteral(QUIRE_SOURCE_DIR "/resources/models/training/held_out.txt");

}  // namespace

/// quire-cli quantize: what it says, and what it leaves behind.
class TestCliQuantize : public QObject {
  Q_OBJECT

 private:
  QString path(const QString& name) const { return m_folder.filePath(name); }
  CliResult run(const QString& model, const QString& output, const QStringList& more) const {
    return runCli(QStringList{"quantize", "--model", model, "--output", path(output)} + more);
  }

  QTemporaryDir m_folder;

 private slots:
  void gguf_isWrittenAndListed() {
    const auto result = run(kGguf + "llama.gguf", "a.gguf", {"--type", "q8_0", "--no-measure"});
    QCOMPARE(result.code, 0);
    QVERIFY2(result.out.contains("Q8_0: "), result.out);
    QVERIFY(result.out.contains("F32: ") && result.out.contains("output_norm.weight"));
    QVERIFY(result.err.contains("quantizing: 100%"));
    QCOMPARE(runCli({"inspect", "--model", path("a.gguf"), "--tensors"}).code, 0);
    const auto again = run(kGguf + "llama.gguf", "a.gguf", {"--type", "Q8_0"});
    QCOMPARE(again.code, 1);
    QVERIFY2(again.err.contains("exists and is not overwritten"), again.err);
  }

  void folderAsOutput_isNotToBeDeleted() {
    const auto result = run(kGguf + "llama.gguf", "", {"--no-measure"});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("is a folder; give the name of the file"), result.err);
    QVERIFY2(!result.err.contains("delete"), result.err);
  }

  void textThatIsMissing_isNamedBeforeAnythingIsWritten() {
    const auto result =
        run(kGguf + "llama.gguf", "m.gguf", {"--type", "Q8_0", "--measure", path("absent.txt")});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("absent.txt"), result.err);
    QVERIFY(!QFile::exists(path("m.gguf")) && !QFile::exists(path("m.gguf.part")));
  }

  void help_listsOnlyWhatHasAnEffect() {
    const auto result = runCli({"quantize", "--help"});
    QVERIFY2(result.out.contains("--threads"), result.out);
    for (const char* unused : {"--device", "--context", "--kv-dtype", "--prefix-cache"}) {
      QVERIFY2(!result.out.contains(unused), unused);
    }
  }

  void dryRun_writesNothing() {
    const auto result = run(kGguf + "llama.gguf", "none.gguf", {"--dry-run", "--json"});
    QCOMPARE(result.code, 0);
    QVERIFY(result.jsonLines().value(0).contains("types"));
    QVERIFY(!QFile::exists(path("none.gguf")) && !QFile::exists(path("none.gguf.part")));
  }

  void wrongTypes_areNamed() {
    const auto later = run(kGguf + "llama.gguf", "b.gguf", {"--type", "IQ2_XXS"});
    QCOMPARE(later.code, 1);
    QVERIFY2(later.err.contains("does not write IQ2_XXS yet"), later.err);
    const auto wrong = run(kGguf + "llama.gguf", "b.gguf", {"--type", "Q9"});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.contains("\"Q9\" is not a type of GGUF files"), wrong.err);
    const auto other = run(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/models/opt"), "b.gguf", {});
    QCOMPARE(other.code, 1);
    QVERIFY2(other.err.contains("does not write opt as a GGUF file yet"), other.err);
  }

  /// The bundled folder, with importance, beside the original.
  void bundledModel_staysCloseToItsOriginal() {
    REQUIRE_BUNDLED_MODEL();
    if (!QFile::exists(kText)) QSKIP("the held-out text is not in this checkout");
    QFile text(kText);
    QVERIFY(text.open(QIODevice::ReadOnly));
    QFile part(path("part.txt"));
    QVERIFY(part.open(QIODevice::WriteOnly));
    static const QRegularExpression kMark(QStringLiteral("<\\|[a-z]+\\|>"));
    part.write(QString::fromUtf8(text.read(8000)).replace(kMark, "\n").toUtf8());
    part.close();
    double divergence = 0.0;
    for (const QString type : {"F32", "Q8_0", "Q4_0"}) {
      const auto result = run(bundledModel(), type + ".gguf",
                              {"--type", type, "--importance", path("part.txt"), "--measure",
                               path("part.txt"), "--json"});
      QCOMPARE(result.code, 0);
      const QJsonObject json = result.jsonLines().value(0);
      QVERIFY(json["tokens"].toInt() > 1000);
      const double found = json["mean_kl_divergence"].toDouble(-1.0);
      // Weights of 16 bits may be multiplied with activations in bf16, others with f32.
      if (type == "F32") QVERIFY2(std::abs(found) < 5e-4, qPrintable(QString::number(found)));
      if (type != "F32") QVERIFY2(found > divergence, qPrintable(QString::number(found)));
      divergence = std::abs(found);
    }
    QVERIFY(divergence < 0.1);
  }
};

QTEST_GUILESS_MAIN(TestCliQuantize)
#include "tst_cli_quantize.moc"
