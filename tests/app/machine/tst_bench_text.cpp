#include <QDir>
#include <QSysInfo>
#include <QTest>

#include <unistd.h>

#include "app/machine/bench_text.h"

using namespace quire;

namespace {

BenchReport sample() {
  return {.version = "0.26.0",
          .machine = {.processor = "AMD EPYC 9654",
                      .num_threads = 16,
                      .memory_bytes = 137'000'000'000,
                      .system = "Debian GNU/Linux 12 (bookworm), Linux 6.1, x86_64"},
          .memory_bytes_per_second = 41.25e9,
          .device = "CPU · AVX-512 · 16 threads",
          .model = {.name = "Qwen/Qwen3-8B-GGUF",
                    .architecture = "qwen3",
                    .parameters = 8'200'000'000,
                    .type = "Q4_K_M",
                    .bytes = 5'030'000'000},
          .figures = {{.num_chats = 1,
                       .prompt_tokens = 512,
                       .answer_tokens = 64,
                       .prefill_per_second = 151.25,
                       .decode_per_second = 12.5,
                       .first_token_ms = 3385.0}}};
}

}  // namespace

/// The text that a benchmark shares, and that it says nothing of its user.
class BenchTextTest : public QObject {
  Q_OBJECT

 private slots:
  void text_namesMachineModelAndFigures() {
    const QString text = QString::fromStdString(bench_text(sample()));
    QVERIFY(text.startsWith("Quire 0.26.0 benchmark\n"));
    QVERIFY(text.contains("Qwen/Qwen3-8B-GGUF, qwen3, 8.2 B parameters, Q4_K_M, 5.0 GB\n"));
    QVERIFY(text.contains("AMD EPYC 9654, 16 threads, 137.0 GB memory, reads 41.2 GB/s\n"));
    QVERIFY2(text.contains(" 1 chat   prefill     151.2 tokens/s  decode     12.5 tokens/s"),
             qPrintable(text));
  }

  void unknownFacts_areLeftOut() {
    BenchReport report = sample();
    report.machine = {.system = "Linux 6.1, x86_64"};
    report.memory_bytes_per_second = 0.0;
    report.model.name.clear();
    const QString text = QString::fromStdString(bench_text(report));
    QVERIFY(text.contains("Model    qwen3, 8.2 B"));
    QVERIFY(!text.contains(", ,"));
    QVERIFY(!text.contains("GB/s"));
  }

  void kernelsOwnWords_areNotShared() {
    const MachineFacts facts =
        facts_of({.cpuinfo = "processor\t: 0\nmodel name\t: Intel(R) \x1b[31mCore\n",
                  .os_release = "NAME=x\nPRETTY_NAME=\"Debian 12\"\n",
                  .kernel = "Linux",
                  .release = "6.1.0-annas-laptop",
                  .architecture = "x86_64"});
    QCOMPARE(facts.system, std::string("Debian 12, Linux 6.1, x86_64"));
    QCOMPARE(facts.processor, std::string("Intel(R) [31mCore"));
  }

  /// Of the machine and the user of this test.
  void thisMachinesText_holdsNothingPrivate() {
    BenchReport report = sample();
    report.machine = machine_facts();
    QVERIFY(report.machine.num_threads > 0);
    QCOMPARE(report.machine.memory_bytes, static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                              static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
    const QString text = QString::fromStdString(bench_text(report));
    QStringList secrets = {hostName(), QDir::homePath(), qEnvironmentVariable("USER"),
                           qEnvironmentVariable("LOGNAME"), QDir::currentPath()};
    secrets.append(QString::fromLatin1(QSysInfo::machineUniqueId()));
    for (const QString& secret : secrets) {
      if (secret.size() > 3)
        QVERIFY2(!text.contains(secret, Qt::CaseInsensitive), qPrintable(secret + '\n' + text));
    }
    QVERIFY(!text.contains("/home/"));
    QVERIFY(!text.contains(".gguf"));
  }

  void sizes_fitTheTime_andTheContext() {
    const BenchFigures slow = {.prefill_per_second = 20.0, .decode_per_second = 4.0};
    QCOMPARE(bench_sizes(slow, 1, 8192).prompt_tokens, 70);
    QCOMPARE(bench_sizes(slow, 1, 8192).answer_tokens, 14);
    QCOMPARE(bench_sizes(slow, 16, 8192).prompt_tokens, 16);
    const BenchFigures fast = {.prefill_per_second = 1e6, .decode_per_second = 1e6};
    QCOMPARE(bench_sizes(fast, 16, 8192).prompt_tokens, 512);
    QCOMPARE(bench_sizes(fast, 16, 8192).answer_tokens, 128);
    const BenchSizes small = bench_sizes(fast, 1, 100);
    QVERIFY(small.prompt_tokens + small.answer_tokens <= 100);
  }

  void memory_isMeasured() { QVERIFY(memory_bytes_per_second(2) > 1e8); }

 private:
  static QString hostName() { return QSysInfo::machineHostName(); }
};

QTEST_GUILESS_MAIN(BenchTextTest)
#include "tst_bench_text.moc"
