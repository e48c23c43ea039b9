#include <QTest>

#include "tests/engine/scheduler/scheduler_fixture.h"

using namespace quire;

class TestScheduler : public QObject {
  Q_OBJECT

 private slots:
  void schedule_chunksALongPrompt() {
    Fixture f(16, {.max_batch_tokens = 32, .max_sequences = 4});
    Sequence* a = f.add(tokens(75));
    QCOMPARE(f.rows_of(f.step(), a), 32);
    QCOMPARE(f.rows_of(f.step(), a), 32);
    const StepPlan last = f.step();
    QCOMPARE(f.rows_of(last, a), 11);
    QVERIFY(last.rows[0].samples);
    QCOMPARE(f.rows_of(f.step(), a), 1);
  }

  void schedule_runsDecodesBesideAPrefill() {
    Fixture f(32, {.max_batch_tokens = 32, .max_sequences = 4});
    Sequence* a = f.add(tokens(5));
    f.step();
    Sequence* b = f.add(tokens(100, 200));
    for (int i = 0; i < 3; ++i) {
      const StepPlan plan = f.step();
      QCOMPARE(f.rows_of(plan, a), 1);
      QCOMPARE(f.rows_of(plan, b), 31);
      QVERIFY(plan.num_tokens <= 32);
    }
  }

  void schedule_takesTheFocusedFirst() {
    Fixture f(64, {.max_batch_tokens = 16, .max_sequences = 4});
    Sequence* a = f.add(tokens(60));
    f.step();
    Sequence* b = f.add(tokens(60, 300), /*focused=*/true);
    // The running prefill fills the budget; once b is admitted it comes first.
    f.scheduler.find(a->id)->priority = 0;
    int rows = 0;
    for (int i = 0; i < 4; ++i) rows += f.rows_of(f.step(), b);
    QVERIFY(rows >= 3 * 15);
  }

  void schedule_givesTheOthersAShare() {
    Fixture f(256, {.max_batch_tokens = 16, .max_sequences = 4});
    Sequence* other = f.add(tokens(400));
    f.step();
    f.add(tokens(1000, 1000), /*focused=*/true);
    int focused_rows = 0, other_rows = 0;
    for (int i = 0; i < 40; ++i) {
      const StepPlan plan = f.step();
      other_rows += f.rows_of(plan, other);
      focused_rows += plan.num_tokens - f.rows_of(plan, other);
    }
    QVERIFY2(other_rows >= 40 * 16 / Scheduler::kShareSteps,
             qPrintable(QString::number(other_rows)));
    QVERIFY(focused_rows > other_rows);
  }

  void schedule_letsNobodyWaitForEver() {
    // Room for one sequence, and a focused newcomer in every step.
    Fixture f(8, {.max_batch_tokens = 16, .max_sequences = 1});
    Sequence* patient = f.add(tokens(10));
    for (int i = 0; i < 8; ++i) {
      Sequence* newcomer = f.add(tokens(10, 100 * (i + 1)), /*focused=*/true);
      f.step();
      if (patient->num_rows > 0) break;
      f.scheduler.remove(newcomer->id);
    }
    QVERIFY(patient->num_rows > 0);
    QVERIFY(patient->num_bypassed <= Scheduler::kStarvationBound);
  }

  void schedule_makesRoomForTheFocused() {
    Fixture f(8, {.max_batch_tokens = 64, .max_sequences = 4});
    Sequence* a = f.add(tokens(48));
    Sequence* b = f.add(tokens(30, 500));
    f.step();
    Sequence* focused = f.add(tokens(40, 900), /*focused=*/true);
    const StepPlan plan = f.step();
    QCOMPARE(f.rows_of(plan, focused), 40);
    QCOMPARE(b->num_preemptions, 1);
    QCOMPARE(a->num_preemptions, 0);  // b's two blocks were enough.
    // Someone who is not looked at waits instead.
    Sequence* other = f.add(tokens(40, 2000));
    QCOMPARE(f.rows_of(f.step(), other), 0);
    f.scheduler.remove(focused->id);
    for (int i = 0; i < 3; ++i) f.step();
    QVERIFY(b->num_rows > 30);
    QVERIFY(f.contents_ok);
  }

  void schedule_preemptsNobodyInVain() {
    Fixture f(20, {.max_batch_tokens = 512, .max_sequences = 4});
    Sequence* privileged = f.add(tokens(240), /*focused=*/true);
    Sequence* other = f.add_with(kChatPriority, tokens(40, 500));
    f.step();
    // Two blocks are free and three could be, but one of these is the privileged one's to grow.
    Sequence* focused = f.add(tokens(75, 900), /*focused=*/true);
    for (int i = 0; i < 5; ++i) {
      const StepPlan plan = f.step();
      QCOMPARE(f.rows_of(plan, other), 1);
      QCOMPARE(f.rows_of(plan, focused), 0);
    }
    QCOMPARE(other->num_preemptions, 0);
    f.scheduler.remove(privileged->id);
    QCOMPARE(f.rows_of(f.step(), focused), 75);
  }

  void schedule_computesOnlyOneTokenOfAFork() {
    Fixture f(64, {.max_batch_tokens = 64, .max_sequences = 8});
    Sequence* a = f.add(tokens(40));
    for (int i = 0; i < 20; ++i) f.step();
    Sequence* regenerated = f.add(tokens(40));
    const StepPlan plan = f.step();
    QCOMPARE(f.rows_of(plan, regenerated), 1);
    QCOMPARE(plan.copies.size(), size_t{1});
    std::vector<int32_t> branch(a->table.tokens().begin(), a->table.tokens().begin() + 53);
    branch.push_back(7777);
    Sequence* fork = f.add(branch);
    QCOMPARE(f.rows_of(f.step(), fork), 1);
    QVERIFY(f.contents_ok);
  }

  void schedule_skipsWhoAwaitsTheStore() {
    Fixture f(64, {.max_batch_tokens = 64, .max_sequences = 8});
    Sequence* a = f.add(tokens(40));
    a->awaits_store = true;
    QVERIFY(f.step().rows.empty());
    Sequence* b = f.add(tokens(40, 500));
    QCOMPARE(f.rows_of(f.step(), b), 40);
    a->awaits_store = false;
    QCOMPARE(f.rows_of(f.step(), a), 40);
    QCOMPARE(a->num_bypassed, 0);
  }

  void schedule_computesASharedPrefixOnce() {
    Fixture f(64, {.max_batch_tokens = 24, .max_sequences = 8});
    const auto prompt = [](int own) {
      auto ids = tokens(64);
      ids.push_back(own);
      return ids;
    };
    std::vector<Sequence*> sequences;
    for (int i = 0; i < 6; ++i) sequences.push_back(f.add(prompt(1000 + i)));
    uint64_t rows = 0;
    for (int i = 0; i < 12; ++i) rows += f.step().num_tokens;
    uint64_t prompt_rows = 0;
    for (const Sequence* s : sequences) {
      prompt_rows += s->num_rows - (s->table.num_tokens() - s->num_prompt - 1);
    }
    QCOMPARE(prompt_rows, uint64_t{64 + 6});
    QCOMPARE(sequences[0]->num_cached, 0);
    for (int i = 1; i < 6; ++i) QCOMPARE(sequences[i]->num_cached, 64);
    QVERIFY(f.contents_ok);
  }

  void schedule_preemptsTheLastWhenBlocksRunOut() {
    Fixture f(4, {.max_batch_tokens = 64, .max_sequences = 4});
    Sequence* a = f.add(tokens(16));
    Sequence* b = f.add(tokens(16, 500));
    for (int i = 0; i < 18; ++i) f.step();
    QCOMPARE(a->num_preemptions, 0);
    QCOMPARE(b->num_preemptions, 1);
    QVERIFY(b->table.blocks().empty());
    f.scheduler.remove(a->id);
    const StepPlan plan = f.step();
    QVERIFY(f.rows_of(plan, b) > 0);
    QVERIFY(f.contents_ok);
  }

  void schedule_reportsASequenceThatFillsThePool() {
    Fixture f(2, {.max_batch_tokens = 64, .max_sequences = 4});
    Sequence* a = f.add(tokens(32));
    QVERIFY(f.step().exhausted.empty());
    const StepPlan plan = f.step();
    QCOMPARE(plan.exhausted, std::vector<SequenceId>{a->id});
    QVERIFY(plan.rows.empty());
  }

  void remove_returnsAllBlocks() {
    Fixture f(8, {.max_batch_tokens = 64, .max_sequences = 4});
    const SequenceId a = f.add(tokens(40))->id;
    const SequenceId b = f.add(tokens(40))->id;
    f.step();
    f.scheduler.remove(b);
    f.scheduler.remove(a);
    f.scheduler.remove(a);
    QCOMPARE(f.cache.pool().num_free(), 8);
    QVERIFY(!f.scheduler.has_work());
  }

  void makeForwardBatch_describesRaggedRows() {
    Fixture f(16, {.max_batch_tokens = 64, .max_sequences = 4});
    f.add(tokens(3));
    f.step();
    f.add(tokens(20, 100));
    const StepPlan plan = f.scheduler.schedule();
    const ForwardBatch batch = make_forward_batch(plan);
    QCOMPARE(batch.num_tokens(), 21);
    QCOMPARE(batch.query_start, (std::vector<int32_t>{0, 1, 21}));
    QCOMPARE(batch.context_len, (std::vector<int32_t>{4, 20}));
    QCOMPARE(batch.positions[0], 3);
    QCOMPARE(batch.positions[20], 19);
    QCOMPARE(batch.logits_rows, (std::vector<int32_t>{0, 20}));
    QCOMPARE(batch.max_blocks, 2);
    QCOMPARE(batch.block_tables.size(), size_t{4});
    QCOMPARE(batch.slot_mapping[20], batch.block_tables[3] * kBlockSize + 3);
  }
};

QTEST_APPLESS_MAIN(TestScheduler)
#include "tst_scheduler.moc"
