#include "engine/sampling/logprobs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/softmax_weight.h"

namespace quire {
namespace {

/// log(sum of exp(logit)).
float log_sum_of(std::span<const float> logits) {
  const SoftmaxWeight weight = {.max = *std::ranges::max_element(logits)};
  double sum = 0.0;
  for (const float logit : logits) sum += static_cast<double>(weight(logit));
  return weight.max + static_cast<float>(std::log(sum));
}

bool is_likelier(const TokenLogprob& a, const TokenLogprob& b) {
  return a.logprob != b.logprob ? a.logprob > b.logprob : a.id < b.id;
}

}  // namespace

std::vector<TokenLogprob> compute_logprobs(std::span<const float> logits, TokenId sampled,
                                           int count) {
  const float log_sum = log_sum_of(logits);
  std::vector<TokenLogprob> result = {{sampled, logits[static_cast<size_t>(sampled)] - log_sum}};
  // The likeliest so far, as a heap whose front is the least likely of them.
  std::vector<TokenLogprob> top;
  for (size_t i = 0; count > 0 && i < logits.size(); ++i) {
    const TokenLogprob token = {static_cast<TokenId>(i), logits[i] - log_sum};
    if (token.logprob == -std::numeric_limits<float>::infinity()) continue;
    if (std::ssize(top) == count) {
      if (!is_likelier(token, top.front())) continue;
      std::ranges::pop_heap(top, is_likelier);
      top.pop_back();
    }
    top.push_back(token);
    std::ranges::push_heap(top, is_likelier);
  }
  std::ranges::sort_heap(top, is_likelier);
  result.insert(result.end(), top.begin(), top.end());
  return result;
}

}  // namespace quire
