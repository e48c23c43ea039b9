#include <QtTest>

#include "app/hub/machine_fit.h"

using namespace quire;

/// What is said of a model's size before it is downloaded.
class MachineFitTest : public QObject {
  Q_OBJECT

 private slots:
  void fit_countsATenthAndHalfAGigabyteMore_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<int>("fit");
    const auto row = [](const char* name, qint64 bytes, MachineFit fit) {
      QTest::newRow(name) << bytes << static_cast<int>(fit);
    };
    row("GPU", 6'000'000'000, MachineFit::kGpu);
    row("not with its cache", 7'000'000'000, MachineFit::kMemory);
    row("memory", 14'000'000'000, MachineFit::kMemory);
    row("both", 20'000'000'000, MachineFit::kMemoryAndGpu);
    row("neither", 22'000'000'000, MachineFit::kTooLarge);
  }
  void fit_countsATenthAndHalfAGigabyteMore() {
    QFETCH(qint64, bytes);
    const MachineAbility machine{.gpu_bytes = 8'000'000'000, .host_bytes = 16'000'000'000};
    QTEST(static_cast<int>(machine.fit(bytes)), "fit");
  }

  void speed_isTheTypesBandwidth_orTheFastest() {
    MachineAbility machine;
    QCOMPARE(machine.tokens_per_second("Q4_K_M", 1'000'000'000), 0.0);
    machine.formats = {{.dtype = DType::kQ4_K,
                        .speeds = {{.tuning = {}, .num_rows = 1, .gigabytes_per_second = 20.0},
                                   {.tuning = {}, .num_rows = 8, .gigabytes_per_second = 90.0}}},
                       {.dtype = DType::kQ8_0,
                        .speeds = {{.tuning = {}, .num_rows = 1, .gigabytes_per_second = 30.0}}}};
    QCOMPARE(machine.tokens_per_second("Q4_K_M", 5'000'000'000), 4.0);
    QCOMPARE(machine.tokens_per_second("Q8_0", 5'000'000'000), 6.0);
    QCOMPARE(machine.tokens_per_second("IQ2_XXS", 5'000'000'000), 6.0);
    QCOMPARE(machine.tokens_per_second("Q8_0", 0), 0.0);
  }
};

QTEST_APPLESS_MAIN(MachineFitTest)
#include "tst_machine_fit.moc"
