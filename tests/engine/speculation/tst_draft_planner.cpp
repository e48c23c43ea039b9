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
  for (int i = 0; i < 50; ++i) {
    for (int rows = 1; rows <= DraftPlanner::kMaxRows; ++rows) {
      planner.note_step(rows, fixed + per_row * rows);
    }
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
    QCOMPARE(count(0.03), 0);  // Less than 8 % more.
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
    for (int i = 0; i < 20; ++i) {
      for (int rows = DraftPlanner::kMaxRows; rows > 0; --rows) {
        two.note_step(rows, rows <= 3 ? 10.0 : 1000.0);
      }
    }
    const std::vector<Candidate> equals = {{.chance = 0.8, .most = 4},
                                           {.chance = 0.8, .most = 4, .focused = true}};
    QCOMPARE(two.plan(equals, 2), (std::vector<int>{0, 1}));
    const std::vector<Candidate> chat_last = {{.chance = 0.8, .most = 4, .is_low = true},
                                              {.chance = 0.7, .most = 4}};
    QCOMPARE(two.plan(chat_last, 2), (std::vector<int>{0, 1}));
  }

  void plan_staysWithinItsRows() {
    const DraftPlanner planner = measured(100.0, 0.01);
    const std::vector<Candidate> candidates(40, Candidate{.chance = 1.0, .most = 15});
    QCOMPARE(sum(planner.plan(candidates, 40)), DraftPlanner::kMaxRows - 40);
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

  /// A step without drafts must have been measured a few times, and lately: what drafts are worth
  /// is not known otherwise.
  void plan_needsARecentMeasurementWithoutDrafts() {
    const std::vector<Candidate> candidates = {{.chance = 0.9, .most = 3}};
    DraftPlanner planner;
    for (int i = 0; i < 2; ++i) planner.note_step(1, 10.0);
    QCOMPARE(planner.plan(candidates, 1)[0], 0);
    planner.note_step(1, 10.0);
    QCOMPARE(planner.plan(candidates, 1)[0], 1);  // At most twice the rows that were measured.
    for (int i = 0; i < 64; ++i) planner.note_step(2, 10.0, 1);
    QVERIFY(planner.plan(candidates, 1)[0] > 0);
    planner.note_step(2, 10.0, 1);
    QCOMPARE(planner.plan(candidates, 1)[0], 0);
    QCOMPARE(planner.plan(candidates, 2), std::vector<int>{2});
  }

  /// Drafts that are never accepted end after some steps' worth, and come back only seldom.
  void plan_spendsNoMoreThanItsBudget() {
    DraftPlanner planner = measured(10.0, 2.0);
    const std::vector<Candidate> candidates = {{.chance = 0.9, .most = 4}};
    double lost = 0.0;
    constexpr int kSteps = 2000;
    for (int i = 0; i < kSteps; ++i) {
      const int drafts = planner.plan(candidates, 1)[0];
      lost += 2.0 * drafts / 12.0;
      planner.note_step(1 + drafts, 12.0 + 2.0 * drafts, drafts);
    }
    QVERIFY(lost > 3.0);  // Something was tried.
    QVERIFY2(lost < 0.02 * kSteps, qPrintable(QString::number(lost)));
  }

  /// What each draft's chance is may differ.
  void plan_usesTheChanceOfEachDraft() {
    const DraftPlanner planner = measured(20.0, 1.0);
    std::vector<Candidate> candidates = {{.most = 15, .chances = {0.4, 0.9}}};
    const int rising = planner.plan(candidates, 1)[0];
    candidates[0].chances = {0.4};
    QVERIFY(rising > planner.plan(candidates, 1)[0]);
  }

  /// A machine that became slower did so for all steps.
  void noteStep_scalesTheOthers() {
    DraftPlanner planner = measured(10.0, 1.0);
    for (int i = 0; i < 60; ++i) planner.note_step(1, 22.0);
    QVERIFY2(planner.expected_ms(4) > 16.0, qPrintable(QString::number(planner.expected_ms(4))));
  }

  /// A step without drafts costs no more than one with drafts does now.
  void noteStep_lowersWhatSmallerStepsCost() {
    DraftPlanner planner;
    for (int i = 0; i < 10; ++i) planner.note_step(1, 40.0);  // Another program was in the way.
    for (int i = 0; i < 40; ++i) planner.note_step(2, 12.0, 1);
    QVERIFY2(planner.expected_ms(1) < 14.0, qPrintable(QString::number(planner.expected_ms(1))));
  }

  void record_beginsAtNothing() {
    DraftRecord record;
    QCOMPARE(record.chance(20), 0.0);
    record.note(20, true);
    QCOMPARE(record.chance(20), 0.5);
    record.note(20, true);
    QVERIFY(record.chance(20) > 0.6);
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
