#include <QTest>

#include <cmath>
#include <functional>
#include <random>

#include "engine/scheduler/focus_budget.h"

using namespace quire;

namespace {

/// Milliseconds of a step with one row of a chat and so many of low priority.
using Machine = std::function<double(int low_rows)>;

struct Outcome {
  double mean_excess = 0.0;  ///< Of a step's time, over one without low-priority rows.
  double longest = 0.0;
  int64_t low_rows = 0;
  int most_lone = 0;  ///< Steps in a row without such rows.
};

/// Runs steps with as many low-priority rows as are allowed, at most `most`.
Outcome run(FocusBudget& budget, const Machine& machine, int num_steps, int most = 1000) {
  Outcome outcome;
  double ms = 0.0;
  int lone = 0;
  for (int i = 0; i < num_steps; ++i) {
    const int rows = std::min(most, budget.rows_beside(1));
    budget.count_step(rows > 0);
    const double took = machine(rows);
    budget.note_step(1, rows, took);
    ms += took;
    outcome.longest = std::max(outcome.longest, took);
    outcome.low_rows += rows;
    lone = rows > 0 ? 0 : lone + 1;
    outcome.most_lone = std::max(outcome.most_lone, lone);
  }
  outcome.mean_excess = ms / num_steps / machine(0) - 1.0;
  return outcome;
}

}  // namespace

class TestFocusBudget : public QObject {
  Q_OBJECT

 private slots:
  void rowsBeside_staysWithinTheShareOfAnyMachine_data() {
    QTest::addColumn<double>("alone_ms");
    QTest::addColumn<double>("row_ms");
    QTest::addColumn<double>("first_row_ms");  ///< What any row costs, beside its own.
    QTest::addColumn<int>("least_rows");       ///< On average, in a step.
    QTest::newRow("rows are cheap: a GPU") << 8.0 << 0.02 << 0.1 << 60;
    QTest::newRow("rows cost a tenth: a CPU") << 50.0 << 5.0 << 0.0 << 1;
    QTest::newRow("the first row costs a lot, more do not") << 50.0 << 0.1 << 10.0 << 20;
    QTest::newRow("each row takes as long as the chat") << 1.0 << 1.0 << 0.0 << 0;
    QTest::newRow("each row takes five times as long") << 1.0 << 5.0 << 0.0 << 0;
  }
  void rowsBeside_staysWithinTheShareOfAnyMachine() {
    QFETCH(double, alone_ms);
    QFETCH(double, row_ms);
    QFETCH(double, first_row_ms);
    QFETCH(int, least_rows);
    std::mt19937 random(20261126);
    const Machine machine = [&](int rows) {
      const double noise = 1.0 + 0.1 * (static_cast<double>(random() % 1000) / 1000.0 - 0.5);
      return noise * (alone_ms + rows * row_ms + (rows > 0 ? first_row_ms : 0.0));
    };
    FocusBudget budget;
    const Outcome outcome = run(budget, machine, 2000);
    qInfo("%.2f more per step, %.1f rows beside a decode, the longest step %.1f times as long",
          outcome.mean_excess, static_cast<double>(outcome.low_rows) / 2000,
          outcome.longest / alone_ms);
    QVERIFY(outcome.mean_excess < 0.5);
    QVERIFY(outcome.low_rows > 2000 * least_rows);
    QVERIFY(outcome.low_rows > 0);
    QVERIFY(outcome.most_lone <= FocusBudget::kMostLone);
    // A step is longer only where a single row makes it so.
    QVERIFY(outcome.longest < 1.1 * std::max(1.7 * alone_ms, alone_ms + row_ms + first_row_ms));
  }

  void rowsBeside_followsAMachineThatBecomesSlower() {
    FocusBudget budget;
    run(
        budget, [](int rows) { return 10.0 + 0.1 * rows; }, 500);
    const Outcome slower = run(
        budget, [](int rows) { return 10.0 + 2.0 * rows; }, 500);
    QVERIFY2(slower.mean_excess < 0.5, qPrintable(QString::number(slower.mean_excess)));
    const Outcome all = run(
        budget, [](int rows) { return 30.0 + 6.0 * rows; }, 500);
    QVERIFY2(all.mean_excess < 0.5, qPrintable(QString::number(all.mean_excess)));
    QVERIFY(all.low_rows > 400);
  }

  /// Rows must not be kept out for ever because of one pause, of a sleep of the machine, say.
  void rowsBeside_forgivesALongPause() {
    FocusBudget budget;
    run(
        budget, [](int rows) { return 10.0 + 0.5 * rows; }, 200);
    budget.note_step(1, 1, 3600e3);
    const Outcome after = run(
        budget, [](int rows) { return 10.0 + 0.5 * rows; }, 100);
    QVERIFY(after.most_lone <= FocusBudget::kMostLone);
    QVERIFY(after.low_rows > 200);
  }

  /// Other programs lengthen steps of both kinds: that is no reason to keep the rows out.
  void rowsBeside_doesNotBlameRowsForStalls() {
    std::mt19937 random(7);
    const Machine calm = [](int rows) { return 10.0 + 0.1 * rows; };
    const Machine busy = [&](int rows) { return calm(rows) * (random() % 20 == 0 ? 20.0 : 1.0); };
    FocusBudget budget, disturbed;
    const int64_t rows = run(budget, calm, 2000).low_rows;
    const int64_t rows_disturbed = run(disturbed, busy, 2000).low_rows;
    qInfo("%lld rows, %lld beside other programs", static_cast<long long>(rows),
          static_cast<long long>(rows_disturbed));
    QVERIFY(rows_disturbed > rows / 2);
  }

  void rowsBeside_deniesNobodyForEverWithoutMeasurements() {
    FocusBudget budget;
    int allowed = 0;
    for (int i = 0; i < 100; ++i) {
      const int rows = budget.rows_beside(1);
      budget.count_step(rows > 0);
      allowed += rows;
    }
    QVERIFY(allowed >= 100 / (FocusBudget::kMostLone + 1));
  }

  void restart_measuresTheNextChatAnew() {
    FocusBudget budget;
    run(
        budget, [](int rows) { return 100.0 + rows; }, 500);
    budget.restart();
    QCOMPARE(budget.rows_beside(1), 0);
    const Outcome next = run(
        budget, [](int rows) { return 10.0 + rows; }, 500);
    QVERIFY2(next.mean_excess < 0.6, qPrintable(QString::number(next.mean_excess)));
  }
};

QTEST_APPLESS_MAIN(TestFocusBudget)
#include "tst_focus_budget.moc"
