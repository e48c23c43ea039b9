#include "engine/speculation/draft_planner.h"

#include <algorithm>
#include <cmath>

#include "engine/speculation/speculation_mode.h"
#include "kernels/base/check.h"

namespace quire {
namespace {

/// A row more is expected to cost so much of a step with one row until that was measured.
constexpr double kUnmeasuredRow = 0.03;
/// The part of a new measurement in the mean, and how fast a mean that is not renewed is forgotten.
constexpr double kNew = 0.2;
constexpr double kForgotten = 0.01;
/// Drafts must promise so much.
constexpr double kLeastGain = 1.02;
/// The part of a new guess in the record.
constexpr double kNewGuess = 0.125;

}  // namespace

std::vector<int> DraftPlanner::plan(std::span<const Candidate> candidates, int num_rows) const {
  std::vector<int> drafts(candidates.size(), 0), best = drafts;
  const double base = expected_ms(num_rows);
  if (base <= 0.0) return best;
  double tokens = num_rows;
  double guessing = 0.0;
  double best_rate = kLeastGain * tokens / base;
  std::vector<double> next;  // The chance that a candidate's next draft is accepted.
  for (const Candidate& candidate : candidates) next.push_back(candidate.chance);
  for (int rows = num_rows + 1; rows <= kMaxRows; ++rows) {
    size_t choice = candidates.size();
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (drafts[i] >= std::min(candidates[i].most, kMaxDrafts)) continue;
      const bool is_better = choice == candidates.size() || next[i] > next[choice] ||
                             (next[i] == next[choice] && candidates[i].focused);
      if (is_better) choice = i;
    }
    if (choice == candidates.size()) break;
    tokens += next[choice];
    guessing += candidates[choice].ms_per_draft;
    next[choice] *= candidates[choice].chance;
    ++drafts[choice];
    const double rate = tokens / (expected_ms(rows) + guessing);
    if (rate <= best_rate) continue;
    best_rate = rate;
    best = drafts;
  }
  return best;
}

/// Between two measured numbers of rows costs are interpolated; beyond the last, each row costs a
/// little.
double DraftPlanner::expected_ms(int num_rows) const {
  CHECK(num_rows > 0 && num_rows <= kMaxRows);
  int below = num_rows, above = num_rows;
  while (below > 0 && m_costs[size_t(below)] == 0.0) --below;
  while (above <= kMaxRows && m_costs[size_t(above)] == 0.0) ++above;
  if (below == 0) return above > kMaxRows ? 0.0 : m_costs[size_t(above)];
  const double low = m_costs[size_t(below)];
  if (above > kMaxRows) return low * (1.0 + kUnmeasuredRow * (num_rows - below));
  if (above == below) return low;
  const double part = static_cast<double>(num_rows - below) / (above - below);
  return low + part * (m_costs[size_t(above)] - low);
}

void DraftPlanner::note_step(int num_rows, double milliseconds) {
  if (num_rows < 1 || num_rows > kMaxRows || milliseconds <= 0.0) return;
  double& cost = m_costs[size_t(num_rows)];
  // Another program may have been in the way: one step counts as twice the mean at most.
  cost = cost == 0.0 ? milliseconds : cost + kNew * (std::min(milliseconds, 2 * cost) - cost);
  // A larger step that was slow once would never be tried again.
  for (int rows = num_rows + 1; rows <= kMaxRows; ++rows) {
    double& other = m_costs[size_t(rows)];
    const double hoped = cost * (1.0 + kUnmeasuredRow * (rows - num_rows));
    if (other > hoped) other -= kForgotten * (other - hoped);
  }
}

void DraftRecord::note(int match, bool is_right) {
  double& chance = m_chances[bucket_of(match)];
  chance += kNewGuess * ((is_right ? 1.0 : 0.0) - chance);
}

void ModelRecord::note(bool is_right) {
  m_chance += kNewGuess * ((is_right ? 1.0 : 0.0) - m_chance);
}

void ModelRecord::pass() {
  constexpr double kUnknown = 0.5, kForgottenGuess = 0.004;
  if (m_chance < kUnknown) m_chance += kForgottenGuess * (kUnknown - m_chance);
}

size_t DraftRecord::bucket_of(int match) {
  return match < 3 ? 0 : match < 5 ? 1 : match < 9 ? 2 : 3;
}

}  // namespace quire
