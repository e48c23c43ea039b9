#include "engine/tokenizer/text_normalizer.h"

#include <algorithm>
#include <utility>

#include "engine/tokenizer/literal_search.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

/// How many times longer Replace and Prepend steps may make a text: each step can double it, and
/// there may be many. Real chains stay far below. What normal forms add is counted by the budget.
constexpr size_t kMaxGrowth = 32;
constexpr size_t kMinGrowthBytes = 256;
/// Long texts grow less: what a token needs while it is made is many times its text.
constexpr size_t kMaxLongGrowth = 4;
constexpr size_t kMaxGrowthBytes = size_t{2} << 20;
/// What an added byte costs until it is a token.
constexpr size_t kBytesPerByte = 8;

/// The longest text that `num_bytes` may become.
size_t max_bytes_of(size_t num_bytes) {
  return kMinGrowthBytes +
         std::min(num_bytes * kMaxGrowth, num_bytes * kMaxLongGrowth + kMaxGrowthBytes);
}

/// Applies replacements to a text up to a limit; those that would exceed it are skipped.
class Rewriter {
 public:
  Rewriter(std::string_view text, size_t max_bytes, WorkBudget& budget)
      : m_text(text),
        m_bytes_left(max_bytes > text.size() ? max_bytes - text.size() : 0),
        m_budget(budget) {
    m_out.reserve(text.size() + text.size() / 4);
  }

  void replace(size_t begin, size_t end, std::string_view content) {
    const size_t removed = end - begin;
    const size_t growth = content.size() > removed ? content.size() - removed : 0;
    if (growth > m_bytes_left || !m_budget.reserve(growth * kBytesPerByte)) return;
    m_bytes_left -= growth;
    m_out.append(m_text.substr(m_from, begin - m_from)).append(content);
    m_from = end;
  }

  std::string finish() { return std::move(m_out.append(m_text.substr(m_from))); }

 private:
  std::string_view m_text;
  size_t m_bytes_left;
  WorkBudget& m_budget;
  size_t m_from = 0;  ///< How much of the text has been copied or replaced.
  std::string m_out;
};

std::string replace_all(std::string_view text, const TextNormalizer::Replace& step,
                        size_t max_bytes, WorkBudget& budget) {
  Rewriter rewriter(text, max_bytes, budget);
  if (!step.literal.empty()) {
    const std::string& literal = step.literal;
    for (size_t at = find_literal(text, literal, 0, budget); at != text.npos;
         at = find_literal(text, literal, at + literal.size(), budget)) {
      rewriter.replace(at, at + literal.size(), step.content);
    }
    return rewriter.finish();
  }
  RegexScanner scanner(step.pattern);
  size_t from = 0;
  while (const auto match = scanner.find(text, from, budget)) {
    rewriter.replace(match->begin, match->end, step.content);
    from = match->end;
  }
  return rewriter.finish();
}

struct Apply {
  std::string_view text;
  bool at_start;
  size_t max_bytes;
  WorkBudget& budget;

  std::string operator()(NormalForm form) const { return normalize_text(text, form, budget); }
  std::string operator()(TextNormalizer::Lowercase) const {
    return budget.reserve(text.size()) ? lowercase_text(text) : std::string(text);
  }
  std::string operator()(TextNormalizer::Strip strip) const {
    std::string_view rest = text;
    if (strip.left) rest.remove_prefix(leading_space_bytes(rest));
    if (strip.right) rest.remove_suffix(trailing_space_bytes(rest));
    return std::string(rest);
  }
  std::string operator()(const TextNormalizer::Replace& step) const {
    return replace_all(text, step, max_bytes, budget);
  }
  std::string operator()(const TextNormalizer::Prepend& step) const {
    Rewriter rewriter(text, max_bytes, budget);
    if (at_start && !text.empty()) rewriter.replace(0, 0, step.text);
    return rewriter.finish();
  }
  std::string operator()(const BertNormalizer& step) const { return step.apply(text, budget); }
  std::string operator()(TextNormalizer::StripMarks) const {
    return budget.reserve(text.size()) ? strip_marks(text) : std::string(text);
  }
  std::string operator()(const PrecompiledRules& step) const {
    return step.apply(text, max_bytes, budget);
  }
  std::string operator()(const SentencePieceNormalizer& step) const {
    return step.apply(text, at_start, max_bytes, budget);
  }
};

}  // namespace

bool TextNormalizer::prepends() const {
  return std::any_of(m_steps.begin(), m_steps.end(),
                     [](const Step& step) { return std::holds_alternative<Prepend>(step); });
}

std::string TextNormalizer::apply(std::string_view text, bool at_start, WorkBudget& budget) const {
  const size_t max_bytes = max_bytes_of(text.size());
  std::string current(text);
  for (const Step& step : m_steps) {
    if (!budget.spend(1 + current.size() / kBytesPerStep)) break;
    current = std::visit(Apply{current, at_start, max_bytes, budget}, step);
  }
  return current;
}

}  // namespace quire
