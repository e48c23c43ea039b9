#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/tokenizer/byte_trie.h"
#include "engine/tokenizer/word_model.h"
#include "kernels/base/result.h"

namespace quire {

/// The unigram model (arXiv:1804.10959) of Hugging Face's tokenizers: of all ways to cut a word
/// into pieces the one whose scores have the largest sum, in double precision, which decides ties.
/// UnigramModel is that of the sentencepiece library, in single precision.
/// Thread: immutable; any thread.
class JsonUnigram final : public WordModel {
 public:
  struct Spec {
    std::optional<TokenId> unknown;
    bool has_byte_fallback = false;
  };
  using Vocabulary = std::span<const std::pair<std::string_view, double>>;  ///< By id.

  /// Errors: kCorruptFile, a sentence without the file's name: scores that are no numbers, no
  /// unknown piece.
  static Result<std::unique_ptr<JsonUnigram>> create(Vocabulary vocabulary, const Spec& spec);

  void append(std::string_view word, WorkBudget& budget, std::vector<TokenId>& ids) const override;

 private:
  /// A place in the word, reached by the best way so far.
  struct Node {
    double score = 0.0;
    size_t begin = std::string_view::npos;  ///< Of the last piece on that way.
    TokenId id = -1;                        ///< Its token.
  };
  JsonUnigram() = default;
  std::vector<Node> search(std::string_view word, WorkBudget& budget) const;
  void append_unknown(std::string_view piece, std::vector<TokenId>& ids) const;

  ByteTrie m_pieces;
  std::vector<double> m_scores;
  double m_unknown_score = 0.0;
  TokenId m_unknown = 0;
  std::array<TokenId, 256> m_byte_ids{};  ///< -1 for none.
};

}  // namespace quire
