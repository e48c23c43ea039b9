#pragma once

#include <cstddef>
#include <cstdint>

namespace quire {

/// Of a vocabulary. The largest real ones have some 262,000 tokens and 515,000 merges.
inline constexpr size_t kMaxVocabularyTokens = size_t{1} << 19;
inline constexpr size_t kMaxVocabularyMerges = size_t{1} << 20;

/// Of text that a simple loop reads, hashes or copies in a step of a WorkBudget.
inline constexpr size_t kBytesPerStep = 64;

/// For finding all pairs of tokens that form a token. Real vocabularies need a tenth of it.
inline constexpr uint64_t kMaxPairSteps = 30'000'000;

/// Of a tokenizer.json or tokenizer.model. The largest real ones take 33 MB.
inline constexpr size_t kMaxTokenizerBytes = size_t{64} << 20;

}  // namespace quire
