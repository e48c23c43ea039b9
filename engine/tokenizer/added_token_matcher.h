#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/tokenizer/byte_trie.h"
#include "engine/tokenizer/special_tokens.h"
#include "kernels/base/result.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// Finds added tokens in text: the leftmost, and of several at one place the longest. A special
/// token is not reported, but tokens within it are not found either.
/// Thread: any thread once finished.
class AddedTokenMatcher {
 public:
  static constexpr size_t kMaxContentBytes = 1024;
  /// Of all contents: ten times those of the largest vocabulary.
  static constexpr size_t kMaxBytes = size_t{1} << 21;

  /// Ignores a token without a content or with a longer one than kMaxContentBytes. Of several with
  /// the same content the first counts.
  void add(const AddedToken& token);
  /// To be called once, when all tokens are added. Errors: kUnsupported for more than kMaxBytes,
  /// without the file's name.
  Result<void> finish();
  bool is_empty() const { return m_tokens.empty(); }

  struct Match {
    size_t begin = 0;
    size_t end = 0;
    TokenId id = 0;
  };
  /// The first match at or after `from`. `used`: where the previous match ended, the white space
  /// that it stripped included. Nothing also once the budget is spent.
  std::optional<Match> find(std::string_view text, size_t from, size_t used,
                            WorkBudget& budget) const;

 private:
  std::optional<Match> accept(std::string_view text, size_t begin, const AddedToken& token,
                              size_t used) const;

  size_t m_num_bytes = 0;
  std::vector<AddedToken> m_tokens;
  ByteTrie m_trie;              ///< Places in m_tokens.
  std::bitset<256> m_is_first;  ///< Bytes that a content begins with.
};

}  // namespace quire
