#include <QTest>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

/// bench --scenario focus on the bundled model.
class TestCliFocus : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }

  void bench_measuresAFocusedChatAloneAndBesideOthers() {
    const CliResult result = runCli(kSmall + QStringList{"--json"});
    QCOMPARE(result.err, QByteArray());
    QCOMPARE(result.code, 0);
    const auto report = result.jsonLines().at(0);
    QCOMPARE(report["others"].toInt(), 5);
    for (const char* which : {"alone", "beside"}) {
      QVERIFY(report[which]["itl_ms"]["mean"].toDouble() > 0.0);
      QVERIFY(report[which]["itl_ms"]["p99"].toDouble() >=
              report[which]["itl_ms"]["p50"].toDouble());
      QVERIFY(report[which]["ttft_ms"].toDouble() > 0.0);
    }
    QVERIFY(report["itl_ratio"].toDouble() > 0.0);
    QVERIFY(report["others_tokens_per_s"].toDouble() > 0.0);
  }

  void bench_printsTheRatio() {
    const CliResult result = runCli(kSmall);
    QCOMPARE(result.code, 0);
    QVERIFY2(result.out.contains("ratio"), result.out.constData());
  }

  void bench_withoutRoom_saysWhatToDo() {
    const CliResult result = runCli({"bench", "--scenario", "focus", "--prompt-tokens", "100000"});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("--prompt-tokens"), result.err.constData());
  }

 private:
  const QStringList kSmall = {"bench", "--scenario",      "focus", "--parallel",
                              "5",     "--prompt-tokens", "24",    "--generate-tokens",
                              "12",    "--repeat",        "1",     "--threads",
                              "2"};
};

QTEST_APPLESS_MAIN(TestCliFocus)
#include "tst_cli_focus.moc"
