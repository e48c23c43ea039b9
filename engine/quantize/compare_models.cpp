#include "engine/quantize/compare_models.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "engine/model_loader.h"
#include "engine/score.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// The logarithms of the softmax of a row, in place.
void to_log_probabilities(std::span<float> row) {
  const float most = *std::ranges::max_element(row);
  double sum = 0.0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit) - most);
  const double log_sum = std::log(sum) + most;
  for (float& logit : row) logit = static_cast<float>(logit - log_sum);
}

/// What a ModelComparison averages, summed over predictions.
class PredictionSums {
 public:
  /// Two models' logits (V) for the token before `target`; both are overwritten.
  void add(std::span<float> p, std::span<float> q, TokenId target) {
    const bool is_same =
        std::ranges::max_element(p) - p.begin() == std::ranges::max_element(q) - q.begin();
    to_log_probabilities(p);
    to_log_probabilities(q);
    for (size_t i = 0; i < p.size(); ++i) {
      m_divergence += std::exp(static_cast<double>(p[i])) * (double{p[i]} - double{q[i]});
    }
    m_surprise -= p[static_cast<size_t>(target)];
    m_other_surprise -= q[static_cast<size_t>(target)];
    m_num_same += is_same ? 1 : 0;
    ++m_num_tokens;
  }

  ModelComparison means() const {
    const auto count = static_cast<double>(m_num_tokens);
    return {.perplexity = std::exp(m_surprise / count),
            .other_perplexity = std::exp(m_other_surprise / count),
            .mean_divergence = m_divergence / count,
            .same_top_fraction = static_cast<double>(m_num_same) / count,
            .num_tokens = m_num_tokens};
  }

 private:
  double m_surprise = 0.0;  ///< Negative log likelihoods of the tokens that follow.
  double m_other_surprise = 0.0;
  double m_divergence = 0.0;
  int64_t m_num_same = 0;
  int64_t m_num_tokens = 0;
};

/// Adds the predictions of both models for the tokens of a window but its first.
Result<void> compare_window(const LoadedModel& first, const LoadedModel& second,
                            std::span<const TokenId> window, PredictionSums& sums) {
  std::vector<int32_t> rows(window.size() - 1);
  std::iota(rows.begin(), rows.end(), 0);
  if (rows.empty()) return {};
  // The last token too, which is predicted only, so that it is checked as all others are.
  auto p = compute_logits(first, window, rows);
  if (!p) return p.error();
  auto q = compute_logits(second, window, rows);
  if (!q) return q.error();
  const auto vocab = static_cast<size_t>(first.config.vocab_size);
  for (size_t i = 0; i < rows.size(); ++i) {
    sums.add(std::span(*p).subspan(i * vocab, vocab), std::span(*q).subspan(i * vocab, vocab),
             window[i + 1]);
  }
  return {};
}

}  // namespace

Result<ModelComparison> compare_models(const fs::path& original, const fs::path& other,
                                       std::string_view text, bool with_special,
                                       const MeasureOptions& options) {
  auto backend = create_backend({.device = "cpu", .num_threads = options.num_threads});
  if (!backend) return backend.error();
  auto first = load_model(original, **backend);
  if (!first) return first.error();
  auto second = load_model(other, **backend);
  if (!second) return second.error();
  if (first->config.vocab_size != second->config.vocab_size) {
    return Error{ErrorCode::kInvalidArgument, "the two models have different vocabularies"};
  }
  PredictionSums sums;
  const std::vector<TokenId> ids = text_tokens(*first->chat->tokenizer, text, with_special);
  const int longest = std::min(first->config.max_positions, second->config.max_positions);
  auto run = for_each_window(ids, longest, options, [&](std::span<const TokenId> window) {
    return compare_window(*first, *second, window, sums);
  });
  if (!run) return run.error();
  return sums.means();
}

}  // namespace quire
