#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/tokenizer/bert_text.h"
#include "engine/tokenizer/precompiled_rules.h"
#include "engine/tokenizer/regex.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/unicode_text.h"

namespace quire {

/// What a tokenizer does to text before anything else: steps in order, each a kind of Hugging
/// Face's normalizers.
/// Thread: immutable once built; any thread.
class TextNormalizer {
 public:
  struct Lowercase {};
  struct Strip {
    bool left = true;
    bool right = true;
  };
  struct Replace {
    Regex pattern;
    std::string literal;  ///< Instead of the pattern, if not empty.
    std::string content;
  };
  struct Prepend {
    std::string text;
  };
  struct StripMarks {};
  using Step = std::variant<NormalForm, Lowercase, Strip, Replace, Prepend, SentencePieceNormalizer,
                            BertNormalizer, StripMarks, PrecompiledRules>;

  void add(Step step) { m_steps.push_back(std::move(step)); }
  bool is_empty() const { return m_steps.empty(); }
  /// Whether a step adds a prefix to texts.
  bool prepends() const;

  /// `text` is well-formed. `at_start`: the text is the first of its sequence; only then a prefix
  /// is added. An empty text stays empty. Replacements that would make a text many times as long
  /// are skipped, so that no file can multiply a user's text; once the budget is spent, all further
  /// steps are.
  std::string apply(std::string_view text, bool at_start, WorkBudget& budget) const;

 private:
  std::vector<Step> m_steps;
};

}  // namespace quire
