#pragma once

#include <QTest>

#include <string>
#include <utility>
#include <vector>

#include "engine/llm.h"

namespace quire {

/// Whether QUIRE_LONG_TESTS asks for longer answers.
inline bool is_long() {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
}

/// The parameters of the i-th of several answers: all temperatures, penalties, biases, stop tokens,
/// these stop strings, least lengths and log probabilities in turns.
inline SamplingParams varied_sampling(int i, std::vector<std::string> stop) {
  SamplingParams sampling{.temperature = std::vector{0.0f, 0.7f, 1.2f}[size_t(i) % 3],
                          .seed = uint64_t(i) * 11,
                          .max_tokens = is_long() ? 64 : 24,
                          .ignore_eos = i % 2 == 0};
  if (i % 5 == 1) sampling.repetition_penalty = 1.2f;
  if (i % 5 == 2) sampling.presence_penalty = sampling.frequency_penalty = 0.3f;
  if (i % 4 == 1) sampling.logit_bias = {{300, 2.5f}, {310, -100.0f}, {401, 4.0f}, {9, 3.0f}};
  if (i % 6 == 4) sampling.stop_token_ids = {305, 320, 333, 350, 402, 410, 455, 500};
  if (i % 7 == 3) sampling.stop = std::move(stop);
  if (i % 7 == 5) sampling.num_logprobs = 2;
  if (i % 3 == 1) sampling.min_tokens = 10;
  return sampling;
}

/// Fails the test if the answers differ in tokens, text, end or log probabilities.
inline void compare(const Completion& found, const Completion& expected) {
  QCOMPARE(found.tokens, expected.tokens);
  QCOMPARE(found.text, expected.text);
  QCOMPARE(found.finish, expected.finish);
  QCOMPARE(found.logprobs.size(), expected.logprobs.size());
  for (size_t i = 0; i < found.logprobs.size(); ++i) {
    QCOMPARE(found.logprobs[i].size(), expected.logprobs[i].size());
    for (size_t j = 0; j < found.logprobs[i].size(); ++j) {
      QCOMPARE(found.logprobs[i][j].id, expected.logprobs[i][j].id);
      QCOMPARE(found.logprobs[i][j].logprob, expected.logprobs[i][j].logprob);
    }
  }
}

}  // namespace quire
