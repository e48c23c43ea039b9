#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/engine/scheduler/cache_invariants.h"
#include "tests/engine/scheduler/simulated_model.h"

namespace quire {

/// Random submissions, forks, cancellations, changes of focus, of open chats and of pins, and
/// blocks that go to a store and come back, against a small pool, with host memory for
/// `host_blocks` behind it, with every invariant of the cache and the scheduler checked after each
/// step.
class Simulation {
 public:
  Simulation(uint32_t seed, int num_blocks, SchedulerLimits limits, int host_blocks = 0,
             const StateCacheSizes& states = {}, const WindowCacheSizes& windows = {})
      : m_random(seed),
        m_limits(limits),
        m_backend(*create_backend({.device = "cpu", .num_threads = 1})),
        m_host(*m_backend, SimulatedModel::kBytesPerBlock,
               static_cast<uint64_t>(host_blocks) * SimulatedModel::kBytesPerBlock),
        m_host_windows(*m_backend, SimulatedModel::kBytesPerBlock,
                       static_cast<uint64_t>(host_blocks) * SimulatedModel::kBytesPerBlock),
        m_cache(num_blocks, true, host_blocks > 0 ? &m_host : nullptr, states,
                {windows.num_slots, windows.window, host_blocks > 0 ? &m_host_windows : nullptr}),
        m_scheduler(m_cache, limits),
        m_model(num_blocks, states.num_slots, windows),
        m_invariants(m_cache, m_scheduler, m_model, m_host, host_blocks) {}

  /// One random operation. False if an invariant broke; `what()` says which.
  bool operate() {
    const auto action = m_random() % 20;
    if (action < 3 && m_expected.size() < 20) submit(random_prompt());
    if (action == 3 && m_expected.size() < 20) fork();
    if (action == 4) cancel();
    if (action == 5) change_focus();
    if (action == 6) m_cache.set_chat_open(random_chat(), m_random() % 2 == 0);
    if (action == 7) change_pin();
    if (action == 8) save();
    if (action == 9) restore();
    for (int i = 0; action == 10 && i < 40; ++i) {  // Long enough to serve what waits.
      if (!step()) return false;
    }
    return step() && check(m_invariants.broken());
  }

  /// Runs what is left to its end; a bound on the steps proves progress.
  bool drain() {
    for (int i = 0; i < 100000 && !m_expected.empty(); ++i) {
      if (!step() || !check(m_invariants.broken_in_pool())) return false;
    }
    if (!m_expected.empty()) return fail("no progress");
    if (m_cache.pool().num_free() != m_cache.pool().size()) return fail("leaked blocks");
    const WindowCache& windows = m_cache.windows();
    if (windows.exists() && windows.num_free() != windows.pool().size() - 1) {
      return fail("leaked window slots");
    }
    return true;
  }

  const char* what() const { return m_what; }
  int num_finished() const { return m_num_finished; }
  int num_preemptions() const { return m_num_preemptions; }
  int num_copies() const { return m_num_copies; }
  int num_restored() const { return m_num_restored; }
  int num_swapped() const { return m_num_swapped; }
  int64_t num_rows() const { return m_num_rows; }
  int num_run_ahead() const { return m_num_run_ahead; }
  int num_restored_windows() const { return m_num_restored_windows; }
  int num_swapped_windows() const { return m_num_swapped_windows; }
  int num_restored_states() const { return m_num_restored_states; }
  int num_cut() const { return m_num_cut; }
  int num_turns() const { return m_num_turns; }
  int num_drafted() const { return m_num_drafted; }
  int num_accepted() const { return m_num_accepted; }

 private:
  struct Expected {
    Sequence* sequence;
    int max_tokens;
  };

  bool fail(const char* what) {
    m_what = what;
    return false;
  }

  bool check(const char* broken) { return broken == nullptr || fail(broken); }

  int64_t random_chat() { return static_cast<int64_t>(m_random() % 6); }

  std::vector<int32_t> random_prompt() {
    const int capacity = m_cache.pool().size() * kBlockSize;
    const int length = 1 + static_cast<int>(m_random() % (capacity - 1));
    // Few distinct tokens and a few common beginnings, so that prefixes meet.
    std::vector<int32_t> prompt(length);
    const uint32_t family = m_random() % 3;
    for (int i = 0; i < length; ++i) {
      prompt[i] = i < 40 ? static_cast<int32_t>((family * 31 + i) % 7) : m_random() % 2;
    }
    return prompt;
  }

  void submit(std::vector<int32_t> prompt) {
    const int max_tokens = 1 + static_cast<int>(m_random() % 60);
    const BlockOwner owner = {.chat = random_chat(),
                              .shared_tokens = static_cast<int>(m_random() % 3) * kBlockSize};
    auto sequence =
        std::make_unique<Sequence>(++m_next_id, root_key("test"), std::move(prompt), owner);
    sequence->priority = random_priority();
    Sequence* added = m_scheduler.add(std::move(sequence));
    m_expected[added->id] = {added, added->num_prompt + max_tokens};
  }

  /// A chat that begins as another one, up to any of its tokens, and goes on or not.
  void fork() {
    if (m_expected.empty()) return;
    auto tokens = random_expected().sequence->table.tokens();
    tokens.resize(1 + m_random() % tokens.size());
    const size_t capacity = static_cast<size_t>(m_cache.pool().size()) * kBlockSize;
    const size_t more = m_random() % 20;
    for (size_t i = 0; i < more && tokens.size() + 1 < capacity; ++i) {
      tokens.push_back(static_cast<int32_t>(m_random() % 7));
    }
    if (tokens.size() < capacity) submit(std::move(tokens));
  }

  Expected& random_expected() {
    return std::next(m_expected.begin(), m_random() % m_expected.size())->second;
  }

  void change_pin() {
    if (m_expected.empty()) return;
    m_cache.set_pinned(random_expected().sequence->table, m_random() % 2 == 0);
  }

  /// Puts what the pool holds of a sequence's full blocks into the store.
  void save() {
    if (m_expected.empty()) return;
    const BlockTable& table = random_expected().sequence->table;
    for (int i = 0; i < static_cast<int>(table.keys().size()); ++i) {
      const BlockKey& key = table.keys()[i];
      const auto block = m_cache.index().find(key, table.parent_key(i), table.block_tokens(i));
      if (!block) continue;
      StoredBlock stored{.key = key, .parent = table.parent_key(i)};
      std::ranges::copy(table.block_tokens(i), stored.tokens.begin());
      stored.payload = m_model.read(*block);
      m_store[key] = stored;
      if (const auto snapshot = m_cache.states().find(table, i)) {
        stored.payload = m_model.read_state(*snapshot);
        m_store[state_key(key)] = stored;
      }
      if (!m_cache.windows().exists() || !m_cache.windows().has(*block)) continue;
      stored.payload = m_model.read_window(*m_cache.windows().find(*block));
      m_store[window_key(key)] = std::move(stored);
    }
  }

  void restore() {
    if (m_expected.empty()) return;
    const BlockTable& table = random_expected().sequence->table;
    const int held = m_cache.count_matching(table).blocks;
    std::vector<StoredBlock> stored;
    for (size_t i = static_cast<size_t>(held); i < table.keys().size(); ++i) {
      const auto it = m_store.find(table.keys()[i]);
      if (it == m_store.end()) break;
      stored.push_back(it->second);
    }
    const auto places = m_cache.adopt(stored, table, held);
    make(m_cache.take_copies());
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      m_model.write(*places[i], stored[i].payload);
      ++m_num_restored;
    }
    restore_windows(table);
    restore_states(table);
  }

  /// After the blocks that the pool has, as a store gives them back: these may be a few.
  void restore_states(const BlockTable& table) {
    for (int i = 0; i < m_cache.count_held_blocks(table); ++i) {
      const auto stored = m_store.find(state_key(table.keys()[size_t(i)]));
      if (stored == m_store.end()) continue;
      const auto slot = m_cache.states().adopt(table, i);
      if (!slot) continue;
      m_model.write_state(*slot, stored->second.payload);
      ++m_num_restored_states;
    }
  }

  void restore_windows(const BlockTable& table) {
    if (!m_cache.windows().exists()) return;
    std::vector<int> indices;
    for (int i = 0; i < static_cast<int>(table.keys().size()); ++i) {
      if (m_store.contains(window_key(table.keys()[size_t(i)]))) indices.push_back(i);
    }
    const auto places = m_cache.adopt_windows(table, indices);
    make(m_cache.take_copies());
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      const BlockKey key = window_key(table.keys()[size_t(indices[i])]);
      m_model.write_window(*places[i], m_store.at(key).payload);
      ++m_num_restored_windows;
    }
  }

  void cancel() {
    if (m_expected.empty()) return;
    auto it = std::next(m_expected.begin(), m_random() % m_expected.size());
    m_scheduler.remove(it->first);
    m_expected.erase(it);
  }

  void change_focus() {
    for (auto& [id, expected] : m_expected) expected.sequence->priority = random_priority();
  }

  int random_priority() {
    const uint32_t which = m_random() % 10;
    if (which < 2) return kFocusedPriority;
    return which < 5 ? kChatPriority : static_cast<int>(m_random() % 3);
  }

  /// Guesses the next tokens of what runs, some of them wrong and some for sequences that do not
  /// decode.
  void draft() {
    for (const auto& running : m_scheduler.running()) {
      running->drafts.clear();
      std::vector<int32_t> tokens = running->table.tokens();
      for (int left = m_random() % 3 == 0 ? int(m_random() % 20) : 0; left > 0; --left) {
        const bool is_right = m_random() % 4 != 0;
        tokens.push_back(is_right ? SimulatedModel::next_token(tokens) : 6);
        running->drafts.push_back(tokens.back());
      }
    }
  }

  bool step() {
    draft();
    m_scheduler.note_time(m_last_ms);
    const bool is_limited = m_scheduler.is_focused_decoding();
    const StepPlan plan = m_scheduler.schedule();
    m_last_ms = step_ms(plan);
    int num_logits = 0;
    for (const ScheduledRows& rows : plan.rows) num_logits += rows.num_logits();
    if (num_logits > m_limits.max_logits) return fail("more rows of logits than there are");
    if (plan.num_tokens > m_limits.max_batch_tokens) return fail("over the token budget");
    if (std::ranges::any_of(m_scheduler.waiting(), [](const auto& waiting) {
          return waiting->num_bypassed > Scheduler::kStarvationBound;
        })) {
      return fail("bypassed too often");
    }
    if (plan.rows.empty() && plan.exhausted.empty() && m_scheduler.has_work()) {
      return fail("work, but an empty step");
    }
    if (!check(broken_turns(plan, is_limited))) return false;
    std::set<const Sequence*> planned;
    for (const auto& rows : plan.rows) {
      if (!planned.insert(rows.sequence).second) return fail("a sequence is planned twice");
    }
    make(plan.copies);
    if (!m_model.compute(plan.rows)) return fail("a block or a state held something else");
    for (const auto& rows : plan.rows) m_num_rows += rows.count;
    const auto decodes = [](const ScheduledRows& rows) { return rows.count == 1 && rows.samples; };
    std::optional<StepPlan> next;
    if (plan.exhausted.empty() && !plan.rows.empty() && std::ranges::all_of(plan.rows, decodes) &&
        m_random() % 2 == 0) {
      next = m_scheduler.follow(plan);
    }
    complete(plan);
    for (const SequenceId id : plan.exhausted) finish(id);
    return !next || run_ahead(*next);
  }

  /// A step's time: now and then one that is much longer than its rows would need.
  double step_ms(const StepPlan& plan) {
    const double ms = 1.0 + m_row_ms * plan.num_tokens;
    if (m_random() % 200 == 0) m_row_ms = 0.001 * std::pow(10.0, m_random() % 5);
    return m_random() % 50 == 0 ? 20.0 * ms : ms;
  }

  /// Decodes run in every step; those of low priority beside a focused sequence take turns.
  const char* broken_turns(const StepPlan& plan, bool is_limited) {
    const auto is_low = [](const ScheduledRows& rows) { return Scheduler::is_low(*rows.sequence); };
    is_limited = is_limited ||
                 std::ranges::any_of(plan.rows, &Sequence::is_focused, &ScheduledRows::sequence);
    bool waits = false;
    for (const auto& running : m_scheduler.running()) {
      if (!Scheduler::decodes(*running) || is_planned(plan, *running)) continue;
      if (!is_limited || !Scheduler::is_low(*running)) return "a decode did not run";
      waits = true;
    }
    if (!waits || std::ranges::any_of(plan.rows, is_low)) {
      m_num_denied = 0;
    } else if (++m_num_denied > FocusBudget::kMostLone) {
      return "decodes of low priority are denied for too long";
    }
    m_num_turns += waits;
    return nullptr;
  }

  void complete(const StepPlan& plan) {
    for (const ScheduledRows& rows : plan.rows) m_scheduler.mark_computed(rows);
    for (const auto& rows : plan.rows) {
      if (rows.samples) sample(rows);
    }
  }

  /// A step that was planned before the one before was computed. Some of its sequences have ended.
  bool run_ahead(StepPlan& plan) {
    ++m_num_run_ahead;
    make(plan.copies);
    if (m_random() % 4 == 0) cancel();
    std::erase_if(plan.rows, [&](const ScheduledRows& rows) {
      if (is_active(rows.sequence)) return false;
      m_model.compute_in_vain(rows.states);
      return true;
    });
    if (!m_model.compute(plan.rows)) return fail("a step that ran ahead read something else");
    complete(plan);
    return true;
  }

  bool is_active(const Sequence* sequence) const {
    return std::ranges::any_of(
        m_expected, [&](const auto& entry) { return entry.second.sequence == sequence; });
  }

  void make(const std::vector<BlockCopy>& copies) {
    for (const BlockCopy& copy : copies) {
      if (copy.kind == BlockCopy::Kind::kInPool) m_model.copy(copy);
      if (copy.kind != BlockCopy::Kind::kInPool && copy.is_window) {
        make_window_copy(copy);
        continue;
      }
      if (copy.kind == BlockCopy::Kind::kToHost) {
        std::ranges::copy(m_model.read(copy.from), m_host.bytes(copy.to).begin());
      } else if (copy.kind == BlockCopy::Kind::kFromHost) {
        m_model.write(copy.to, m_host.bytes(copy.from));
      }
      m_num_copies += copy.kind == BlockCopy::Kind::kInPool;
      m_num_swapped += copy.kind == BlockCopy::Kind::kFromHost;
    }
  }

  void make_window_copy(const BlockCopy& copy) {
    if (copy.kind == BlockCopy::Kind::kToHost) {
      std::ranges::copy(m_model.read_window(copy.from), m_host_windows.bytes(copy.to).begin());
    } else {
      m_model.write_window(copy.to, m_host_windows.bytes(copy.from));
      ++m_num_swapped_windows;
    }
  }

  static bool is_planned(const StepPlan& plan, const Sequence& sequence) {
    const auto same = [&](const ScheduledRows& rows) { return rows.sequence == &sequence; };
    return std::ranges::any_of(plan.rows, same) ||
           std::ranges::find(plan.exhausted, sequence.id) != plan.exhausted.end();
  }

  void sample(const ScheduledRows& rows) {
    Sequence& sequence = *rows.sequence;
    m_num_drafted += rows.num_drafts;
    for (int accepted = 0;; ++accepted) {
      sequence.table.append(SimulatedModel::next_token(sequence.table.tokens()));
      if (sequence.table.num_tokens() >= m_expected.at(sequence.id).max_tokens) {
        return finish(sequence.id);
      }
      if (accepted == rows.num_drafts ||
          sequence.drafts[size_t(accepted)] != sequence.table.tokens().back()) {
        break;
      }
      m_scheduler.accept_draft(sequence);
      ++m_num_accepted;
    }
    m_scheduler.drop_drafts(sequence);
  }

  void finish(SequenceId id) {
    m_num_cut += m_expected.at(id).sequence->num_cut;
    m_num_preemptions += m_expected.at(id).sequence->num_preemptions;
    m_scheduler.remove(id);
    m_expected.erase(id);
    ++m_num_finished;
  }

  std::mt19937 m_random;
  SchedulerLimits m_limits;
  std::unique_ptr<Backend> m_backend;
  HostBlockStore m_host;
  HostBlockStore m_host_windows;
  BlockCache m_cache;
  Scheduler m_scheduler;
  SimulatedModel m_model;
  CacheInvariants m_invariants;
  std::map<SequenceId, Expected> m_expected;
  SequenceId m_next_id = 0;
  double m_last_ms = 0.0;
  double m_row_ms = 0.01;
  int m_num_denied = 0;  ///< Steps in a row.
  int m_num_turns = 0;   ///< Steps in which a decode of low priority waited.
  int m_num_finished = 0;
  int m_num_preemptions = 0;
  int m_num_copies = 0;
  int m_num_restored = 0;
  int m_num_swapped = 0;
  int m_num_run_ahead = 0;
  int m_num_restored_windows = 0;
  int m_num_swapped_windows = 0;
  int m_num_restored_states = 0;
  int m_num_cut = 0;
  int m_num_drafted = 0;
  int m_num_accepted = 0;
  int64_t m_num_rows = 0;
  std::unordered_map<BlockKey, StoredBlock, BlockKeyHash> m_store;
  const char* m_what = "";
};

}  // namespace quire
