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
    QTest::addColumn<int>("host_blocks");
    QTest::addColumn<int>("max_restored");
    QTest::addColumn<int>("num_slots");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("num_windows");
    QTest::addColumn<int>("window");
    QTest::newRow("one sequence's worth") << 3 << 8 << 4 << 0 << 1000 << 0 << 0 << 0 << 0;
    QTest::newRow("tight") << 8 << 16 << 8 << 0 << 1000 << 0 << 0 << 0 << 0;
    QTest::newRow("roomy") << 64 << 64 << 16 << 0 << 1000 << 0 << 0 << 0 << 0;
    QTest::newRow("single sequence, single row") << 5 << 1 << 1 << 0 << 1000 << 0 << 0 << 0 << 0;
    QTest::newRow("one sequence's worth, one in host memory")
        << 3 << 8 << 4 << 1 << 1 << 0 << 0 << 0 << 0;
    QTest::newRow("tight, little host memory") << 8 << 16 << 8 << 5 << 2 << 0 << 0 << 0 << 0;
    QTest::newRow("tight, much host memory") << 8 << 16 << 8 << 100 << 1000 << 0 << 0 << 0 << 0;
    QTest::newRow("tight, a block at a time") << 8 << 16 << 8 << 100 << 1 << 0 << 0 << 0 << 0;
    QTest::newRow("roomy, much host memory") << 64 << 64 << 16 << 300 << 3 << 0 << 0 << 0 << 0;
    QTest::newRow("single row, host memory") << 5 << 1 << 1 << 20 << 1 << 0 << 0 << 0 << 0;
    QTest::newRow("states for one sequence") << 16 << 64 << 8 << 0 << 1000 << 3 << 16 << 0 << 0;
    QTest::newRow("states, tight") << 8 << 48 << 8 << 0 << 1000 << 9 << 16 << 0 << 0;
    QTest::newRow("states, roomy") << 64 << 64 << 16 << 0 << 1000 << 60 << 0 << 0 << 0;
    QTest::newRow("states, roomy, with a stride")
        << 64 << 200 << 16 << 0 << 1000 << 90 << 64 << 0 << 0;
    QTest::newRow("states, single row") << 9 << 1 << 1 << 0 << 1000 << 4 << 32 << 0 << 0;
    QTest::newRow("states, host memory") << 8 << 16 << 8 << 100 << 2 << 20 << 32 << 0 << 0;
    // The least slots for one sequence: 2, its window, and 16 rows or more.
    QTest::newRow("windows for one sequence") << 20 << 16 << 8 << 0 << 1000 << 0 << 0 << 6 << 20;
    QTest::newRow("windows, tight") << 24 << 16 << 8 << 0 << 1000 << 0 << 0 << 9 << 20;
    QTest::newRow("windows, roomy") << 64 << 64 << 16 << 0 << 1000 << 0 << 0 << 40 << 50;
    QTest::newRow("windows of one token") << 30 << 20 << 8 << 0 << 1000 << 0 << 0 << 8 << 1;
    QTest::newRow("windows of a block") << 30 << 20 << 8 << 0 << 1000 << 0 << 0 << 8 << 16;
    QTest::newRow("windows, a slot for every block")
        << 8 << 16 << 8 << 0 << 1000 << 0 << 0 << 9 << 40;
    QTest::newRow("windows, single row") << 20 << 1 << 1 << 0 << 1000 << 0 << 0 << 6 << 33;
    QTest::newRow("windows, host memory") << 20 << 16 << 8 << 100 << 2 << 0 << 0 << 9 << 20;
    QTest::newRow("windows, little host memory") << 20 << 16 << 8 << 5 << 1 << 0 << 0 << 7 << 20;
    // Hybrids with window layers: a sequence goes on only where it finds both.
    QTest::newRow("windows and states") << 30 << 48 << 8 << 0 << 1000 << 12 << 32 << 14 << 30;
    QTest::newRow("windows and states for one sequence")
        << 20 << 16 << 8 << 0 << 1000 << 3 << 16 << 6 << 20;
    QTest::newRow("windows and states, roomy")
        << 64 << 64 << 16 << 0 << 1000 << 60 << 0 << 40 << 50;
    QTest::newRow("windows and states, more windows than states")
        << 40 << 48 << 8 << 0 << 1000 << 7 << 64 << 41 << 20;
    QTest::newRow("windows and states, more states than windows")
        << 40 << 48 << 8 << 0 << 1000 << 80 << 16 << 12 << 33;
    QTest::newRow("windows and states, single row")
        << 20 << 1 << 1 << 0 << 1000 << 5 << 32 << 6 << 33;
    QTest::newRow("windows and states, host memory")
        << 20 << 32 << 8 << 100 << 2 << 30 << 16 << 10 << 20;
    QTest::newRow("windows and states, little host memory")
        << 20 << 32 << 8 << 5 << 1 << 20 << 16 << 9 << 20;
  }
  void randomSchedules_keepEveryInvariant() {
    QFETCH(int, num_blocks);
    QFETCH(int, budget);
    QFETCH(int, max_sequences);
    QFETCH(int, host_blocks);
    QFETCH(int, max_restored);
    QFETCH(int, num_slots);
    QFETCH(int, stride);
    QFETCH(int, num_windows);
    QFETCH(int, window);
    const bool is_long = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
    const int num_operations = is_long ? 100000 : 5000;
    const auto seed = static_cast<uint32_t>(qEnvironmentVariableIsSet("QUIRE_SEED")
                                                ? qEnvironmentVariableIntValue("QUIRE_SEED")
                                                : 20261121);
    qInfo("seed %u (QUIRE_SEED repeats another), %d operations", seed, num_operations);
    Simulation simulation(seed, num_blocks,
                          {.max_batch_tokens = budget,
                           .max_sequences = max_sequences,
                           .max_logits = max_sequences + 15,
                           .max_restored_blocks = max_restored},
                          host_blocks, {num_slots, stride}, {num_windows, window});
    for (int i = 0; i < num_operations; ++i) {
      QVERIFY2(simulation.operate(),
               qPrintable(QString("operation %1: %2").arg(i).arg(simulation.what())));
    }
    QVERIFY2(simulation.drain(), simulation.what());
    qInfo(
        "%d sequences finished, %d preemptions, %d copies, %d blocks restored, %d swapped in, "
        "%d steps ahead, %lld rows",
        simulation.num_finished(), simulation.num_preemptions(), simulation.num_copies(),
        simulation.num_restored(), simulation.num_swapped(), simulation.num_run_ahead(),
        static_cast<long long>(simulation.num_rows()));
    QCOMPARE(simulation.num_swapped() > 0, host_blocks > 0);
    QCOMPARE(simulation.num_copies() > 0, num_slots == 0);  // Only tails are copied in the pool.
    QVERIFY(simulation.num_run_ahead() > 0);
    qInfo("%d steps in which low priority waited for its turn", simulation.num_turns());
    const bool run_alone = QByteArray(QTest::currentDataTag()).contains("for one sequence");
    if (max_sequences > 1 && !run_alone) QVERIFY(simulation.num_turns() > 0);
    qInfo("%d drafts, %d accepted", simulation.num_drafted(), simulation.num_accepted());
    QCOMPARE(simulation.num_accepted() > 0, budget > 1);
    QCOMPARE(simulation.num_drafted() > simulation.num_accepted(), budget > 1);
    QVERIFY(simulation.num_restored() > 0);
    QVERIFY(simulation.num_finished() > num_operations / 200);
    if (num_slots > 0) {
      qInfo("%d states restored", simulation.num_restored_states());
      QVERIFY(simulation.num_restored_states() > 0);
    }
    if (num_windows > 0) {
      qInfo("%d window parts restored, %d swapped in, %d tokens cut",
            simulation.num_restored_windows(), simulation.num_swapped_windows(),
            simulation.num_cut());
      QVERIFY(simulation.num_restored_windows() > 0);
      QCOMPARE(simulation.num_swapped_windows() > 0, host_blocks > 0);
      // A window of one token sees no block before its row.
      const bool windows_are_short = num_windows <= num_blocks && window > 1;
      QCOMPARE(simulation.num_cut() > 0, windows_are_short || num_slots > 0);
    }
    if (max_sequences > 1 && num_blocks < 10 && num_slots == 0)
      QVERIFY(simulation.num_preemptions() > 0);
  }

  /// A sequence that is admitted, does not fit after all and is preempted was admitted again in the
  /// same step, without end.
  void sequenceThatDoesNotFitAfterAll_endsNoStepLate() {
    Simulation simulation(
        2, 8,
        {.max_batch_tokens = 48, .max_sequences = 8, .max_logits = 23, .max_restored_blocks = 1000},
        0, {9, 16}, {0, 0});
    for (int i = 0; i < 5000; ++i) QVERIFY2(simulation.operate(), simulation.what());
    QVERIFY2(simulation.drain(), simulation.what());
  }
};

QTEST_APPLESS_MAIN(TestSchedulerProperty)
#include "tst_scheduler_property.moc"
