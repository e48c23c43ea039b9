#pragma once

#include <QString>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

#include "engine/sampling/penalties.h"
#include "engine/sampling/sampling_params.h"

/// Rows of logits for tests of sampling.
namespace quire::test {

/// One row: its logits and how a token is drawn from them.
struct LogitsRow {
  std::vector<float> logits;
  SamplingParams params;
  TokenHistory history;
  uint64_t position = 0;
  std::vector<uint32_t> allowed;  ///< Words of a mask; empty: all tokens.

  QString text() const {
    return QString("V=%1 temperature=%2 top_k=%3 top_p=%4 min_p=%5 penalties %6 %7 %8 seed=%9")
               .arg(logits.size())
               .arg(params.temperature)
               .arg(params.top_k)
               .arg(params.top_p)
               .arg(params.min_p)
               .arg(params.repetition_penalty)
               .arg(params.presence_penalty)
               .arg(params.frequency_penalty)
               .arg(params.seed) +
           QString(" position=%1 biases %2 mask %3")
               .arg(position)
               .arg(params.logit_bias.size())
               .arg(!allowed.empty());
  }
};

/// Random rows, from peaked to flat, with ties, masks and what is not a number.
class RandomSampleRows {
 public:
  explicit RandomSampleRows(uint32_t seed) : m_random(seed) {}

  template <typename T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[m_random() % from.size()];
  }
  bool one_in(unsigned n) { return m_random() % n == 0; }

  LogitsRow next(size_t vocab) {
    LogitsRow row{.logits = logits(vocab), .history = TokenHistory(static_cast<int>(vocab))};
    SamplingParams& params = row.params;
    params.temperature = pick({0.0f, 1e-6f, 0.2f, 0.7f, 1.0f, 1.0f, 1.5f, 5.0f, 100.0f});
    params.top_k = pick({0, 0, 0, 1, 2, 40, 64, 257, 300, 1000, 5000, 2147483647});
    params.top_p = pick({1.0f, 1.0f, 0.9999f, 0.95f, 0.9f, 0.5f, 0.1f, 1e-6f});
    params.min_p = pick({0.0f, 0.0f, 1e-4f, 0.05f, 0.5f, 1.0f});
    params.seed = m_random();
    row.position = m_random() % 1000;
    if (one_in(3)) penalise(row);
    if (one_in(4)) add_biases(row);
    if (one_in(4)) add_mask(row);
    return row;
  }

 private:
  std::vector<float> logits(size_t vocab) {
    const float deviation = pick({0.0f, 0.01f, 0.3f, 1.0f, 2.0f, 4.0f, 12.0f, 1e37f});
    std::normal_distribution<float> normal(pick({0.0f, 5.0f, -20.0f}), std::max(deviation, 1e-30f));
    const float grid = pick({0.0f, 0.0f, 0.25f, 2.0f});
    const unsigned masked = pick({0u, 0u, 2u, 100u});
    std::vector<float> numbers(vocab);
    for (float& x : numbers) {
      x = deviation == 0.0f ? 3.0f : normal(m_random);
      if (grid > 0.0f) x = std::round(x / grid) * grid;
      if (masked > 0 && !one_in(masked)) x = -INFINITY;
    }
    if (one_in(12)) numbers[m_random() % vocab] = pick({NAN, INFINITY, -INFINITY, -0.0f});
    return numbers;
  }

  void penalise(LogitsRow& row) {
    row.params.repetition_penalty = pick({1.0f, 1.1f, 0.5f, 100.0f});
    row.params.presence_penalty = pick({0.0f, 0.7f, -1.0f});
    row.params.frequency_penalty = pick({0.0f, 0.3f, -100.0f});
    for (int i = pick({0, 1, 40, 200}); i > 0; --i) {
      const auto id = static_cast<TokenId>(m_random() % row.logits.size());
      if (one_in(2)) {
        row.history.add_output(id);
      } else {
        row.history.add_prompt(std::vector<TokenId>{id});
      }
    }
  }

  void add_biases(LogitsRow& row) {
    std::vector<TokenId> ids(row.logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::shuffle(ids.begin(), ids.end(), m_random);
    ids.resize(std::min(ids.size(), pick({size_t{1}, size_t{3}, size_t{150}})));
    for (const TokenId id : ids) {
      row.params.logit_bias.push_back({id, pick({-100.0f, -1.3f, 0.0f, 0.7f, 5.0f, 100.0f})});
    }
  }

  /// From nearly all tokens to one.
  void add_mask(LogitsRow& row) {
    const unsigned kept = pick({1u, 2u, 50u, 1000000u});
    row.allowed.assign((row.logits.size() + 31) / 32, 0u);
    for (size_t id = 0; id < row.logits.size(); ++id) {
      const bool is_in = kept == 1 ? !one_in(30) : one_in(kept);
      if (is_in) row.allowed[id / 32] |= 1u << (id % 32);
    }
    const size_t id = m_random() % row.logits.size();
    row.allowed[id / 32] |= 1u << (id % 32);
  }

  std::mt19937 m_random;
};

}  // namespace quire::test
