#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/tokenizer/regex.h"
#include "kernels/base/result.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// SentencePiece's compiled rules as Hugging Face's normalizer Precompiled applies them: to each
/// grapheme cluster of fewer than 6 bytes as a whole, else to each of its characters, and of all
/// rules that begin one the shortest counts, which replaces all of it.
/// Thread: immutable; any thread.
class PrecompiledRules {
 public:
  /// From base64. Errors: kCorruptFile, a sentence without the file's name.
  static Result<PrecompiledRules> create(std::string_view base64);

  /// `text` is well-formed. Rules that would make it longer than `max_bytes` are left out, and all
  /// once the budget is spent.
  std::string apply(std::string_view text, size_t max_bytes, WorkBudget& budget) const;

 private:
  explicit PrecompiledRules(Regex clusters) : m_clusters(std::move(clusters)) {}
  std::optional<std::string_view> rule_for(std::string_view part, WorkBudget& budget) const;
  void append(std::string_view cluster, size_t max_bytes, WorkBudget& budget,
              std::string& out) const;
  uint32_t unit(size_t index) const;

  Regex m_clusters;            ///< Matches one.
  std::string m_trie;          ///< A double array as darts-clone writes it.
  std::string m_replacements;  ///< Each ends with a zero.
};

}  // namespace quire
