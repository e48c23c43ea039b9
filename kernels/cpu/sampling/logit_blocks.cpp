#include "kernels/cpu/sampling/logit_blocks.h"

#include <algorithm>
#include <limits>

#include "kernels/base/check.h"
#include "kernels/cpu/sampling/logit_passes.h"

namespace quire::cpu {
namespace {

constexpr size_t kBlock = kLogitBlock;

}  // namespace

bool LogitBlocks::scan(std::span<const float> logits) {
  m_logits = logits;
  m_maxima.resize((logits.size() + kBlock - 1) / kBlock);
  const bool is_sound = logit_passes().front().scan(logits, m_maxima);
  m_max = kMasked;
  for (const float maximum : m_maxima) m_max = std::max(m_max, maximum);
  return is_sound && m_max > kMasked;
}

std::span<const float> LogitBlocks::block(size_t index) const {
  const size_t begin = index * kBlock;
  return m_logits.subspan(begin, std::min(kBlock, m_logits.size() - begin));
}

int32_t LogitBlocks::argmax() const {
  const auto found = std::find(m_maxima.begin(), m_maxima.end(), m_max);
  const auto index = static_cast<size_t>(found - m_maxima.begin());
  const std::span<const float> logits = block(index);
  const auto place = std::find(logits.begin(), logits.end(), m_max) - logits.begin();
  return static_cast<int32_t>(index * kBlock + static_cast<size_t>(place));
}

/// The k-th largest of the maxima: at least k logits are as large.
float LogitBlocks::lower_bound_of_kth(size_t k) const {
  if (k > m_maxima.size()) return kMasked;
  std::vector<float> maxima = m_maxima;
  const auto kth = maxima.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::nth_element(maxima.begin(), kth, maxima.end(), std::greater<>());
  return *kth;
}

void LogitBlocks::select_above(float threshold, std::vector<Candidate>& out) const {
  out.clear();
  for (size_t b = 0; b < m_maxima.size(); ++b) {
    if (!(m_maxima[b] >= threshold) || m_maxima[b] == kMasked) continue;
    const std::span<const float> logits = block(b);
    for (size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] < threshold || logits[i] == kMasked) continue;
      out.push_back({static_cast<int32_t>(b * kBlock + i), logits[i]});
    }
  }
}

void LogitBlocks::select_top(size_t k, std::vector<Candidate>& out) const {
  out.clear();
  if (k == 0) return;
  select_above(lower_bound_of_kth(k), out);
  if (out.size() > k) {
    std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(k) - 1, out.end(),
                     is_preferred);
    out.resize(k);
  }
  std::sort(out.begin(), out.end(), is_preferred);
}

double LogitBlocks::sum_weights(SoftmaxWeight weight) {
  m_sums.resize(m_maxima.size());
  logit_passes().front().sum(m_logits, weight, m_sums);
  double total = 0.0;
  for (const float sum : m_sums) total += static_cast<double>(sum);
  return total;
}

int32_t LogitBlocks::find_running_sum(SoftmaxWeight weight, double target) const {
  CHECK(m_sums.size() == m_maxima.size());
  double sum = 0.0;
  size_t b = 0;
  while (b + 1 < m_sums.size() && sum + static_cast<double>(m_sums[b]) <= target) {
    sum += static_cast<double>(m_sums[b++]);
  }
  // Rounding may lead past the end: then the last token with a weight is taken.
  while (b > 0 && m_sums[b] == 0.0f) --b;
  const std::span<const float> logits = block(b);
  size_t last = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const float w = weight(logits[i]);
    if (w == 0.0f) continue;
    last = i;
    sum += static_cast<double>(w);
    if (sum > target) break;
  }
  return static_cast<int32_t>(b * kBlock + last);
}

}  // namespace quire::cpu
