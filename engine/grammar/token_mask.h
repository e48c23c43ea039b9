#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A set of a vocabulary's tokens: bit id % 32 of word id / 32, as in SampleBatch::allowed_words.
using TokenMask = std::vector<uint32_t>;

inline TokenMask empty_mask(int vocab_size) {
  return TokenMask((static_cast<size_t>(vocab_size) + 31) / 32, 0u);
}
inline void add_token(TokenMask& mask, TokenId id) {
  mask[static_cast<size_t>(id) / 32] |= 1u << (static_cast<uint32_t>(id) % 32);
}
inline bool has_token(std::span<const uint32_t> mask, TokenId id) {
  return ((mask[static_cast<size_t>(id) / 32] >> (static_cast<uint32_t>(id) % 32)) & 1u) != 0;
}
inline void add_tokens(TokenMask& mask, std::span<const uint32_t> others) {
  for (size_t i = 0; i < mask.size(); ++i) mask[i] |= others[i];
}
inline void remove_token(TokenMask& mask, TokenId id) {
  mask[static_cast<size_t>(id) / 32] &= ~(1u << (static_cast<uint32_t>(id) % 32));
}
inline bool is_empty(std::span<const uint32_t> mask) {
  for (const uint32_t word : mask) {
    if (word != 0) return false;
  }
  return true;
}

}  // namespace quire
