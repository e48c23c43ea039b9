#pragma once

#include <random>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Prompts of random tokens, the same for each call with the same seed. Special tokens are left
/// out: a template would not put them there.
class RandomPrompts {
 public:
  RandomPrompts(const Tokenizer& tokenizer, uint32_t seed)
      : m_tokenizer(&tokenizer), m_random(seed) {}

  std::vector<TokenId> make(int count) {
    std::vector<TokenId> ids;
    while (static_cast<int>(ids.size()) < count) {
      // Not a std distribution: its results differ between standard libraries.
      const auto id =
          static_cast<TokenId>(m_random() % static_cast<uint32_t>(m_tokenizer->vocab_size()));
      if (!m_tokenizer->is_special(id)) ids.push_back(id);
    }
    return ids;
  }

 private:
  const Tokenizer* m_tokenizer;
  std::mt19937 m_random;
};

}  // namespace quire
