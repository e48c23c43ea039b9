#pragma once

#include <cstddef>
#include <cstdint>

namespace quire {

/// Of a vocabulary. The largest real ones have some 262,000 tokens and 515,000 merges, and one of
/// WordPiece (LaBSE) 501,000 tokens.
inline constexpr size_t kMaxVocabularyTokens = size_t{1} << 19;
inline constexpr size_t kMaxVocabularyMerges = size_t{5} << 17;

/// Of one token as its file spells it. The longest real ones have some hundred bytes.
inline constexpr size_t kMaxTokenBytes = 4096;
/// Of all tokens together, and of all merges. The largest real ones have 5 MB each: memory is
/// bounded for a vocabulary that is at both limits and at those of their numbers.
inline constexpr size_t kMaxVocabularyBytes = size_t{8} << 20;
inline constexpr size_t kMaxMergeBytes = size_t{16} << 20;

/// Of text that a simple loop reads, hashes or copies in a step of a WorkBudget.
inline constexpr size_t kBytesPerStep = 64;

/// For finding all pairs of tokens that form a token, a step for each token that is looked up,
/// which takes up to a quarter of a microsecond. Real vocabularies need 1.4 for each of their
/// characters, and so up to half of it. Of steps alone, so that a slow processor refuses none of
/// them.
inline constexpr uint64_t kMaxPairSteps = 5'000'000;

/// Of a tokenizer.json or tokenizer.model. The largest real ones take 33 MB.
inline constexpr size_t kMaxTokenizerBytes = size_t{64} << 20;

}  // namespace quire
