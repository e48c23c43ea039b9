#pragma once

#include <climits>
#include <memory>
#include <optional>
#include <vector>

#include "engine/cache/block_cache.h"
#include "engine/scheduler/sequence.h"

namespace quire {

/// The rows [begin, begin + count) of a sequence that a step computes. It samples if these are the
/// last of its tokens.
struct ScheduledRows {
  Sequence* sequence = nullptr;
  int begin = 0;
  int count = 0;
  bool samples = false;
};

/// One step: what to copy, then what to compute, and which sequences can never go on because the
/// pool is theirs alone and full.
struct StepPlan {
  std::vector<BlockCopy> copies;
  std::vector<ScheduledRows> rows;
  std::vector<SequenceId> exhausted;
  int num_tokens = 0;
};

struct SchedulerLimits {
  int max_batch_tokens = 512;  ///< The token budget of a step; at least max_sequences.
  int max_sequences = 64;      ///< Sequences that hold blocks at the same time.
  /// Blocks that come back from host memory in a step beside others: a sequence that wants more of
  /// them is admitted some steps later.
  int max_restored_blocks = INT_MAX;
};

/// Makes one mixed batch a step from a token budget: every decode first, then chunks of prefills,
/// then new sequences.
///
/// The order is: the privileged, then the others, each by arrival. Privileged is what the user
/// looks at (focused), and what was overtaken in kMaxOvertaken steps. In one step of kShareSteps
/// the prefills of the others come before those of the privileged, so that these get a share of the
/// budget even beside an endless one.
///
/// A sequence without a free block for its next token preempts the last one in that order, which
/// gives its blocks back and starts again later, mostly from the cache; so does a focused newcomer
/// for which there is no room. What host memory has of a sequence is brought back before it is
/// admitted. A waiting sequence whose next block is being computed by a running
/// one waits for it instead of computing it too.
///
/// Thread: the engine's.
/// Invariants: the rows of a plan are at most the budget, and hold blocks for all of their tokens;
/// every decode runs in every step unless it was preempted; the first in order always advances, and
/// a later sequence goes first in at most kMaxOvertaken steps, so every sequence that fits
/// the pool alone comes to its end.
class Scheduler {
 public:
  static constexpr int kMaxOvertaken = 4;
  static constexpr int kShareSteps = 4;

  Scheduler(BlockCache& cache, const SchedulerLimits& limits);

  /// Takes a sequence whose tokens fit the pool. The pointer stays valid until remove().
  Sequence* add(std::unique_ptr<Sequence> sequence);
  void remove(SequenceId id);
  Sequence* find(SequenceId id) const;

  StepPlan schedule();
  /// The step after `plan`, a step of decodes that draws for all of its rows, before it is known
  /// what it draws: the next token of each. Nothing if it would be more than that: somebody waits
  /// or is left out, or there is no room without a preemption.
  std::optional<StepPlan> follow(const StepPlan& plan);
  /// All sequences start again later, with nothing computed.
  void preempt_all();
  /// Their blocks are named after another root from now on; none holds any.
  void rename(const BlockKey& root);

  /// The plan's rows were computed: their blocks may be shared from now on.
  void mark_computed(const StepPlan& plan);
  /// The next token of a sequence that has none left to compute.
  void append(Sequence& sequence, int32_t token) { sequence.table.append(token); }

  const std::vector<std::unique_ptr<Sequence>>& running() const { return m_running; }
  const std::vector<std::unique_ptr<Sequence>>& waiting() const { return m_waiting; }
  bool has_work() const { return !m_running.empty() || !m_waiting.empty(); }

 private:
  using Queue = std::vector<std::unique_ptr<Sequence>>;
  enum class Rows { kDecodes, kPrivilegedPrefills, kOtherPrefills };
  static bool is_privileged(const Sequence& sequence);
  static bool precedes(const Sequence& a, const Sequence& b);
  static void sort(Queue& queue);
  void schedule_running(StepPlan& plan, Rows which);
  void add_rows(Sequence& sequence, StepPlan& plan);
  bool make_room(Sequence& sequence, int num_tokens, StepPlan& plan);
  void preempt_last(StepPlan& plan);
  void mark_overtaken(Sequence& sequence) const;

  void admit_waiting(StepPlan& plan, bool only_privileged);
  bool restore(Sequence& sequence);
  void admit(size_t index, StepPlan& plan);
  void add_copies(StepPlan& plan);
  bool has_room_for(const Sequence& sequence) const;
  bool may_preempt_for(const Sequence& sequence) const;
  bool waits_for_prefix(Sequence& sequence) const;

  BlockCache* m_cache;
  SchedulerLimits m_limits;
  Queue m_running;           ///< Hold blocks; sorted by precedes() at each step.
  Queue m_waiting;           ///< Hold none.
  bool m_preempted = false;  ///< In the present step.
  int m_num_restored = 0;    ///< Blocks, in the present step.
  uint64_t m_num_steps = 0;
};

}  // namespace quire
