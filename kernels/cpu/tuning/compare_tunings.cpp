#include "kernels/cpu/tuning/compare_tunings.h"

#include <algorithm>

namespace quire::cpu {
namespace {

constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 15;
/// After so many rounds, candidates that take at least kClearlySlower times as long as the best are
/// left out.
constexpr int kSortingRounds = 3;
constexpr double kClearlySlower = 1.08;
/// Another candidate may take at most this part of the default's time.
constexpr double kClearlyFaster = 0.97;
/// The part of the budget for the rounds of all candidates; the rest is for the last comparison.
constexpr double kRoundsShare = 0.75;

/// The lower quartile, because other programs make a pass slower and never faster.
double typical(std::vector<double> seconds) {
  const auto at = seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 4);
  std::nth_element(seconds.begin(), at, seconds.end());
  return *at;
}

/// The rounds of a comparison.
class Rounds {
 public:
  Rounds(std::span<const LinearTuning> candidates,
         const std::function<TuningPass(const LinearTuning&)>& measure)
      : m_candidates(candidates),
        m_measure(measure),
        m_passes(candidates.size()),
        m_is_left_out(candidates.size()) {}

  double elapsed() const { return m_elapsed; }
  double seconds(size_t i) const { return typical(m_passes[i]); }

  /// Measures the candidates that are not left out. Each round begins with another one.
  void run(int round) {
    for (size_t n = 0; n < m_candidates.size(); ++n) {
      const size_t i = (n + static_cast<size_t>(round)) % m_candidates.size();
      if (m_is_left_out[i]) continue;
      const TuningPass pass = m_measure(m_candidates[i]);
      m_passes[i].push_back(pass.seconds);
      m_elapsed += pass.elapsed;
    }
  }

  size_t best() const {
    size_t best = 0;
    for (size_t i = 1; i < m_candidates.size(); ++i) {
      if (!m_is_left_out[i] && seconds(i) < seconds(best)) best = i;
    }
    return best;
  }

  void leave_out_slow_ones() {
    const double limit = kClearlySlower * seconds(best());
    for (size_t i = 1; i < m_candidates.size(); ++i) {
      if (seconds(i) > limit) m_is_left_out[i] = true;
    }
  }

  /// Leaves out all but the default and one other candidate, and forgets the passes of these two.
  void keep_only(size_t candidate) {
    for (size_t i = 1; i < m_candidates.size(); ++i) m_is_left_out[i] = i != candidate;
    m_passes[0].clear();
    m_passes[candidate].clear();
  }

 private:
  std::span<const LinearTuning> m_candidates;
  const std::function<TuningPass(const LinearTuning&)>& m_measure;
  std::vector<std::vector<double>> m_passes;
  std::vector<bool> m_is_left_out;
  double m_elapsed = 0.0;
};

}  // namespace

ComparedTunings compare_tunings(std::span<const LinearTuning> candidates,
                                const std::function<TuningPass(const LinearTuning&)>& measure,
                                double budget_seconds) {
  Rounds rounds(candidates, measure);
  const auto run = [&](double seconds) {
    for (int i = 0; i < kMostRounds; ++i) {
      if (i >= kLeastRounds && rounds.elapsed() > seconds) return;
      rounds.run(i);
      if (i + 1 == kSortingRounds) rounds.leave_out_slow_ones();
    }
  };
  const auto is_clearly_faster = [&](size_t i) {
    return rounds.seconds(i) <= kClearlyFaster * rounds.seconds(0);
  };
  run(kRoundsShare * budget_seconds);
  ComparedTunings compared;
  const size_t best = rounds.best();
  if (best != 0 && is_clearly_faster(best)) {
    rounds.keep_only(best);
    run(budget_seconds);
    if (is_clearly_faster(best)) compared.chosen = best;
  }
  for (size_t i = 0; i < candidates.size(); ++i) compared.seconds.push_back(rounds.seconds(i));
  compared.elapsed = rounds.elapsed();
  return compared;
}

}  // namespace quire::cpu
