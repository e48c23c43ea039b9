#pragma once

#include <array>
#include <climits>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cache/block_cache.h"
#include "engine/models/forward_batch.h"
#include "engine/scheduler/focus_budget.h"
#include "engine/scheduler/sequence.h"

namespace quire {

/// Sequences of a lower priority are requests of other programs: they come after the window's chats
/// and leave time to the focused one (FocusBudget).
inline constexpr int kChatPriority = 100;

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
/// Sequences have four levels: focused ones; starved ones, which later ones bypassed in
/// kStarvationBound steps (bounded overtaking); other chats; and those of low priority, below
/// kChatPriority. Focused and starved ones are privileged. The order is: the privileged by arrival,
/// then the others by priority, and by arrival where that is equal. Prefills and new sequences are
/// scheduled level by level; in one of kShareSteps steps the focused level comes last, so that the
/// others get a share of the budget beside an endless prompt.
///
/// A focused prompt comes first: the steps that compute it have no rows of low priority, not even
/// decodes, except in one of kShareSteps steps in a row. So the time of its first token depends
/// little on what else runs.
///
/// In a step in which a focused sequence decodes, a FocusBudget limits the rows of low priority, of
/// decodes as well: these take turns, the one that was computed longest ago first. In one of
/// kShareSteps such steps their prefills and new sequences come before their decodes.
/// A prefill that computes a prefix which a waiting sequence awaits is of that one's level.
///
/// A sequence without a free block for its next token preempts the last one in order, whose blocks
/// are freed and which starts again later, mostly from the cache; so does a new sequence that does
/// not fit, if those that it preempts are of lower priority and not privileged. Blocks in host
/// memory are restored before a sequence is admitted. A waiting sequence whose next block is being
/// computed by a running one waits for it instead of computing it too. Slots for window parts are
/// treated as blocks are.
///
/// Thread: the engine's.
/// Invariants: the rows of a plan are at most the budget, and hold blocks for all of their tokens;
/// every decode runs in every step unless it was preempted or is of low priority beside a focused
/// sequence; low-priority rows are denied in at most FocusBudget::kMostLone steps in a row; the
/// first in order advances unless its rows are denied, and later sequences bypass the one that has
/// waited longest in at most kStarvationBound steps, so every sequence that fits the pool alone
/// finishes.
class Scheduler {
 public:
  static constexpr int kStarvationBound = 4;
  static constexpr int kShareSteps = 4;

  static bool is_low(const Sequence& sequence) { return sequence.priority < kChatPriority; }
  static bool decodes(const Sequence& sequence) { return sequence.table.num_uncomputed() == 1; }

  Scheduler(BlockCache& cache, const SchedulerLimits& limits);

  /// Adds a sequence whose tokens fit the pool. The pointer stays valid until remove().
  Sequence* add(std::unique_ptr<Sequence> sequence);
  void remove(SequenceId id);
  Sequence* find(SequenceId id) const;

  StepPlan schedule();
  /// The step after `plan`, a step of decodes that samples in all rows, before its tokens are
  /// known: it decodes the next token of each. Nothing if other sequences run or could be admitted,
  /// if there is no room without a preemption, or if the rows must be fewer (FocusBudget).
  std::optional<StepPlan> follow(const StepPlan& plan);
  /// Records how long the last planned step took, with all that was done until the next one is
  /// planned: the focused chat waits for that, too.
  void note_time(double milliseconds);
  /// Whether a focused sequence decodes in the next step: low-priority rows are limited then.
  bool is_focused_decoding() const { return focused_decode() != nullptr; }
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
  enum class Level { kFocused, kStarved, kChats, kLow };
  /// What is measured of a step in which a focused sequence decodes.
  struct FocusedStep {
    SequenceId focused = 0;  ///< 0: there is none, or other chats prefill as well.
    int num_rows = 0;        ///< Of chats.
    int num_low_rows = 0;
  };
  static Level level_of(const Sequence& sequence);
  static bool is_privileged(const Sequence& sequence);
  static bool precedes(const Sequence& a, const Sequence& b);
  static bool yields(const Sequence& running, const Sequence& to);
  static void sort(Queue& queue);
  const Sequence* focused_decode() const;
  std::array<Level, 4> level_order() const;
  bool computes_for(const Sequence& sequence, Level level) const;
  void limit_low_rows(const StepPlan& plan);
  bool has_focused_prompt() const;
  bool schedule_focused_prompt(StepPlan& plan);
  void schedule_beside(StepPlan& plan);
  void schedule_decodes(StepPlan& plan);
  void schedule_low_decodes(StepPlan& plan);
  void schedule_prefills(StepPlan& plan, Level level);
  int rows_left(const Sequence& sequence, const StepPlan& plan) const;
  void add_rows(Sequence& sequence, StepPlan& plan);
  int most_sampling(const StepPlan& plan) const;
  void add_drafts(StepPlan& plan);
  void note_plan(const StepPlan& plan);
  void plan_states(ScheduledRows& rows);
  bool make_room(Sequence& sequence, int num_tokens, StepPlan& plan);
  void preempt_last(StepPlan& plan);
  void mark_bypassed(Sequence& sequence) const;
  bool can_admit_any() const;

  enum class Whom { kAll, kFocused };
  void admit_waiting(StepPlan& plan, Level last, Whom whom = Whom::kAll);
  bool restore(Sequence& sequence);
  void admit(size_t index, StepPlan& plan);
  void mark_longest_waiting(SequenceId admitted);
  void add_copies(StepPlan& plan);
  bool has_room_for(const Sequence& sequence) const;
  bool has_state_room() const;
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

  FocusBudget m_focus_budget;
  SequenceId m_focused = 0;  ///< The last one that m_focus_budget was used for.
  FocusedStep m_last;
  bool m_is_limited = false;      ///< Low-priority rows, in this step.
  int m_low_rows_left = INT_MAX;  ///< In this step.
  int m_kept_rows = 0;            ///< Of the budget, for low-priority decodes.
  int m_num_prompts_alone = 0;    ///< The last steps in a row that computed a focused prompt alone.
  bool m_shares = false;          ///< The focused level comes last in this step.
  uint64_t m_num_limited = 0;     ///< Limited steps in which there were some.
};

}  // namespace quire
