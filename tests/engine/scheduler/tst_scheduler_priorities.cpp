#include <QTest>

#include "tests/engine/scheduler/scheduler_fixture.h"

using namespace quire;

namespace {

/// Sequences of low priority, and how the time of a step depends on them.
struct Crowd {
  Crowd(Fixture& fixture, int count, int prompt_tokens) : f(fixture) {
    for (int i = 0; i < count; ++i) {
      sequences.push_back(f.add_with(0, tokens(prompt_tokens, 1000 * (i + 1))));
    }
  }

  /// A step that takes a millisecond and `row_ms` more for each row of low priority. Returns how
  /// long it took.
  double step(double row_ms) {
    f.scheduler.note_time(last_ms);
    plan = f.step();
    last_ms = 1.0 + row_ms * rows();
    return last_ms;
  }

  int rows() const {
    int count = 0;
    for (const Sequence* sequence : sequences) count += f.rows_of(plan, sequence);
    return count;
  }

  Fixture& f;
  std::vector<Sequence*> sequences;
  StepPlan plan;
  double last_ms = 0.0;
};

}  // namespace

class TestSchedulerPriorities : public QObject {
  Q_OBJECT

 private slots:
  void schedule_prefillsByPriority() {
    Fixture f(400, {.max_batch_tokens = 16, .max_sequences = 8});
    Sequence* api = f.add_with(0, tokens(100));
    f.step();
    Sequence* chat = f.add_with(kChatPriority, tokens(100, 1000));
    Sequence* focused = f.add_with(kFocusedPriority, tokens(100, 2000));
    int rows[3] = {};
    for (int i = 0; i < 8; ++i) {
      const StepPlan plan = f.step();
      rows[0] += f.rows_of(plan, focused);
      rows[1] += f.rows_of(plan, chat);
      rows[2] += f.rows_of(plan, api);
    }
    // Every fourth step is for the others.
    QCOMPARE(rows[0], 6 * 16);
    QVERIFY(rows[1] + rows[2] == 2 * 16);
    for (int i = 0; i < 8; ++i) f.step();
    QVERIFY(chat->num_rows >= 100);
    QVERIFY(api->num_rows < 100);
  }

  void schedule_admitsByPriority() {
    Fixture f(400, {.max_batch_tokens = 64, .max_sequences = 1});
    Sequence* first = f.add_with(kFocusedPriority, tokens(10));
    f.step();
    Sequence* api = f.add_with(0, tokens(10, 1000));
    Sequence* urgent = f.add_with(5, tokens(10, 2000));
    Sequence* chat = f.add_with(kChatPriority, tokens(10, 3000));
    for (Sequence* next : {chat, urgent, api}) {
      f.scheduler.remove(first->id);
      QCOMPARE(f.rows_of(f.step(), next), 10);
      first = next;
    }
  }

  void schedule_preemptsTheLowestPriority_latestFirst() {
    Fixture f(400, {.max_batch_tokens = 64, .max_sequences = 3});
    Sequence* chat = f.add_with(kChatPriority, tokens(10));
    Sequence* early = f.add_with(0, tokens(10, 1000));
    Sequence* late = f.add_with(0, tokens(10, 2000));
    f.step();
    Sequence* other = f.add_with(kChatPriority, tokens(10, 3000));
    QCOMPARE(f.rows_of(f.step(), other), 10);
    QCOMPARE(late->num_preemptions, 1);
    Sequence* focused = f.add_with(kFocusedPriority, tokens(10, 4000));
    QCOMPARE(f.rows_of(f.step(), focused), 10);
    QCOMPARE(early->num_preemptions, 1);
    Sequence* second = f.add_with(kFocusedPriority, tokens(10, 5000));
    QCOMPARE(f.rows_of(f.step(), second), 10);
    QCOMPARE(other->num_preemptions, 1);
    QCOMPARE(chat->num_preemptions, 0);
    // Nobody makes room for his equals.
    f.add_with(kFocusedPriority, tokens(10, 6000));
    f.step();
    f.step();
    QCOMPARE(chat->num_preemptions, 1);
    QCOMPARE(f.scheduler.running().size(), size_t{3});
    Sequence* last = f.add_with(kFocusedPriority, tokens(10, 7000));
    QCOMPARE(f.rows_of(f.step(), last), 0);
    QVERIFY(f.contents_ok);
  }

  /// Where a chat and a request of low priority run out of blocks, the chat goes on.
  void schedule_growsByPreemptingLowPriority() {
    Fixture f(4, {.max_batch_tokens = 64, .max_sequences = 4});
    Sequence* api = f.add_with(0, tokens(16));
    Sequence* chat = f.add_with(kChatPriority, tokens(16, 500));
    for (int i = 0; i < 18; ++i) f.step();
    QCOMPARE(chat->num_preemptions, 0);
    QCOMPARE(api->num_preemptions, 1);
  }

  /// What others decode or prefill does not lengthen the steps that the focused chat's first token
  /// waits for.
  void schedule_computesTheFocusedPromptAlone() {
    Fixture f(8000, {.max_batch_tokens = 64, .max_sequences = 32, .max_logits = 32});
    Crowd crowd(f, 16, 40);
    for (int i = 0; i < 20; ++i) crowd.step(0.1);
    QCOMPARE(crowd.rows(), 16);
    Crowd late(f, 4, 1000);
    late.step(0.1);
    QVERIFY(late.rows() > 0);
    for (int i = 0; i < 12; ++i) {  // In all phases of the steps.
      Sequence* focused =
          f.add_with(kFocusedPriority, tokens(40 + 20 * (i % 3), 100'000 + 100 * i));
      int rows = 0;
      for (int steps = 0; steps < 2 && focused->table.num_tokens() == focused->num_prompt;
           ++steps) {
        crowd.step(0.1);
        rows += crowd.plan.num_tokens;
      }
      QCOMPARE(focused->table.num_tokens(), focused->num_prompt + 1);
      // Of what was bypassed too often a row is computed at once.
      QVERIFY(rows <= focused->num_prompt + int(late.sequences.size()));
      f.scheduler.remove(focused->id);
      for (int j = 0; j <= i % 4; ++j) crowd.step(0.1);
      QCOMPARE(crowd.rows(), 16);
    }
    QVERIFY(f.contents_ok);
  }

  /// Neither a long prompt nor many short ones keep the others from going on.
  void schedule_sharesTheStepsOfFocusedPrompts_data() {
    QTest::addColumn<int>("prompt");
    QTest::addColumn<int>("most_denied");
    QTest::newRow("long") << 40'000 << Scheduler::kShareSteps - 1;
    QTest::newRow("short") << 50 << Scheduler::kShareSteps - 1;
    // Now and then its last token alone is left, which is a decode.
    QTest::newRow("as long as a step") << 64 << FocusBudget::kMostLone;
  }
  void schedule_sharesTheStepsOfFocusedPrompts() {
    QFETCH(int, prompt);
    QFETCH(int, most_denied);
    Fixture f(8000, {.max_batch_tokens = 64, .max_sequences = 32, .max_logits = 32});
    Crowd crowd(f, 8, 40);
    for (int i = 0; i < 20; ++i) crowd.step(0.1);
    Crowd late(f, 2, 1000);
    Sequence* focused = nullptr;
    int denied = 0;
    for (int i = 0; i < 400; ++i) {
      if (focused == nullptr || focused->table.num_tokens() > focused->num_prompt) {
        if (focused != nullptr) f.scheduler.remove(focused->id);
        focused = f.add_with(kFocusedPriority, tokens(prompt, 100'000 + 100'000 * i));
      }
      crowd.step(0.1);
      denied = crowd.rows() == 0 ? denied + 1 : 0;
      QVERIFY(denied <= most_denied);
    }
    for (const Crowd* one : {&crowd, &late}) {
      for (const Sequence* sequence : one->sequences) QVERIFY(sequence->num_rows > 100);
    }
    QVERIFY(f.contents_ok);
  }

  /// The time of the focused chat's tokens is bounded, whatever rows cost.
  void schedule_leavesTimeToTheFocusedDecode_data() {
    QTest::addColumn<double>("row_ms");
    QTest::newRow("cheap rows") << 0.004;
    QTest::newRow("dear rows") << 0.1;
    QTest::newRow("rows as dear as a step") << 1.0;
  }
  void schedule_leavesTimeToTheFocusedDecode() {
    QFETCH(double, row_ms);
    Fixture f(8000, {.max_batch_tokens = 256, .max_sequences = 64, .max_logits = 64});
    Crowd crowd(f, 64, 40);
    for (int i = 0; i < 40; ++i) crowd.step(row_ms);
    QCOMPARE(crowd.rows(), 64);
    Sequence* focused = f.add_with(kFocusedPriority, tokens(20, 500));
    crowd.step(row_ms);
    QCOMPARE(focused->table.num_tokens(), 21);
    double ms = 0.0;
    constexpr int kSteps = 600;
    std::vector<int> before;
    for (const Sequence* sequence : crowd.sequences) before.push_back(int(sequence->num_rows));
    for (int i = 0; i < kSteps; ++i) {
      ms += crowd.step(row_ms);
      QCOMPARE(f.rows_of(crowd.plan, focused), 1);
    }
    qInfo("%.3f times the time alone", ms / kSteps);
    QVERIFY(ms / kSteps < 1.5);
    // All of them go on, in turns. The one that was preempted gets its place back later.
    for (size_t i = 0; i < before.size(); ++i) {
      if (crowd.sequences[i]->num_preemptions > 0) continue;
      QVERIFY(int(crowd.sequences[i]->num_rows) > before[i]);
    }
    const auto rows = [&](size_t i) { return int(crowd.sequences[i]->num_rows) - before[i]; };
    QVERIFY(std::abs(rows(0) - rows(50)) <= 2 + rows(0) / 10);
    f.scheduler.remove(focused->id);
    crowd.step(row_ms);
    crowd.step(row_ms);
    crowd.step(row_ms);
    QCOMPARE(crowd.rows(), 64);
    QVERIFY(f.contents_ok);
  }

  /// Neither do long prompts of low priority hold up the focused chat, nor are they kept from being
  /// read by decodes of their like.
  void schedule_readsLowPriorityPromptsBesideAFocusedDecode() {
    Fixture f(8000, {.max_batch_tokens = 256, .max_sequences = 64, .max_logits = 64});
    Sequence* focused = f.add_with(kFocusedPriority, tokens(20, 500));
    f.step();
    Crowd crowd(f, 20, 300);
    double ms = 0.0;
    constexpr int kSteps = 4000;
    int most = 0;
    for (int i = 0; i < kSteps; ++i) {
      ms += crowd.step(0.05);
      most = std::max(most, crowd.rows());
      QCOMPARE(f.rows_of(crowd.plan, focused), 1);
    }
    QVERIFY(ms / kSteps < 1.5);
    QVERIFY(most < 14);
    QVERIFY(crowd.sequences[10]->num_rows > 300);
    QVERIFY(f.contents_ok);
  }

  /// Other chats of the window are not limited.
  void schedule_runsEveryDecodeOfChatsBesideTheFocused() {
    Fixture f(800, {.max_batch_tokens = 64, .max_sequences = 8});
    Sequence* focused = f.add_with(kFocusedPriority, tokens(20));
    Sequence* chat = f.add_with(kChatPriority, tokens(20, 1000));
    f.step();
    for (int i = 0; i < 100; ++i) {
      f.scheduler.note_time(i % 2 == 0 ? 1.0 : 50.0);
      const StepPlan plan = f.step();
      QCOMPARE(f.rows_of(plan, focused), 1);
      QCOMPARE(f.rows_of(plan, chat), 1);
    }
  }

  /// However many wait, the focused chat need not wait for all of them when it has bypassed them a
  /// few times.
  void schedule_favoursOnlyTheOneThatHasWaitedLongest() {
    Fixture f(800, {.max_batch_tokens = 256, .max_sequences = 8});
    Crowd crowd(f, 40, 10);
    f.step();
    for (int turn = 0; turn < 12; ++turn) {
      Sequence* focused = f.add_with(kFocusedPriority, tokens(10, 100 * turn + 50000));
      for (int i = 0; i < 4 && focused->num_rows == 0; ++i) f.step();
      QVERIFY2(focused->num_rows > 0, qPrintable(QString::number(turn)));
      for (int i = 0; i < 4; ++i) f.step();
      f.scheduler.remove(focused->id);
      f.step();
    }
    int starved = 0;
    for (const Sequence* sequence : crowd.sequences) {
      QVERIFY(sequence->num_bypassed <= Scheduler::kStarvationBound);
      starved += sequence->num_bypassed == Scheduler::kStarvationBound;
    }
    QVERIFY(starved <= 3);
  }

  /// What a chat awaits is read first, even for a request of low priority.
  void schedule_readsFirstWhatAChatAwaits() {
    Fixture f(400, {.max_batch_tokens = 32, .max_sequences = 8});
    Sequence* early = f.add_with(0, tokens(200, 1000));
    f.step();
    // Together these prompts would need many steps before the shared one is read.
    Sequence* shared = f.add_with(kFocusedPriority, tokens(100));
    f.step();
    QVERIFY(shared->num_rows > 0);
    shared->priority = 0;
    auto prompt = tokens(100);
    prompt.push_back(7777);
    Sequence* focused = f.add_with(kFocusedPriority, prompt);
    int steps = 0;
    while (focused->num_rows == 0 && steps < 20) {
      f.step();
      ++steps;
    }
    QVERIFY2(steps <= 6, qPrintable(QString::number(steps)));
    QCOMPARE(focused->num_cached, 96);
    QVERIFY(early->table.num_uncomputed() > 1);
  }

  void follow_stopsWhereRowsMustBeFewer() {
    Fixture f(800, {.max_batch_tokens = 64, .max_sequences = 8});
    Crowd crowd(f, 4, 10);
    crowd.step(0.0);
    f.add_with(kFocusedPriority, tokens(10, 500));
    int followed = 0, alone = 0;
    for (int i = 0; i < 200; ++i) {
      crowd.step(0.01);
      if (crowd.rows() == 0) ++alone;
      // As a device that runs ahead would ask: before the step's tokens are known.
      f.scheduler.note_time(crowd.last_ms);
      StepPlan plan = f.scheduler.schedule();
      const auto next = f.scheduler.follow(plan);
      f.complete(plan);
      if (!next) continue;
      ++followed;
      QCOMPARE(next->rows.size(), size_t{5});
      f.complete(*next);
    }
    QVERIFY(followed > 100);
    QVERIFY(alone > 0);
    QVERIFY(f.contents_ok);
  }

  void follow_endsWhenTheFocusMoves() {
    Fixture f(800, {.max_batch_tokens = 64, .max_sequences = 8});
    Sequence* a = f.add_with(0, tokens(10));
    f.add_with(0, tokens(10, 500));
    f.step();
    StepPlan plan = f.scheduler.schedule();
    QVERIFY(f.scheduler.follow(plan).has_value());
    a->priority = kFocusedPriority;
    QVERIFY(!f.scheduler.follow(plan).has_value());
    f.complete(plan);
    QCOMPARE(f.step().rows.size(), size_t{1});
  }
};

QTEST_APPLESS_MAIN(TestSchedulerPriorities)
#include "tst_scheduler_priorities.moc"
