#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// How an added token is recognised in text.
struct AddedTokenRule {
  TokenId id = 0;
  std::string content{};
  bool is_special = false;    ///< Never becomes a token in plain text.
  bool single_word = false;   ///< Not within a word.
  bool takes_before = false;  ///< White space before it belongs to it (`lstrip`).
  bool takes_after = false;   ///< White space after it belongs to it (`rstrip`).
  bool normalized = false;    ///< Matched in normalised text.
};

/// Finds added tokens in text: the leftmost, and of several at one place the longest. A special
/// token is not reported, but tokens within it are not found either.
/// Thread: immutable once built; any thread.
class AddedTokenMatcher {
 public:
  static constexpr size_t kMaxContentBytes = 1024;
  /// Nodes of the trie: ten times those of the largest vocabulary. Each takes some sixty bytes of
  /// memory.
  static constexpr size_t kMaxNodes = size_t{1} << 21;

  /// Ignores a rule without a content, one whose content was added before, and all beyond
  /// kMaxNodes, which is_full() then reports.
  void add(const AddedTokenRule& rule);
  bool is_empty() const { return m_rules.empty(); }
  bool is_full() const { return m_is_full; }
  /// The error for a file whose tokens do not fit: kUnsupported, without the file's name.
  static Error too_many();

  struct Match {
    size_t begin = 0;
    size_t end = 0;
    TokenId id = 0;
  };
  /// The first match at or after `from`; `used` is where the previous one ended, with what it took.
  std::optional<Match> find(std::string_view text, size_t from, size_t used) const;

 private:
  struct Node {
    std::vector<std::pair<uint8_t, int32_t>> children;
    int32_t rule = -1;
  };
  int32_t longest_at(std::string_view text, size_t at) const;
  std::optional<Match> accept(std::string_view text, size_t begin, const AddedTokenRule& rule,
                              size_t used) const;

  bool m_is_full = false;
  std::vector<AddedTokenRule> m_rules;
  std::vector<Node> m_nodes;  ///< A trie; children of the root are in m_roots.
  std::array<int32_t, 256> m_roots = filled();

  static std::array<int32_t, 256> filled() {
    std::array<int32_t, 256> none;
    none.fill(-1);
    return none;
  }
};

}  // namespace quire
