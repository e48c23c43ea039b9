#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Which tokens a sequence holds, for penalties: advanced by a token at a time, and made again from
/// a sequence's tokens with clear() and add. 5 bytes a vocabulary entry; a request without
/// penalties does with an empty one.
/// Thread: one at a time. Invariants: seen() has no id twice, and all ids are in [0, V).
class TokenHistory {
 public:
  explicit TokenHistory(int vocab_size = 0);

  /// Ids outside the vocabulary are ignored.
  void add_prompt(std::span<const TokenId> ids);
  void add_output(TokenId id);
  void clear();

  /// Every token of the prompt and the answer once, in the order of first appearance.
  std::span<const TokenId> seen() const { return m_seen; }
  /// How often the answer has it; `id` is one of seen().
  uint32_t output_count(TokenId id) const { return m_output_counts[static_cast<size_t>(id)]; }

 private:
  bool note(TokenId id);

  std::vector<uint32_t> m_output_counts;  ///< (V)
  std::vector<uint8_t> m_is_seen;         ///< (V)
  std::vector<TokenId> m_seen;
};

}  // namespace quire
