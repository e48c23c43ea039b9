#pragma once

#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// Cuts the words of a pre-tokenizer into tokens by another way than merges.
/// Thread: immutable; any thread.
class WordModel {
 public:
  virtual ~WordModel() = default;
  /// The ids of a word, which is well-formed and not empty, appended. Takes time in proportion to
  /// the word; once the budget is spent it is cut less finely.
  virtual void append(std::string_view word, WorkBudget& budget,
                      std::vector<TokenId>& ids) const = 0;
};

}  // namespace quire
