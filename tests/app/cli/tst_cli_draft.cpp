#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"
#include "tests/support/draft_like.h"

using quire::CliResult;
using quire::runCli;

/// Guesses of MTP layers and Medusa heads with quire-cli, on the counting model (draft_like.h).
class TestCliDraft : public QObject {
  Q_OBJECT

 private:
  QString model() const { return m_folder.filePath("model"); }
  QString heads() const { return m_folder.filePath("heads"); }
  CliResult generate(const QStringList& more) const {
    return runCli(QStringList{"generate", "--model", model(), "--prompt", "Once", "--json",
                              "--temperature", "0", "--max-tokens", "40", "--ignore-eos"} +
                  more);
  }
  static QJsonObject json(const CliResult& result) {
    return QJsonDocument::fromJson(result.out).object();
  }
  static int accepted(const CliResult& result) {
    return json(result)["usage"].toObject()["accepted_tokens"].toInt();
  }

  QTemporaryDir m_folder;

 private slots:
  void initTestCase() {
    quire::write_counting_model(model().toStdString());
    quire::write_counting_heads(heads().toStdString());
  }

  void guesses_changeNoAnswer() {
    const CliResult plain = generate({"--speculation", "off"});
    QCOMPARE(plain.code, 0);
    QCOMPARE(accepted(plain), 0);
    const QStringList always = {"--speculation", "always"};
    for (const QStringList& options : {always, always + QStringList{"--draft", heads()}}) {
      const CliResult found = generate(options);
      QVERIFY2(found.code == 0, found.err);
      QCOMPARE(json(found)["tokens"], json(plain)["tokens"]);
      QVERIFY(accepted(found) > 20);
    }
  }

  void inspect_saysWhatGuesses() {
    const CliResult result = runCli({"inspect", "--model", model()});
    QCOMPARE(result.code, 0);
    QVERIFY2(result.out.contains("1 layer for speculative decoding"), result.out);
    QVERIFY2(result.out.contains(", for --speculation"), result.out);
  }

  void headsOfAnotherModel_areRefused() {
    REQUIRE_BUNDLED_MODEL();
    const CliResult result = runCli({"generate", "--prompt", "Once", "--draft", heads()});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("are for a model with 4096 tokens and a hidden size of 64"),
             result.err);
  }

  void pickledHeads_areRefused() {
    QVERIFY(QFile::rename(heads() + "/medusa_lm_head.safetensors", heads() + "/medusa_lm_head.pt"));
    const CliResult result = generate({"--draft", heads()});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("safetensors.torch.save_file"), result.err);
  }
};

QTEST_APPLESS_MAIN(TestCliDraft)
#include "tst_cli_draft.moc"
