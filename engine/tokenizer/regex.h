#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/result.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// A compiled regular expression over UTF-8 text, through PCRE2 with its just-in-time compiler.
/// Thread: immutable; any thread, each with its own RegexScanner.
class Regex {
 public:
  /// `pattern` as Hugging Face's tokenizer files write them (Oniguruma's Ruby syntax, see
  /// oniguruma_pattern.h), of up to 4,096 bytes, and 1,024 where it ignores case. Errors:
  /// kUnsupported, what is wrong and where, without a file's name.
  static Result<Regex> compile(std::string_view pattern);
  /// One of Quire's own, which is known not to take long: the clock is read between searches only.
  static Result<Regex> compile_trusted(std::string_view pattern);
  /// One that matches a grapheme cluster (UAX #29, extended).
  static Result<Regex> compile_cluster();
  /// One that matches exactly this text.
  static Result<Regex> compile_literal(std::string_view text);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

 private:
  friend class RegexScanner;
  struct Compiled;
  explicit Regex(std::unique_ptr<Compiled> compiled);
  enum class Origin { kQuire, kFile };
  static Result<Regex> compile_pcre(const std::string& pattern, Origin origin);
  std::unique_ptr<Compiled> m_compiled;
};

struct RegexMatch {
  size_t begin = 0;
  size_t end = 0;
};

/// Finds one expression's matches; holds the memory that a search needs.
/// Thread: one at a time; the Regex outlives it.
class RegexScanner {
 public:
  explicit RegexScanner(const Regex& regex);
  RegexScanner(RegexScanner&&) noexcept;
  ~RegexScanner();

  /// The first match at or after `from` that is not empty, in text that is well-formed UTF-8.
  /// Nothing also where the search exceeds its limits (ten million steps of backtracking), or once
  /// the budget is spent: what is left of a text then stays in one piece. An expression from a file
  /// looks at the budget's clock wherever it may take long (regex_callouts.h).
  std::optional<RegexMatch> find(std::string_view text, size_t from, WorkBudget& budget);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace quire
