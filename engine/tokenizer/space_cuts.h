#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// Where text without a pre-tokenizer can be cut without changing a merge: before a run of space
/// marks, unless some token goes on over a mark after the character that stands there. Vocabularies
/// of the SentencePiece kind have nearly no such token, so that their texts too come in words.
/// Thread: immutable once built; any thread.
class SpaceCuts {
 public:
  SpaceCuts() = default;
  /// `mark` is what a space is written as in the vocabulary. Without one, nothing is cut.
  explicit SpaceCuts(std::string mark) : m_mark(std::move(mark)) {}

  /// A token that merging can give.
  void add_token(std::string_view token);
  /// To be called once, when all tokens are added.
  void finish();

  /// How many bytes the first piece of `text` has; all of it without a place to cut.
  size_t first_piece(std::string_view text) const;

 private:
  bool is_bound(char32_t character) const;

  std::string m_mark;
  std::vector<char32_t> m_bound;  ///< Sorted: after these a mark may be within a token.
};

}  // namespace quire
