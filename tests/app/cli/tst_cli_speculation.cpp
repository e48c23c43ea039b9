#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"
#include "tests/support/draft_like.h"

using quire::CliResult;
using quire::runCli;

/// bench --scenario speculation on the bundled model.
class TestCliSpeculation : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }

  void bench_measuresEachTextAndNumberOfChats() {
    const CliResult result =
        runCli(kSmall + QStringList{"--texts", "code,again,adversarial", "--json"});
    QCOMPARE(result.err, QByteArray());
    QCOMPARE(result.code, 0);
    const QJsonArray rows = result.jsonLines().at(0)["texts"].toArray();
    QCOMPARE(rows.size(), 6);
    for (const QJsonValue row : rows) {
      QVERIFY(row["tokens_per_s"].toDouble() > 0.0);
      QVERIFY(row["speculating_tokens_per_s"].toDouble() > 0.0);
      QCOMPARE(row["runs"].toArray().size(), 1);
    }
    QCOMPARE(rows.at(1)["text"].toString(), QString("code"));
    QCOMPARE(rows.at(1)["chats"].toInt(), 2);
  }

  void bench_withADraftModel_isInOwnWords() {
    const CliResult result =
        runCli(kSmall + QStringList{"--draft", quire::bundledModel() + "-draft"});
    QCOMPARE(result.err, QByteArray());
    QCOMPARE(result.code, 0);
    QVERIFY2(result.out.contains("own prose"), result.out.constData());
    QVERIFY2(result.out.contains("own talk"), result.out.constData());
  }

  /// Otherwise the model would be forced to say what its layer cannot guess.
  void bench_withAnMtpLayer_isInOwnWords() {
    const QTemporaryDir folder;
    const QString model = folder.filePath("mtp");
    quire::write_draft_with_mtp(model.toStdString());
    const CliResult result = runCli(kSmall + QStringList{"--model", model, "--texts", "talk"});
    QCOMPARE(result.err, QByteArray());
    QCOMPARE(result.code, 0);
    QVERIFY2(result.out.contains("own talk"), result.out.constData());
    QVERIFY2(!result.out.contains("prose"), result.out.constData());
  }

  void bench_refusesForcedTextsWhereAModelGuesses() {
    const QString draft = quire::bundledModel() + "-draft";
    const CliResult result =
        runCli(kSmall + QStringList{"--draft", draft, "--texts", "prose,code"});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("The text code is forced"), result.err.constData());
  }

  void bench_withoutTheSources_saysWhatIsMissing() {
    QStringList arguments = kSmall;
    arguments[arguments.indexOf("--sources") + 1] = "/nowhere";
    const CliResult result = runCli(arguments);
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("/nowhere"), result.err.constData());
    QVERIFY2(result.err.contains("--sources"), result.err.constData());
  }

 private:
  const QStringList kSmall = {"bench",
                              "--scenario",
                              "speculation",
                              "--sources",
                              QUIRE_SOURCE_DIR,
                              "--chats",
                              "1,2",
                              "--generate-tokens",
                              "12",
                              "--prompt-tokens",
                              "64",
                              "--repeat",
                              "1",
                              "--threads",
                              "2"};
};

QTEST_APPLESS_MAIN(TestCliSpeculation)
#include "tst_cli_speculation.moc"
