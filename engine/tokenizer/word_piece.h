#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/tokenizer/byte_trie.h"
#include "engine/tokenizer/word_model.h"
#include "kernels/base/result.h"

namespace quire {

/// WordPiece (arXiv:1609.08144, as BERT uses it): the longest token that a word begins with, then
/// the longest that continues it, and so on; the unknown token for a word that cannot be cut so.
/// Thread: immutable; any thread.
class WordPiece final : public WordModel {
 public:
  struct Spec {
    std::string prefix = "##";  ///< Of tokens that continue a word.
    TokenId unknown = 0;
    size_t max_characters = 100;  ///< A longer word is unknown.
  };
  using Vocabulary = std::span<const std::pair<std::string_view, int64_t>>;

  /// Errors: kCorruptFile, a sentence without the file's name.
  static Result<std::unique_ptr<WordPiece>> create(Vocabulary vocabulary, const Spec& spec);

  void append(std::string_view word, WorkBudget& budget, std::vector<TokenId>& ids) const override;

 private:
  explicit WordPiece(Spec spec) : m_spec(std::move(spec)) {}
  bool cut(std::string_view word, WorkBudget& budget, std::vector<TokenId>& ids) const;

  Spec m_spec;
  ByteTrie m_starts;
  ByteTrie m_continuations;  ///< Without the prefix.
};

}  // namespace quire
