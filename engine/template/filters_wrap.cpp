#include <algorithm>

#include "engine/template/filters.h"
#include "engine/template/print.h"
#include "engine/template/text_ops.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

/// Characters [begin, end) of a line.
struct Chunk {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

struct WrapOptions {
  size_t width = 79;
  bool breaks_long_words = true;
  bool breaks_on_hyphens = true;
};

/// Wraps one line as Python's textwrap.wrap does with expand_tabs and replace_whitespace off.
class LineWrapper {
 public:
  LineWrapper(Runtime& runtime, std::string_view line, const WrapOptions& options)
      : m_runtime(runtime), m_options(options) {
    for (size_t at = 0; at < line.size() && runtime.charge();) {
      const CodePoint c = decode(line, at);
      m_characters.push_back(c.value);
      m_offsets.push_back(at);
      at += c.length;
    }
    m_offsets.push_back(line.size());
  }

  /// The wrapped lines, as byte ranges of the line.
  std::vector<Chunk> run();

 private:
  char32_t at(size_t i) const { return i < m_characters.size() ? m_characters[i] : 0; }
  bool is_space_at(size_t i) const {
    const char32_t c = at(i);
    return (c >= 0x09 && c <= 0x0D) || c == ' ';
  }
  bool is_word_at(size_t i) const { return at(i) == '_' || is_alnum(at(i)); }
  bool is_letter_at(size_t i) const { return is_word_at(i) && !is_decimal(at(i)); }
  bool is_word_or_mark_at(size_t i) const {
    const char32_t c = at(i);
    return is_word_at(i) || c == '!' || c == '"' || c == '\'' || c == '&' || c == '.' || c == ',' ||
           c == '?';
  }
  bool is_blank(Chunk chunk) const {
    return std::all_of(m_characters.begin() + static_cast<ptrdiff_t>(chunk.begin),
                       m_characters.begin() + static_cast<ptrdiff_t>(chunk.end), is_space);
  }

  /// The end of the dashes at `i` if they stand between words, else `i`.
  size_t dash_end(size_t i) const;
  bool ends_hyphenated(size_t hyphen) const;
  size_t chunk_end(size_t begin) const;
  void split();
  void break_long(Chunk line, Chunk& word, size_t& end) const;

  Runtime& m_runtime;
  const WrapOptions& m_options;
  std::vector<char32_t> m_characters;
  std::vector<size_t> m_offsets;
  std::vector<Chunk> m_chunks;
};

size_t LineWrapper::dash_end(size_t i) const {
  if (at(i) != '-' || i == 0 || !is_word_or_mark_at(i - 1)) return i;
  size_t end = i;
  while (at(end) == '-') ++end;
  return end - i >= 2 && is_word_at(end) ? end : i;
}

/// Whether a part of a hyphenated word ends after the hyphen at `i`: letters on both sides.
bool LineWrapper::ends_hyphenated(size_t i) const {
  if (at(i) != '-' || i < 2) return false;
  const bool is_after_letters = is_letter_at(i - 1) && is_letter_at(i - 2);
  const bool is_after_part =
      i >= 3 && is_letter_at(i - 3) && at(i - 2) == '-' && is_word_or_mark_at(i - 1);
  const size_t next = i + 1;
  return (is_after_letters || is_after_part) && is_letter_at(next) &&
         is_letter_at(at(next + 1) == '-' ? next + 2 : next + 1);
}

size_t LineWrapper::chunk_end(size_t begin) const {
  size_t end = begin;
  if (is_space_at(begin)) {
    while (is_space_at(end)) ++end;
    return end;
  }
  if (m_options.breaks_on_hyphens && dash_end(begin) > begin) return dash_end(begin);
  for (end = begin + 1; end < m_characters.size() && !is_space_at(end); ++end) {
    if (!m_options.breaks_on_hyphens) continue;
    if (ends_hyphenated(end)) return end + 1;
    if (dash_end(end) > end) return end;
  }
  return end;
}

void LineWrapper::split() {
  for (size_t begin = 0; begin < m_characters.size() && m_runtime.charge();) {
    const size_t end = chunk_end(begin);
    m_chunks.push_back({begin, end});
    begin = end;
  }
}

/// Takes as much of a word that is longer than a whole line as still fits into this one.
void LineWrapper::break_long(Chunk line, Chunk& word, size_t& end) const {
  if (!m_options.breaks_long_words) {
    if (line.size() == 0) word.begin = end = word.end;
    return;
  }
  const size_t space = m_options.width - line.size();
  size_t cut = word.begin + space;
  if (m_options.breaks_on_hyphens) {
    const auto is_dash = [](char32_t c) { return c == '-'; };
    size_t hyphen = cut;
    while (hyphen > word.begin && !is_dash(at(hyphen - 1))) --hyphen;
    const auto first = m_characters.begin() + static_cast<ptrdiff_t>(word.begin);
    const auto last = m_characters.begin() + static_cast<ptrdiff_t>(hyphen) - 1;
    if (hyphen > word.begin + 1 && !std::all_of(first, last, is_dash)) cut = hyphen;
  }
  word.begin = end = cut;
}

std::vector<Chunk> LineWrapper::run() {
  split();
  std::vector<Chunk> lines;
  for (size_t next = 0; next < m_chunks.size() && m_runtime.charge();) {
    if (!lines.empty() && is_blank(m_chunks[next])) ++next;
    if (next == m_chunks.size()) break;
    Chunk line = {m_chunks[next].begin, m_chunks[next].begin};
    const size_t first = next;
    while (next < m_chunks.size() && line.size() + m_chunks[next].size() <= m_options.width) {
      line.end = m_chunks[next++].end;
    }
    Chunk last = next > first ? m_chunks[next - 1] : Chunk{};
    if (next < m_chunks.size() && m_chunks[next].size() > m_options.width) {
      const size_t begin = m_chunks[next].begin;
      break_long(line, m_chunks[next], line.end);
      // As in Python, a part without characters still shields the space before it.
      if (m_options.breaks_long_words || line.end > begin) last = {begin, line.end};
      if (m_chunks[next].size() == 0) ++next;
    }
    if (last.size() > 0 && is_blank(last)) line.end = last.begin;
    if (line.size() > 0) lines.push_back({m_offsets[line.begin], m_offsets[line.end]});
  }
  return lines;
}

Value wordwrap_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "wordwrap",
                              {"width", "break_long_words", "wrapstring", "break_on_hyphens"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (!is_text(self)) return runtime.fail("wordwrap needs a str");
  const int64_t width = parameters.integer(0, 79);
  const Value line_end = parameters.has_value(2) ? parameters.get(2) : runtime.text("\n");
  if (!is_text(line_end)) return runtime.fail("wordwrap: the wrapstring must be a str");
  const WrapOptions options{static_cast<size_t>(std::max<int64_t>(width, 1)),
                            !parameters.has(1) || parameters.is_set(1),
                            !parameters.has(3) || parameters.is_set(3)};
  TextBuilder out(runtime);
  const std::vector<Value> lines = split_lines(runtime, *std::get<TextRef>(self), false);
  if (width <= 0 && !lines.empty()) return runtime.fail("wordwrap: the width must be over 0");
  for (size_t i = 0; i < lines.size() && runtime.charge(); ++i) {
    if (i > 0) out.append(*std::get<TextRef>(line_end));
    const Text& line = *to_text(runtime, lines[i]);
    bool is_first = true;
    for (const Chunk& part : LineWrapper(runtime, line.view(), options).run()) {
      if (!std::exchange(is_first, false)) out.append(*std::get<TextRef>(line_end));
      out.append(line, part.begin, part.end);
    }
  }
  return out.finish();
}

constexpr NamedFunction kWrapFilters[] = {{"wordwrap", wordwrap_filter}};

}  // namespace

std::span<const NamedFunction> wrap_filters() {
  return kWrapFilters;
}

}  // namespace quire::jinja
