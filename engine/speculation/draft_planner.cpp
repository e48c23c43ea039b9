#include "engine/speculation/draft_planner.h"

#include <algorithm>
#include <utility>

#include "engine/speculation/speculation_mode.h"

namespace quire {
namespace {

/// The least ratio of expected tokens per second with drafts to those without. It is well above 1,
/// because the measured time of a step without drafts has noise, and drafts are chosen when noise
/// makes that time look long.
constexpr double kLeastGain = 1.08;
/// A gain below kLargeGain needs a measurement without drafts of at most kMostAgeForSmallGain steps
/// ago, because a wrong one would not be corrected while every step has drafts. A larger gain needs
/// one of at most kMostAge steps ago.
constexpr double kLargeGain = 1.3;
constexpr int kMostAge = 64;
constexpr int kMostAgeForSmallGain = 8;
/// A focused chat's draft comes first if its chance is at least three quarters of that of other
/// chats, and theirs if it is at least three quarters of that of low priority.
constexpr double kFocusedWeight = 4.0 / 3.0;
constexpr double kLowWeight = 3.0 / 4.0;

/// The drafts of a step, which are added one by one, the likeliest to be accepted first.
class Choice {
 public:
  explicit Choice(std::span<const DraftPlanner::Candidate> candidates)
      : m_candidates(candidates), m_drafts(candidates.size(), 0) {
    for (const auto& candidate : candidates) m_next.push_back(candidate.chance_of(0));
  }

  /// Adds a draft; false if there are no more.
  bool add() {
    size_t best = m_candidates.size();
    for (size_t i = 0; i < m_candidates.size(); ++i) {
      if (m_drafts[i] >= std::min(m_candidates[i].most, kMaxDrafts)) continue;
      if (best == m_candidates.size() || weight(i) > weight(best)) best = i;
    }
    if (best == m_candidates.size()) return false;
    m_tokens += m_next[best];
    m_guessing_ms += m_candidates[best].ms_per_draft;
    m_next[best] *= m_candidates[best].chance_of(++m_drafts[best]);
    return true;
  }

  const std::vector<int>& drafts() const { return m_drafts; }
  double tokens() const { return m_tokens; }  ///< Expected to be accepted.
  double guessing_ms() const { return m_guessing_ms; }

 private:
  double weight(size_t i) const {
    const DraftPlanner::Candidate& candidate = m_candidates[i];
    return m_next[i] * (candidate.focused ? kFocusedWeight : candidate.is_low ? kLowWeight : 1.0);
  }

  std::span<const DraftPlanner::Candidate> m_candidates;
  std::vector<int> m_drafts;
  std::vector<double> m_next;  ///< The chance that a candidate's next draft is accepted.
  double m_tokens = 0.0;
  double m_guessing_ms = 0.0;
};

}  // namespace

double DraftPlanner::Candidate::chance_of(int draft) const {
  if (chances.empty()) return chance;
  return chances[std::min(static_cast<size_t>(draft), chances.size() - 1)];
}

std::vector<int> DraftPlanner::plan(std::span<const Candidate> candidates, int num_rows) const {
  Choice choice(candidates);
  std::vector<int> best = choice.drafts();
  if (!m_costs.is_known(num_rows, kMostAge)) return best;
  const double base = expected_ms(num_rows);
  const bool is_recent = m_costs.is_known(num_rows, kMostAgeForSmallGain);
  double best_rate = (is_recent ? kLeastGain : kLargeGain) * num_rows / base;
  for (int rows = num_rows + 1; rows <= m_costs.most_rows() && choice.add(); ++rows) {
    const double ms = expected_ms(rows) + choice.guessing_ms();
    const double rate = (num_rows + choice.tokens()) / ms;
    if (rate <= best_rate || !m_budget.allows(ms / base - 1.0)) continue;
    best_rate = rate;
    best = choice.drafts();
  }
  return best;
}

void DraftPlanner::note_step(int num_rows, double milliseconds, int num_drafts) {
  const double guessing = std::exchange(m_guessing_ms, 0.0);
  m_num_decodes = num_rows - num_drafts;
  if (num_rows > kMaxRows || m_num_decodes < 1) return;
  m_budget.pass();
  const double counted = m_costs.note(num_rows, milliseconds);
  const double base = m_costs.least_ms(m_num_decodes);
  const bool has_drafts = num_drafts > 0 || guessing > 0.0;
  if (has_drafts && base > 0.0) m_budget.spend((counted + guessing) / base - 1.0);
}

void DraftPlanner::note_accepted(int count) {
  m_budget.earn(static_cast<double>(count) / std::max(1, m_num_decodes));
}

}  // namespace quire
