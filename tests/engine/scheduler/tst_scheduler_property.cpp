#include <QTest>

#include <map>
#include <random>

#include "tests/engine/scheduler/simulated_model.h"

using namespace quire;

namespace {

/// Random submissions, cancellations and focus changes against a small pool, with every invariant
/// of the cache and the scheduler checked after each step.
class Simulation {
 public:
  Simulation(uint32_t seed, int num_blocks, SchedulerLimits limits)
      : m_random(seed),
        m_limits(limits),
        m_cache(num_blocks),
        m_scheduler(m_cache, limits),
        m_model(num_blocks) {}

  /// One random operation. False if an invariant broke; `what()` says which.
  bool operate() {
    const auto action = m_random() % 10;
    if (action < 2 && m_expected.size() < 20) submit();
    if (action == 2) cancel();
    if (action == 3) change_focus();
    return step() && check_pool();
  }

  /// Runs what is left to its end; a bound on the steps proves progress.
  bool drain() {
    for (int i = 0; i < 100000 && !m_expected.empty(); ++i) {
      if (!step() || !check_pool()) return false;
    }
    if (!m_expected.empty()) return fail("no progress");
    if (m_cache.pool().num_free() != m_cache.pool().size()) return fail("leaked blocks");
    return true;
  }

  const char* what() const { return m_what; }
  int num_finished() const { return m_num_finished; }
  int num_preemptions() const { return m_num_preemptions; }

 private:
  struct Expected {
    Sequence* sequence;
    int max_tokens;
  };

  bool fail(const char* what) {
    m_what = what;
    return false;
  }

  void submit() {
    const int capacity = m_cache.pool().size() * kBlockSize;
    const int length = 1 + static_cast<int>(m_random() % (capacity - 1));
    // Few distinct tokens and a few common beginnings, so that prefixes meet.
    std::vector<int32_t> prompt(length);
    const uint32_t family = m_random() % 3;
    for (int i = 0; i < length; ++i) {
      prompt[i] = i < 40 ? static_cast<int32_t>((family * 31 + i) % 7) : m_random() % 2;
    }
    const int max_tokens = 1 + static_cast<int>(m_random() % 60);
    auto sequence = std::make_unique<Sequence>(++m_next_id, root_key("test"), std::move(prompt));
    Sequence* added = m_scheduler.add(std::move(sequence));
    m_expected[added->id] = {added, added->num_prompt + max_tokens};
  }

  void cancel() {
    if (m_expected.empty()) return;
    auto it = std::next(m_expected.begin(), m_random() % m_expected.size());
    m_scheduler.remove(it->first);
    m_expected.erase(it);
  }

  void change_focus() {
    for (auto& [id, expected] : m_expected) expected.sequence->focused = m_random() % 5 == 0;
  }

  bool step() {
    const StepPlan plan = m_scheduler.schedule();
    if (plan.num_tokens > m_limits.max_batch_tokens) return fail("over the token budget");
    if (plan.rows.empty() && plan.exhausted.empty() && m_scheduler.has_work()) {
      return fail("work, but an empty step");
    }
    for (const auto& running : m_scheduler.running()) {
      const bool is_decode = running->table.num_uncomputed() == 1;
      if (is_decode && !is_planned(plan, *running)) return fail("a decode did not run");
    }
    for (const auto& rows : plan.rows) {
      if (!m_model.compute(rows)) return fail("a block held the wrong keys and values");
    }
    m_scheduler.mark_computed(plan);
    for (const auto& rows : plan.rows) {
      if (rows.samples) sample(*rows.sequence);
    }
    for (const SequenceId id : plan.exhausted) finish(id);
    return true;
  }

  static bool is_planned(const StepPlan& plan, const Sequence& sequence) {
    const auto same = [&](const ScheduledRows& rows) { return rows.sequence == &sequence; };
    return std::ranges::any_of(plan.rows, same) ||
           std::ranges::find(plan.exhausted, sequence.id) != plan.exhausted.end();
  }

  void sample(Sequence& sequence) {
    m_scheduler.append(sequence, SimulatedModel::next_token(sequence.table.tokens()));
    if (sequence.table.num_tokens() >= m_expected.at(sequence.id).max_tokens) finish(sequence.id);
  }

  void finish(SequenceId id) {
    m_num_preemptions += m_expected.at(id).sequence->num_preemptions;
    m_scheduler.remove(id);
    m_expected.erase(id);
    ++m_num_finished;
  }

  bool check_pool() {
    std::map<BlockId, int> owners;
    for (const auto& running : m_scheduler.running()) {
      for (const BlockId block : running->table.blocks()) ++owners[block];
      const int full = running->table.num_computed() / kBlockSize;
      for (int i = full; i < static_cast<int>(running->table.blocks().size()); ++i) {
        if (m_cache.pool().ref_count(running->table.blocks()[i]) != 1) {
          return fail("a writable block is shared");
        }
      }
    }
    for (const auto& waiting : m_scheduler.waiting()) {
      if (!waiting->table.blocks().empty()) return fail("a waiting sequence holds blocks");
    }
    for (BlockId block = 0; block < m_cache.pool().size(); ++block) {
      if (m_cache.pool().ref_count(block) != owners[block])
        return fail("references differ from owners");
    }
    const int used =
        static_cast<int>(std::ranges::count_if(owners, [](auto& o) { return o.second > 0; }));
    return used + m_cache.pool().num_free() == m_cache.pool().size() ||
           fail("blocks do not add up");
  }

  std::mt19937 m_random;
  SchedulerLimits m_limits;
  BlockCache m_cache;
  Scheduler m_scheduler;
  SimulatedModel m_model;
  std::map<SequenceId, Expected> m_expected;
  SequenceId m_next_id = 0;
  int m_num_finished = 0;
  int m_num_preemptions = 0;
  const char* m_what = "";
};

}  // namespace

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
    qInfo("%d sequences finished, %d preemptions", simulation.num_finished(),
          simulation.num_preemptions());
    QVERIFY(simulation.num_finished() > num_operations / 200);
    if (max_sequences > 1 && num_blocks < 10) QVERIFY(simulation.num_preemptions() > 0);
  }
};

QTEST_APPLESS_MAIN(TestSchedulerProperty)
#include "tst_scheduler_property.moc"
