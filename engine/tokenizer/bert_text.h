#pragma once

#include <string>
#include <string_view>

#include "kernels/base/work_budget.h"

namespace quire {

/// What BERT's tokenizers do to text first (Hugging Face's BertNormalizer), in this order.
struct BertNormalizer {
  bool cleans = true;           ///< Without control characters; all white space is a space.
  bool splits_chinese = true;   ///< Spaces around Chinese characters.
  bool strips_accents = false;  ///< Decomposed, without its nonspacing marks.
  bool lowercases = true;

  /// `text` is well-formed; it stays as it is once the budget is spent.
  std::string apply(std::string_view text, WorkBudget& budget) const;
};

/// An expression for one character that BertPreTokenizer makes a word of its own.
std::string bert_punctuation_pattern();

/// Without the characters of the general category Mark (Hugging Face's StripAccents).
std::string strip_marks(std::string_view text);

}  // namespace quire
