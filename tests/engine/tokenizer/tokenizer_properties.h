#pragma once

#include <string>

#include "engine/tokenizer/tokenizer.h"

namespace quire::test {

/// Few in CI; QUIRE_LONG_TESTS=1 runs the 10,000 of the targets.
int num_random_texts();

/// Texts for property tests, the same for the same seed: characters of many scripts, digits, spaces
/// and line breaks, emoji and marks; and strings of any bytes.
class RandomTexts {
 public:
  explicit RandomTexts(uint32_t seed) : m_state(seed) {}
  std::string unicode();
  std::string bytes();
  uint32_t below(uint32_t limit);

 private:
  std::string character();
  uint64_t m_state;
};

/// Fails the current test unless decode(encode(text)) == text for random texts and random bytes,
/// and no special token comes from them. `is_exact`: false where the vocabulary changes texts, and
/// only that is checked.
void check_round_trip(const Tokenizer& tokenizer, bool is_exact = true);

/// Fails the current test unless the pieces of StreamDecoder joined are the whole decoded text, for
/// random tokens.
void check_streaming(const Tokenizer& tokenizer);

}  // namespace quire::test
