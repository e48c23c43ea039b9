#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sampling/sampling_params.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Which tokens a sequence holds, for penalties. 5 bytes a vocabulary entry; a request without
/// penalties uses an empty one.
/// Thread: one at a time. Invariants: seen() has no id twice, and all ids are in [0, V).
class TokenHistory {
 public:
  explicit TokenHistory(int vocab_size = 0);

  /// Ids outside the vocabulary are ignored.
  void add_prompt(std::span<const TokenId> ids);
  void add_output(TokenId id);

  /// What undo() goes back to.
  size_t mark() const { return m_seen.size(); }
  /// Takes back the outputs that were added since the mark.
  void undo(std::span<const TokenId> outputs, size_t mark);

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

/// Whether any penalty of `params` changes anything; if not, no history is needed.
bool has_penalties(const SamplingParams& params);

}  // namespace quire
