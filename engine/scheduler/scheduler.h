#pragma once

#include <climits>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache/block_cache.h"
#include "engine/models/forward_batch.h"
#include "engine/scheduler/sequence.h"

namespace quire {

/// The rows [begin, begin + count) of a sequence that a step computes. It samples if these reach
/// the last of its tokens: from that row, and from each row of a draft after it.
struct ScheduledRows {
  Sequence* sequence = nullptr;
  int begin = 0;
  int count = 0;
  bool samples = false;
  int num_drafts = 0;     ///< The last rows are of so many of the sequence's drafts.
  StateRows states = {};  ///< Of a model with recurrent layers.

  int num_logits() const { return samples ? 1 + num_drafts : 0; }
  std::span<const int32_t> drafts() const {
    return std::span(sequence->drafts).first(static_cast<size_t>(num_drafts));
  }
  int end_of_known() const { return begin + count - num_drafts; }
};

/// One step: copies to make first, rows to compute, and sequences that cannot continue because they
/// fill the whole pool alone.
struct StepPlan {
  std::vector<BlockCopy> copies;
  std::vector<ScheduledRows> rows;
  std::vector<SequenceId> exhausted;
  int num_tokens = 0;
};

/// The plan's rows as a batch. A token that is not known yet, because the step before samples it,
/// is 0.
ForwardBatch make_forward_batch(const StepPlan& plan);

struct SchedulerLimits {
  int max_batch_tokens = 512;  ///< The token budget of a step; at least max_sequences.
  int max_sequences = 64;      ///< Sequences that hold blocks at the same time.
  int max_logits = 64;         ///< Rows that a step samples from; at least max_sequences.
  /// Blocks restored from host memory in a step beside other work: a sequence that needs more is
  /// admitted some steps later.
  int max_restored_blocks = INT_MAX;
};

/// Composes one mixed batch a step within a token budget: every decode first, then their drafts as
/// far as there is room without a preemption, chunks of prefills, and new sequences.
///
/// The order is: privileged sequences, then the others, each by arrival. Privileged are focused
/// sequences, and those that later ones bypassed in kStarvationBound steps (bounded overtaking). In
/// one of kShareSteps steps the other prefills come before the privileged, so that they get a share
/// of the budget beside an endless one.
///
/// A sequence without a free block for its next token preempts the last one in that order, whose
/// blocks are freed and which starts again later, mostly from the cache; so does a focused new
/// sequence that does not fit. Blocks in host memory are restored before a sequence is admitted. A
/// waiting sequence whose next block is being computed by a running one waits for it instead of
/// computing it too. Slots for window parts are treated as blocks are.
///
/// Thread: the engine's.
/// Invariants: the rows of a plan are at most the budget, and hold blocks for all of their tokens;
/// every decode runs in every step unless it was preempted; the first in order always advances, and
/// later sequences bypass one in at most kStarvationBound steps, so every sequence that fits the
/// pool alone finishes.
class Scheduler {
 public:
  static constexpr int kStarvationBound = 4;
  static constexpr int kShareSteps = 4;

  Scheduler(BlockCache& cache, const SchedulerLimits& limits);

  /// Adds a sequence whose tokens fit the pool. The pointer stays valid until remove().
  Sequence* add(std::unique_ptr<Sequence> sequence);
  void remove(SequenceId id);
  Sequence* find(SequenceId id) const;

  StepPlan schedule();
  /// The step after `plan`, a step of decodes that samples in all rows, before its tokens are
  /// known: it decodes the next token of each. Nothing if other sequences wait or run, or if there
  /// is no room without a preemption.
  std::optional<StepPlan> follow(const StepPlan& plan);
  /// Preempts all sequences: they start again later.
  void preempt_all();
  /// Derives the block keys of all sequences from other roots, by their adapters; none may hold
  /// blocks.
  void rename(const std::function<BlockKey(int adapter)>& root_of);

  /// Rows of a plan were computed: their blocks may be shared. Rows of drafts are not counted.
  void mark_computed(const ScheduledRows& rows);
  /// The first draft that was not accepted yet equals the token that was sampled before it and
  /// appended: its row counts as computed.
  void accept_draft(Sequence& sequence);
  /// Drops the drafts of a step that were not accepted.
  void drop_drafts(Sequence& sequence);
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
  void add_drafts(StepPlan& plan);
  void plan_states(ScheduledRows& rows);
  bool make_room(Sequence& sequence, int num_tokens, StepPlan& plan);
  void preempt_last(StepPlan& plan);
  void mark_bypassed(Sequence& sequence) const;

  void admit_waiting(StepPlan& plan, bool only_privileged);
  bool restore(Sequence& sequence);
  void admit(size_t index, StepPlan& plan);
  void add_copies(StepPlan& plan);
  bool has_room_for(const Sequence& sequence) const;
  bool may_preempt_for(const Sequence& sequence) const;
  bool has_window_room_for(const Sequence& sequence, const BlockCache::Match& match) const;
  bool may_preempt_for_windows_of(const Sequence& sequence) const;
  int missing_windows(const Sequence& sequence) const;
  bool waits_for_prefix(Sequence& sequence) const;

  BlockCache* m_cache;
  SchedulerLimits m_limits;
  Queue m_running;           ///< Hold blocks; sorted by precedes() at each step.
  Queue m_waiting;           ///< Hold none.
  bool m_preempted = false;  ///< In this step.
  int m_num_restored = 0;    ///< Blocks, in this step.
  uint64_t m_num_steps = 0;
};

}  // namespace quire
