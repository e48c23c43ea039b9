#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/grammar/grammar.h"

namespace quire {

/// Compiles grammars for one model's vocabulary, and keeps those that were used last.
/// Thread: any; a schema is compiled while others wait.
class GrammarCache {
 public:
  static constexpr size_t kMaxGrammars = 16;

  /// `vocab_size`: the number of the model's logits.
  GrammarCache(std::shared_ptr<const Tokenizer> tokenizer, int vocab_size,
               std::vector<TokenId> end_tokens)
      : m_tokenizer(std::move(tokenizer)),
        m_vocab_size(vocab_size),
        m_end_tokens(std::move(end_tokens)) {}

  using Compile = std::function<Result<std::shared_ptr<const Grammar>>(
      std::shared_ptr<const GrammarVocabulary> vocabulary)>;
  /// The grammar of this name, which is compiled unless it is known. Errors: those of `compile`.
  Result<std::shared_ptr<const Grammar>> get(const std::string& name, const Compile& compile);
  /// Errors: those of Grammar::of_schema.
  Result<std::shared_ptr<const Grammar>> of_schema(std::string_view schema);
  /// Any JSON object.
  Result<std::shared_ptr<const Grammar>> of_any_object();

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<const Grammar> grammar;
  };

  const std::shared_ptr<const Tokenizer> m_tokenizer;
  const int m_vocab_size;
  const std::vector<TokenId> m_end_tokens;
  std::mutex m_mutex;
  std::shared_ptr<const GrammarVocabulary> m_vocabulary;  ///< Null before the first grammar.
  std::list<Entry> m_entries;                             ///< The one used last first.
};

}  // namespace quire
