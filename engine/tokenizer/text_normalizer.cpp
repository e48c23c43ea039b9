#include "engine/tokenizer/text_normalizer.h"

#include <algorithm>

namespace quire {
namespace {

/// A regular expression may make text longer by a factor of its own choosing.
constexpr size_t kMaxTextBytes = size_t{1} << 30;

std::string replace_literal(std::string_view text, const TextNormalizer::Replace& step) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  while (true) {
    const size_t found = text.find(step.literal);
    out += text.substr(0, found);
    if (found == text.npos || out.size() > kMaxTextBytes) return out;
    out += step.content;
    text.remove_prefix(found + step.literal.size());
  }
}

std::string replace_pattern(std::string_view text, const TextNormalizer::Replace& step) {
  std::string out;
  RegexScanner scanner(step.pattern);
  size_t from = 0;
  while (const auto match = scanner.find(text, from)) {
    out += text.substr(from, match->begin - from);
    if (out.size() > kMaxTextBytes) return out;
    out += step.content;
    from = match->end;
  }
  out += text.substr(from);
  return out;
}

struct Apply {
  std::string_view text;
  bool at_start;

  std::string operator()(NormalForm form) const { return normalize_text(text, form); }
  std::string operator()(TextNormalizer::Lowercase) const { return lowercase_text(text); }
  std::string operator()(TextNormalizer::Strip strip) const {
    std::string_view rest = text;
    if (strip.left) rest.remove_prefix(leading_space_bytes(rest));
    if (strip.right) rest.remove_suffix(trailing_space_bytes(rest));
    return std::string(rest);
  }
  std::string operator()(const TextNormalizer::Replace& step) const {
    return step.literal.empty() ? replace_pattern(text, step) : replace_literal(text, step);
  }
  std::string operator()(const TextNormalizer::Prepend& step) const {
    return std::string(at_start && !text.empty() ? step.text : "").append(text);
  }
};

}  // namespace

bool TextNormalizer::prepends() const {
  return std::any_of(m_steps.begin(), m_steps.end(),
                     [](const Step& step) { return std::holds_alternative<Prepend>(step); });
}

std::string TextNormalizer::apply(std::string_view text, bool at_start) const {
  std::string current(text);
  for (const Step& step : m_steps) current = std::visit(Apply{current, at_start}, step);
  return current;
}

}  // namespace quire
