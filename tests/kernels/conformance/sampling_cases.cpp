#include "tests/kernels/conformance/sampling_cases.h"

#include <limits>

#include "tests/engine/sampling/sample_one.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {
namespace {

constexpr int64_t kRows = 40;

/// One of every kind of parameters, by number; each has its seed.
SamplingParams params_of(int64_t row, int64_t V) {
  SamplingParams params;
  params.seed = static_cast<uint64_t>(row) * 77 + 5;
  const bool has_all = row % 8 == 7;
  if (row % 8 == 0) params.temperature = 0.0f;
  if (row % 8 == 2 || has_all) params.temperature = 0.6f;
  if (row % 8 == 3 || has_all) params.top_k = 40;
  if (row % 8 == 4 || has_all) params.top_p = 0.9f;
  if (row % 8 == 5 || has_all) params.min_p = 0.05f;
  if (row % 8 == 6 || has_all) {
    params.repetition_penalty = 1.3f;
    params.presence_penalty = 0.4f;
    params.frequency_penalty = 0.2f;
  }
  if (row % 3 == 0) {
    params.logit_bias = {{static_cast<TokenId>(row % V), 3.5f}};
    if (V > 1) params.logit_bias.push_back({static_cast<TokenId>((row + 1) % V), -100.0f});
  }
  return params;
}

/// The tokens that a row allows: all for most rows.
std::vector<uint32_t> allowed_of(int64_t row, int64_t V) {
  if (row % 4 != 2) return {};
  Numbers numbers(static_cast<uint32_t>(row + 2000));
  std::vector<uint32_t> words(static_cast<size_t>((V + 31) / 32), 0u);
  for (int64_t i = 0; i < V; ++i) {
    const bool is_in = i == row % V || numbers.below(row % 8 == 2 ? 20 : 2) == 0;
    if (is_in) words[static_cast<size_t>(i / 32)] |= 1u << (i % 32);
  }
  return words;
}

/// Peaked rows, flat ones, rows of few different numbers, and rows that nothing can be drawn from.
std::vector<float> make_logits(int64_t V) {
  Numbers numbers(static_cast<uint32_t>(V));
  const float sizes[] = {12.0f, 1.0f, 0.01f, 4.0f, 30.0f};
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> logits;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t i = 0; i < V; ++i) {
      float logit = numbers.next() * sizes[row / 8];
      if (row % 5 == 1) logit = static_cast<float>(numbers.below(3));
      if (row % 5 == 2 && i % 3 == 1) logit = -infinity;
      if (row == 36) logit = -infinity;
      logits.push_back(logit);
    }
  }
  logits[static_cast<size_t>(37 * V + V / 2)] = std::numeric_limits<float>::quiet_NaN();
  logits[static_cast<size_t>(39 * V + V - 1)] = infinity;
  return logits;
}

TokenHistory history_of(int64_t row, int64_t V) {
  TokenHistory history(static_cast<int>(V));
  Numbers numbers(static_cast<uint32_t>(row + 1000));
  std::vector<TokenId> prompt;
  for (int i = 0; i < 9; ++i) prompt.push_back(numbers.below(static_cast<int>(V)));
  history.add_prompt(prompt);
  for (int i = 0; i < 12; ++i) history.add_output(numbers.below(static_cast<int>(V)));
  return history;
}

/// The CPU's tokens, row by row.
std::vector<int32_t> expected_tokens(std::vector<float> logits, int64_t V) {
  cpu::RowSampler sampler;
  std::vector<int32_t> ids;
  for (int64_t row = 0; row < kRows; ++row) {
    const std::span<float> own =
        std::span(logits).subspan(static_cast<size_t>(row * V), static_cast<size_t>(V));
    ids.push_back(sample_one(sampler, own, params_of(row, V), history_of(row, V),
                             static_cast<uint64_t>(row), allowed_of(row, V)));
  }
  return ids;
}

/// Rows [begin, begin + count) in a batch of their own.
std::vector<int32_t> tokens(Device& device, const std::vector<float>& logits, int64_t V,
                            int64_t begin, int64_t count) {
  const DeviceArray<float> rows(device, logits);
  const DeviceArray<int32_t> ids(device, count, -7);
  SampleRows sample_rows;
  for (int64_t row = begin; row < begin + count; ++row) {
    sample_rows.add(params_of(row, V), history_of(row, V), static_cast<uint64_t>(row),
                    allowed_of(row, V));
  }
  device.backend.sample(ids.view({count}), rows.view({kRows, V}).rows(begin, count),
                        sample_rows.batch());
  return ids.download();
}

void run_sample(Trial& trial, int64_t V) {
  const std::vector<float> logits = make_logits(V);
  const std::vector<int32_t> expected = expected_tokens(logits, V);
  trial.compare.same_bits("token_ids", tokens(trial.tested, logits, V, 0, kRows), expected);
  for (int64_t row : {int64_t{0}, int64_t{7}, kRows - 1}) {
    trial.compare.same_bits("Row " + std::to_string(row) + " alone",
                            tokens(trial.tested, logits, V, row, 1),
                            std::span(expected).subspan(static_cast<size_t>(row), 1));
  }
}

}  // namespace

void add_sampling_cases(std::vector<Case>& cases) {
  for (int64_t V : {1, 63, 65, 1000, 5003}) {
    cases.push_back(
        {"sample", "V=" + std::to_string(V), [V](Trial& trial) { run_sample(trial, V); }});
  }
}

}  // namespace quire::test
