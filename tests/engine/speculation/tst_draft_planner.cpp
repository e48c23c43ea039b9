#include <QTest>

#include <numeric>
#include <vector>

#include "engine/speculation/draft_planner.h"

using namespace quire;
using Candidate = DraftPlanner::Candidate;

namespace {

/// A planner that has measured steps of 1 to 64 rows: a fixed part and one for each row.
DraftPlanner measured(double fixed, double per_row) {
  DraftPlanner planner;
  for (int rows = 1; rows <= DraftPlanner::kMaxRows; ++rows) {
    for (int i = 0; i < 50; ++i) planner.note_step(rows, fixed + per_row * rows);
  }
  return planner;
}

int sum(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0);
}

}  // namespace

class TestDraftPlanner : public QObject {
  Q_OBJECT

 private slots:
  void plan_beforeAnythingWasMeasured_isNothing() {
    const std::vector<Candidate> candidates = {{.chance = 0.9, .most = 8}};
    QCOMPARE(DraftPlanner().plan(candidates, 1), std::vector<int>{0});
  }

  void plan_takesMoreDraftsTheLikelierTheyAre() {
    const DraftPlanner planner = measured(20.0, 1.0);
    const auto count = [&](double chance) {
      const std::vector<Candidate> candidates = {{.chance = chance, .most = 15}};
      return planner.plan(candidates, 1)[0];
    };
    QCOMPARE(count(0.0), 0);
    QCOMPARE(count(0.03), 0);  // Less than a fiftieth more.
    QVERIFY(count(0.5) > 1);
    QVERIFY(count(0.5) < count(0.9));
    QCOMPARE(count(1.0), 15);
  }

  /// Rows that cost as much as a step each leave nothing to gain.
  void plan_whereRowsCostAStepEach_isNothing() {
    const DraftPlanner planner = measured(0.0, 5.0);
    const std::vector<Candidate> candidates = {{.chance = 0.95, .most = 15}};
    QCOMPARE(planner.plan(candidates, 1), std::vector<int>{0});
  }

  /// Where four rows cost as little as two, a second draft that alone would not pay does.
  void plan_seesBeyondAnExpensiveRow() {
    DraftPlanner planner;
    for (int i = 0; i < 200; ++i) {
      planner.note_step(1, 10.0);
      planner.note_step(2, 18.0);
      planner.note_step(3, 18.0);
      planner.note_step(4, 18.0);
      planner.note_step(5, 60.0);
    }
    const std::vector<Candidate> candidates = {{.chance = 0.9, .most = 15}};
    QCOMPARE(planner.plan(candidates, 1), std::vector<int>{3});
  }

  void plan_sharesRowsByChance_andPrefersTheFocused() {
    const DraftPlanner planner = measured(20.0, 1.5);
    const std::vector<Candidate> candidates = {
        {.chance = 0.3, .most = 15}, {.chance = 0.9, .most = 15}, {.chance = 0.9, .most = 1}};
    const std::vector<int> counts = planner.plan(candidates, 3);
    QVERIFY(counts[1] > counts[0]);
    QCOMPARE(counts[2], 1);
    DraftPlanner two;  // Three rows and no more.
    for (int rows = 1; rows <= DraftPlanner::kMaxRows; ++rows) {
      for (int i = 0; i < 200; ++i) two.note_step(rows, rows <= 3 ? 10.0 : 1000.0);
    }
    const std::vector<Candidate> equals = {{.chance = 0.8, .most = 4},
                                           {.chance = 0.8, .most = 4, .focused = true}};
    QCOMPARE(two.plan(equals, 2), (std::vector<int>{0, 1}));
  }

  void plan_staysWithinItsRows() {
    const DraftPlanner planner = measured(100.0, 0.01);
    const std::vector<Candidate> candidates(60, Candidate{.chance = 1.0, .most = 15});
    QCOMPARE(sum(planner.plan(candidates, 60)), DraftPlanner::kMaxRows - 60);
  }

  void noteStep_forgetsWhatWasSlowOnce() {
    DraftPlanner planner;
    planner.note_step(1, 10.0);
    planner.note_step(4, 100.0);  // Another program was in the way.
    const std::vector<Candidate> candidates = {{.chance = 0.9, .most = 3}};
    QCOMPARE(planner.plan(candidates, 1)[0], 0);
    for (int i = 0; i < 400; ++i) planner.note_step(1, 10.0);
    QCOMPARE(planner.plan(candidates, 1)[0], 3);
  }

  void record_learnsByLengthOfTheMatch() {
    DraftRecord record;
    for (int i = 0; i < 100; ++i) {
      record.note(2, false);
      record.note(20, true);
    }
    QVERIFY(record.chance(2) < 0.01);
    QVERIFY(record.chance(20) > 0.99);
    QVERIFY(record.chance(4) == DraftRecord().chance(4));
  }
};

QTEST_APPLESS_MAIN(TestDraftPlanner)
#include "tst_draft_planner.moc"
