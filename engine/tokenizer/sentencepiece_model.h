#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/byte_trie.h"
#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// What SentencePiece does to text before anything else (normalizer.cc): the model's compiled
/// rules, white space, the dummy prefix. Pieces that a user defined are left as they are.
/// Thread: immutable; any thread.
class SentencePieceNormalizer {
 public:
  /// `space`: what replaces a space, and U+2581 if the model escapes spaces.
  SentencePieceNormalizer(const SentencePieceModel& model, std::string_view space);

  bool prepends() const { return m_adds_prefix || m_adds_suffix; }
  /// `text` is well-formed. `at_start`: the text is the first of its sequence and gets the dummy
  /// prefix, if the model has one. Rules that would make the text longer than `max_bytes` are left
  /// out, and all rules once the budget is spent.
  std::string apply(std::string_view text, bool at_start, size_t max_bytes,
                    WorkBudget& budget) const;

 private:
  struct Step {
    std::string_view content;
    size_t used = 0;  ///< Bytes of the text that it replaces.
  };
  Step next(std::string_view text, WorkBudget& budget) const;
  std::optional<Step> rule_for(std::string_view text, WorkBudget& budget) const;
  uint32_t unit(size_t index) const;

  std::string m_trie;          ///< A double array as darts-clone writes it.
  std::string m_replacements;  ///< Each ends with a zero.
  ByteTrie m_user_defined;
  std::string m_space;
  bool m_escapes;
  bool m_adds_prefix;
  bool m_adds_suffix;
  bool m_removes_extra_spaces;
};

/// SentencePiece's unigram model (Kudo, arXiv:1804.10959): of all ways to cut a text into pieces
/// the one whose scores have the largest sum.
/// Thread: immutable; any thread.
class UnigramModel {
 public:
  /// Uses the pieces that `allows` accepts. `byte_ids`: the tokens for the bytes of characters that
  /// are no pieces. Errors: kCorruptFile.
  static Result<UnigramModel> create(const SentencePieceModel& model,
                                     const std::function<bool(TokenId)>& allows,
                                     const std::array<TokenId, 256>& byte_ids);

  /// The ids of a normalised text, appended. Characters that are no pieces become their bytes, or,
  /// where the model has no bytes, the unknown piece, one for several in a row. Once the budget is
  /// spent, no character is part of a piece any more.
  void append(std::string_view text, WorkBudget& budget, std::vector<TokenId>& ids) const;

 private:
  UnigramModel() = default;

  ByteTrie m_pieces;
  std::vector<float> m_scores;  ///< By id.
  std::vector<bool> m_is_user_defined;
  float m_max_score = 0;
  float m_unknown_score = 0;
  TokenId m_unknown = 0;
  std::optional<std::array<TokenId, 256>> m_byte_ids;
};

}  // namespace quire
