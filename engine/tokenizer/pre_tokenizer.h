#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/tokenizer/regex.h"

namespace quire {

/// How GPT-2 cuts text into words (github.com/openai/gpt-2, encoder.py).
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// What becomes of the matches of a Split (Hugging Face's names).
enum class SplitBehavior { kIsolated, kRemoved, kMergedWithPrevious, kMergedWithNext, kContiguous };

/// Cuts text into the words that a byte pair encoding works on: steps in order, each a kind of
/// Hugging Face's pre-tokenizers.
/// Thread: immutable once built; any thread, each with its own PreTokenizerRun.
class PreTokenizer {
 public:
  struct Split {
    Regex pattern;
    SplitBehavior behavior = SplitBehavior::kIsolated;
    bool invert = false;  ///< What the pattern does not match counts as matched.
  };
  /// Spaces become U+2581, one is put first, and words begin at it.
  struct Metaspace {
    enum class Prepend { kNever, kFirst, kAlways };
    std::string replacement;
    Prepend prepend = Prepend::kAlways;
    bool splits = true;
    Regex pattern;  ///< The replacement.
  };
  /// Words that do not begin with a space get one.
  struct PrefixSpace {};
  /// Bytes become GPT-2's printable characters; only where further steps see them.
  struct MapBytes {};
  using Step = std::variant<Split, Metaspace, PrefixSpace, MapBytes>;

  void add(Step step) { m_steps.push_back(std::move(step)); }
  const std::vector<Step>& steps() const { return m_steps; }
  bool is_empty() const { return m_steps.empty(); }

 private:
  std::vector<Step> m_steps;
};

/// The position of a text in its sequence.
struct TextPlace {
  bool is_first = false;      ///< No text or token precedes it.
  bool takes_prefix = false;  ///< A space may be put before it.
};

/// One thread's use of a PreTokenizer. The words view text() and stay valid until the next run.
class PreTokenizerRun {
 public:
  struct Word {
    size_t begin = 0;
    size_t end = 0;
  };
  explicit PreTokenizerRun(const PreTokenizer& pre_tokenizer);

  /// Cuts `text`, which is well-formed. Once the budget is spent, what is left of it stays one
  /// word.
  void run(std::string_view text, TextPlace place, WorkBudget& budget);
  std::string_view text() const { return m_text; }
  const std::vector<Word>& words() const { return m_words; }

 private:
  void apply(const PreTokenizer::Split& step, RegexScanner& scanner, WorkBudget& budget);
  void apply(const PreTokenizer::Metaspace& step, RegexScanner& scanner, WorkBudget& budget);
  void replace_spaces(const PreTokenizer::Metaspace& step);
  void apply_prefix_space();
  void split(RegexScanner& scanner, SplitBehavior behavior, bool invert, WorkBudget& budget);
  void add_pieces(SplitBehavior behavior);
  /// Rebuilds the text from its words, each changed by `change(word, out)`.
  template <typename Change>
  void rewrite(Change change);

  struct Piece {
    Word word;
    bool is_match = false;
  };
  const PreTokenizer& m_pre_tokenizer;
  std::vector<RegexScanner> m_scanners;  ///< One for each step that has a pattern, in order.
  std::string m_rewritten;
  std::string_view m_text;
  TextPlace m_place;
  std::vector<Word> m_words;
  std::vector<Word> m_next;
  std::vector<Piece> m_pieces;
};

}  // namespace quire
