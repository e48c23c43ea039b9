#include <QTest>

#include "tests/engine/scheduler/simulation.h"

using namespace quire;

class TestSchedulerProperty : public QObject {
  Q_OBJECT

 private slots:
  void randomSchedules_keepEveryInvariant_data() {
    QTest::addColumn<int>("num_blocks");
    QTest::addColumn<int>("budget");
    QTest::addColumn<int>("max_sequences");
    QTest::newRow("one sequence's worth") << 3 << 8 << 4;
    QTest::newRow("tight") << 8 << 16 << 8;
    QTest::newRow("roomy") << 64 << 64 << 16;
    QTest::newRow("single sequence, single row") << 5 << 1 << 1;
  }
  void randomSchedules_keepEveryInvariant() {
    QFETCH(int, num_blocks);
    QFETCH(int, budget);
    QFETCH(int, max_sequences);
    const bool is_long = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
    const int num_operations = is_long ? 100000 : 5000;
    const auto seed = static_cast<uint32_t>(qEnvironmentVariableIsSet("QUIRE_SEED")
                                                ? qEnvironmentVariableIntValue("QUIRE_SEED")
                                                : 20261121);
    qInfo("seed %u (QUIRE_SEED repeats another), %d operations", seed, num_operations);
    Simulation simulation(seed, num_blocks,
                          {.max_batch_tokens = budget, .max_sequences = max_sequences});
    for (int i = 0; i < num_operations; ++i) {
      QVERIFY2(simulation.operate(),
               qPrintable(QString("operation %1: %2").arg(i).arg(simulation.what())));
    }
    QVERIFY2(simulation.drain(), simulation.what());
    qInfo("%d sequences finished, %d preemptions, %d copies, %d blocks restored",
          simulation.num_finished(), simulation.num_preemptions(), simulation.num_copies(),
          simulation.num_restored());
    QVERIFY(simulation.num_copies() > 0);
    QVERIFY(simulation.num_restored() > 0);
    QVERIFY(simulation.num_finished() > num_operations / 200);
    if (max_sequences > 1 && num_blocks < 10) QVERIFY(simulation.num_preemptions() > 0);
  }
};

QTEST_APPLESS_MAIN(TestSchedulerProperty)
#include "tst_scheduler_property.moc"
