#include "engine/tokenizer/text_normalizer.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// How many times longer Replace and Prepend steps may make a text: each step can double it, and
/// there may be many. Real chains stay far below. NFKC, which is not counted, turns one byte into
/// at most eleven.
constexpr size_t kMaxGrowth = 32;
constexpr size_t kMinBudget = 256;

/// Applies replacements to a text up to a limit; those that would exceed it are skipped.
class Rewriter {
 public:
  Rewriter(std::string_view text, size_t max_bytes)
      : m_text(text), m_budget(max_bytes > text.size() ? max_bytes - text.size() : 0) {
    m_out.reserve(text.size() + text.size() / 4);
  }

  void replace(size_t begin, size_t end, std::string_view content) {
    const size_t removed = end - begin;
    const size_t growth = content.size() > removed ? content.size() - removed : 0;
    if (growth > m_budget) return;
    m_budget -= growth;
    m_out.append(m_text.substr(m_from, begin - m_from)).append(content);
    m_from = end;
  }

  std::string finish() { return std::move(m_out.append(m_text.substr(m_from))); }

 private:
  std::string_view m_text;
  size_t m_budget;
  size_t m_from = 0;  ///< How much of the text has been copied or replaced.
  std::string m_out;
};

std::string replace_all(std::string_view text, const TextNormalizer::Replace& step,
                        size_t max_bytes) {
  Rewriter rewriter(text, max_bytes);
  if (!step.literal.empty()) {
    const std::string& literal = step.literal;
    for (size_t at = text.find(literal); at != text.npos;
         at = text.find(literal, at + literal.size())) {
      rewriter.replace(at, at + literal.size(), step.content);
    }
    return rewriter.finish();
  }
  RegexScanner scanner(step.pattern);
  size_t from = 0;
  while (const auto match = scanner.find(text, from)) {
    rewriter.replace(match->begin, match->end, step.content);
    from = match->end;
  }
  return rewriter.finish();
}

struct Apply {
  std::string_view text;
  bool at_start;
  size_t max_bytes;

  std::string operator()(NormalForm form) const { return normalize_text(text, form); }
  std::string operator()(TextNormalizer::Lowercase) const { return lowercase_text(text); }
  std::string operator()(TextNormalizer::Strip strip) const {
    std::string_view rest = text;
    if (strip.left) rest.remove_prefix(leading_space_bytes(rest));
    if (strip.right) rest.remove_suffix(trailing_space_bytes(rest));
    return std::string(rest);
  }
  std::string operator()(const TextNormalizer::Replace& step) const {
    return replace_all(text, step, max_bytes);
  }
  std::string operator()(const TextNormalizer::Prepend& step) const {
    Rewriter rewriter(text, max_bytes);
    if (at_start && !text.empty()) rewriter.replace(0, 0, step.text);
    return rewriter.finish();
  }
  std::string operator()(const SentencePieceNormalizer& step) const {
    return step.apply(text, at_start, max_bytes);
  }
};

}  // namespace

bool TextNormalizer::prepends() const {
  return std::any_of(m_steps.begin(), m_steps.end(),
                     [](const Step& step) { return std::holds_alternative<Prepend>(step); });
}

std::string TextNormalizer::apply(std::string_view text, bool at_start) const {
  const size_t max_bytes = text.size() * kMaxGrowth + kMinBudget;
  std::string current(text);
  for (const Step& step : m_steps) current = std::visit(Apply{current, at_start, max_bytes}, step);
  return current;
}

}  // namespace quire
