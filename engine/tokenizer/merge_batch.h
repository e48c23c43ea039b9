#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/tokenizer/bpe_merges.h"
#include "engine/tokenizer/string_index.h"

namespace quire {

/// Adds the merges of a list by the texts of their tokens, in the order of their ranks. Looks up
/// those of many merges at once (StringIndex::find_all).
/// Thread: one at a time. The tokens and the merges must outlive it.
class MergeBatch {
 public:
  /// A merge of which one token is not there.
  struct Missing {
    size_t rank = 0;
    std::string
        token{};  ///< The left one, the right one or both joined, the first that is missing.
  };

  MergeBatch(const StringIndex& tokens, BpeMerges& merges) : m_tokens(tokens), m_merges(merges) {}

  /// Adds the next merge; the texts are to stay until it is looked up, by this or a later call.
  /// Errors: the first merge that lacks a token, of those that this call looked up.
  std::optional<Missing> add(std::string_view left, std::string_view right);
  /// To be called after the last merge, and before an error of it is reported. Errors: as add().
  std::optional<Missing> finish();

 private:
  static constexpr size_t kAtOnce = 32;
  const StringIndex& m_tokens;
  BpeMerges& m_merges;
  size_t m_rank = 0;   ///< Of the first merge that is not looked up yet.
  size_t m_count = 0;  ///< Of those.
  std::array<std::string, kAtOnce> m_joined;
  std::array<std::string_view, 3 * kAtOnce> m_texts;
  std::array<TokenId, 3 * kAtOnce> m_ids{};
};

}  // namespace quire
