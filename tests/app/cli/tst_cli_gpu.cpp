// quire-cli on a machine with GPUs, without a driver, or with a library that is none: what it says
// of devices, which it takes, and that it answers.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/cli/cli_process.h"

using namespace quire;

namespace {

QJsonArray devices() {
  const CliResult result = runCli({"inspect", "--devices", "--json"});
  return QJsonDocument::fromJson(result.out).array();
}

QStringList generate(const QString& device) {
  return {"generate",
          "--model",
          bundledModel() + "-draft",
          "--device",
          device,
          "--prompt",
          "The sea is",
          "--temperature",
          "0",
          "--max-tokens",
          "8",
          "--context",
          "256",
          "--kv-dtype",
          "f32"};
}

}  // namespace

class TestCliGpu : public QObject {
  Q_OBJECT

 private slots:
  void init() { qputenv("QUIRE_CUDA_LIBRARY", QUIRE_CUDA_HARNESS); }
  void cleanup() {
    for (const char* name : {"QUIRE_CUDA_LIBRARY", "QUIRE_SIMT_DEVICES", "QUIRE_SIMT_DRIVER",
                             "QUIRE_SIMT_MEMORY_MB", "QUIRE_CUBLAS_LIBRARY"}) {
      qunsetenv(name);
    }
  }

  void gpus_areListed() {
    qputenv("QUIRE_SIMT_DEVICES", "2");
    const QJsonArray list = devices();
    QCOMPARE(list.size(), 3);
    QCOMPARE(list[1]["name"].toString(), QString("cuda:0"));
    QCOMPARE(list[2]["name"].toString(), QString("cuda:1"));
    QVERIFY(list[2]["available"].toBool());
    QVERIFY(list[2]["description"].toString().contains("MB"));
  }

  void machinesWithoutADriver_saySo() {
    qputenv("QUIRE_SIMT_DRIVER", "none");
    const QJsonArray list = devices();
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[1]["available"].toBool(), false);
    QCOMPARE(list[1]["reason"].toString(), QString("No NVIDIA driver is installed."));
  }

  void librariesThatAreNone_areNamed() {
    QTemporaryDir folder;
    const QString path = folder.filePath("libquire_cuda.so");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no library");
    file.close();
    qputenv("QUIRE_CUDA_LIBRARY", path.toUtf8());
    const QJsonArray list = devices();
    QCOMPARE(list[1]["available"].toBool(), false);
    QVERIFY(list[1]["reason"].toString().contains(path));
    // Everything else works as ever.
    REQUIRE_BUNDLED_MODEL();
    QCOMPARE(runCli(generate("auto")).code, 0);
  }

  void answers_areThoseOfTheCpu() {
    REQUIRE_BUNDLED_MODEL();
    const CliResult gpu = runCli(generate("cuda"));
    QVERIFY2(gpu.code == 0, gpu.err.constData());
    QVERIFY(!gpu.out.trimmed().isEmpty());
    // Without one that is named the GPU is taken, too.
    QCOMPARE(runCli(generate("auto")).out, gpu.out);
    // The draft's likeliest tokens are far enough apart for bf16 products.
    QCOMPARE(runCli(generate("cpu")).out, gpu.out);
  }

  void draftThatIsNotAsked_isSaid() {
    REQUIRE_BUNDLED_MODEL();
    const QStringList draft = {"--draft", bundledModel() + "-draft"};
    const CliResult gpu = runCli(generate("cuda") + draft);
    QVERIFY2(gpu.code == 0, gpu.err.constData());
    QVERIFY2(gpu.err.contains("--draft: a GPU that computes all layers"), gpu.err.constData());
    QVERIFY(!runCli(generate("cpu") + draft).err.contains("--draft"));
  }

  /// 500 MB are the desktop's, and a step's work space takes some 190.
  void modelsThatDoNotFit_areComputedOnTheCpuAndSaySo() {
    REQUIRE_BUNDLED_MODEL();
    qputenv("QUIRE_SIMT_MEMORY_MB", "510");
    const CliResult result = runCli(generate("cuda"));
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.out, runCli(generate("cpu")).out);
    const CliResult bench =
        runCli({"bench", "--model", bundledModel() + "-draft", "--device", "cuda",
                "--prompt-tokens", "8", "--generate-tokens", "2", "--json"});
    QVERIFY2(bench.code == 0, bench.err.constData());
    QCOMPARE(bench.jsonLines().at(0)["device"].toString(), QString("cpu"));
  }

  void gpusThatAreLost_areBroughtBack() {
    REQUIRE_BUNDLED_MODEL();
    const QByteArray calm = runCli(generate("cuda")).out;
    qputenv("QUIRE_SIMT_LOSE_AT", "70");
    const CliResult lost = runCli(generate("cuda"));
    qunsetenv("QUIRE_SIMT_LOSE_AT");
    QVERIFY2(lost.code == 0, lost.err.constData());
    QCOMPARE(lost.out, calm);
  }

  void gpusThatFailWhileLoading_areLeftOutByAuto() {
    REQUIRE_BUNDLED_MODEL();
    qputenv("QUIRE_SIMT_LOSE_AT", "2");
    const CliResult result = runCli(generate("auto"));
    const CliResult named = runCli(generate("cuda:0"));
    qunsetenv("QUIRE_SIMT_LOSE_AT");
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.out, runCli(generate("cpu")).out);
    QCOMPARE(named.code, 1);
    QVERIFY2(named.err.contains("cudaErrorIllegalAddress"), named.err.constData());
  }

  void fastBatches_needNoCublas() {
    REQUIRE_BUNDLED_MODEL();
    qputenv("QUIRE_CUBLAS_LIBRARY", "/nowhere/libcublas.so");
    const CliResult fast = runCli(generate("cuda") << "--fast-batches");
    QVERIFY2(fast.code == 0, fast.err.constData());
    QVERIFY2(fast.err.contains("--fast-batches: ") && fast.err.contains("/nowhere/libcublas.so"),
             fast.err.constData());
    QCOMPARE(fast.err.count('\n'), 1);
    const CliResult invariant = runCli(generate("cuda"));
    QCOMPARE(fast.out, invariant.out);
    QCOMPARE(invariant.err, QByteArray());
  }

  void gpusThatAreNotThere_areRefusedWithTheirNumber() {
    REQUIRE_BUNDLED_MODEL();
    const CliResult refused = runCli(generate("cuda:7"));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("cuda:7"), refused.err.constData());
  }
};

QTEST_APPLESS_MAIN(TestCliGpu)
#include "tst_cli_gpu.moc"
