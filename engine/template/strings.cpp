#include "engine/template/strings.h"

#include <algorithm>
#include <optional>

#include "engine/template/print.h"

namespace quire::jinja {

namespace {

/// Up to this length the standard library's search is fast for any text.
constexpr size_t kShortNeedle = 16;
constexpr size_t kBytesPerStep = 64;
/// The standard library searches so much at a time, so that the limit of time ends a search too.
constexpr size_t kPartBytes = 1 << 16;

}  // namespace

Finder::Finder(Runtime& runtime, std::string_view needle) : m_runtime(runtime), m_needle(needle) {
  if (needle.size() <= kShortNeedle || !runtime.charge(needle.size() / kBytesPerStep)) return;
  m_border.resize(needle.size());
  for (uint32_t i = 1, length = 0; i < needle.size(); ++i) {
    while (length > 0 && needle[i] != needle[length]) length = m_border[length - 1];
    if (needle[i] == needle[length]) ++length;
    m_border[i] = length;
  }
}

size_t Finder::find(std::string_view text, size_t from) const {
  if (m_runtime.failed()) return text.npos;
  if (m_border.empty()) return find_short(text, from);
  size_t matched = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (i % 1024 == 0 && !m_runtime.charge(1024 / kBytesPerStep)) break;
    while (matched > 0 && text[i] != m_needle[matched]) matched = m_border[matched - 1];
    if (text[i] == m_needle[matched]) ++matched;
    if (matched == m_needle.size()) return i + 1 - matched;
  }
  return text.npos;
}

size_t Finder::find_last(std::string_view text, size_t end) const {
  text = text.substr(0, end);
  if (m_border.empty()) return find_last_short(text);
  size_t last = text.npos;
  for (size_t at = find(text, 0); at != text.npos; at = find(text, at + 1)) last = at;
  return last;
}

size_t Finder::find_short(std::string_view text, size_t from) const {
  for (; from <= text.size() && !m_runtime.failed(); from += kPartBytes) {
    const std::string_view part = text.substr(from, kPartBytes + m_needle.size());
    const size_t found = part.find(m_needle);
    m_runtime.charge(std::min(found, part.size()) / kBytesPerStep);
    if (found != part.npos) return from + found;
  }
  return text.npos;
}

size_t Finder::find_last_short(std::string_view text) const {
  size_t begin = text.size();
  do {
    const size_t end = begin;
    begin -= std::min(begin, kPartBytes);
    const std::string_view part = text.substr(begin, end - begin + m_needle.size());
    const size_t found = part.rfind(m_needle);
    m_runtime.charge((part.size() - (found == part.npos ? 0 : found)) / kBytesPerStep);
    if (found != part.npos) return begin + found;
  } while (begin > 0 && !m_runtime.failed());
  return text.npos;
}

namespace {

/// Replaces each character by `convert(character, the one before it)`, marks kept.
template <typename Convert>
Value map_characters(Runtime& runtime, const Text& text, Convert convert) {
  TextBuilder out(runtime);
  std::optional<char32_t> before;
  for (size_t at = 0; at < text.bytes().size() && runtime.charge();) {
    const CodePoint c = decode(text.view(), at);
    const CaseMapping mapping = convert(c.value, before);
    for (int i = 0; i < mapping.count; ++i) out.append(mapping.values[i], text.is_input_at(at));
    before = c.value;
    at += c.length;
  }
  return out.finish();
}

bool begins_word(char32_t c) {
  return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

bool is_stripped(char32_t c, const Text* characters) {
  if (!characters) return is_space(c);
  for (size_t at = 0; at < characters->bytes().size();) {
    const CodePoint candidate = decode(characters->view(), at);
    if (candidate.value == c) return true;
    at += candidate.length;
  }
  return false;
}

}  // namespace

Value strip(Runtime& runtime, const Text& text, const Text* characters, Side side) {
  const std::string_view view = text.view();
  const size_t cost = characters ? 1 + characters->bytes().size() / 8 : 1;
  size_t begin = 0, end = view.size();
  while (side != Side::kRight && begin < end && runtime.charge(cost)) {
    const CodePoint c = decode(view, begin);
    if (!is_stripped(c.value, characters)) break;
    begin += c.length;
  }
  while (side != Side::kLeft && begin < end && runtime.charge(cost)) {
    const size_t last = previous(view, end);
    if (!is_stripped(decode(view, last).value, characters)) break;
    end = last;
  }
  return runtime.slice(text, begin, end);
}

using Before = std::optional<char32_t>;

Value upper(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [](char32_t c, Before) { return to_upper(c); });
}

Value lower(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [](char32_t c, Before) { return to_lower(c); });
}

Value capitalize(Runtime& runtime, const Text& text) {
  return map_characters(
      runtime, text, [](char32_t c, Before before) { return before ? to_lower(c) : to_title(c); });
}

Value title(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [](char32_t c, Before before) {
    return before && is_alpha(*before) ? to_lower(c) : to_title(c);
  });
}

Value title_words(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [](char32_t c, Before before) {
    return !before || begins_word(*before) ? to_upper(c) : to_lower(c);
  });
}

Value reverse(Runtime& runtime, const Text& text) {
  TextBuilder out(runtime);
  for (size_t end = text.bytes().size(); end > 0 && runtime.charge();) {
    const size_t begin = previous(text.view(), end);
    out.append(text, begin, end);
    end = begin;
  }
  return out.finish();
}

Value join(Runtime& runtime, const Text& separator, const std::vector<Value>& items,
           bool only_texts) {
  TextBuilder out(runtime);
  for (size_t i = 0; i < items.size() && runtime.charge(); ++i) {
    if (i > 0) out.append(separator);
    if (only_texts && !is_text(items[i])) {
      return runtime.fail(std::string("join() needs str items, not ") + type_name(items[i]));
    }
    print(runtime, out, items[i]);
  }
  return out.finish();
}

namespace {

/// Collects the pieces of one text.
class Pieces {
 public:
  Pieces(Runtime& runtime, const Text& text) : m_runtime(runtime), m_text(text) {}

  void add(size_t begin, size_t end) {
    if (m_runtime.charge() && m_runtime.reserve(sizeof(Value))) {
      m_items.push_back(m_runtime.slice(m_text, begin, end));
    }
  }
  Value list(bool is_reversed = false) {
    if (is_reversed) m_items = {m_items.rbegin(), m_items.rend()};
    return m_runtime.list(std::move(m_items));
  }
  std::vector<Value> take() { return std::move(m_items); }

 private:
  Runtime& m_runtime;
  const Text& m_text;
  std::vector<Value> m_items;
};

struct Word {
  size_t begin;
  size_t end;
};

std::vector<Word> find_words(Runtime& runtime, std::string_view text) {
  std::vector<Word> words;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text, at);
    const bool is_word = !is_space(c.value);
    if (is_word && !in_word) {
      if (!runtime.reserve(sizeof(Word))) return {};
      words.push_back({at, at});
    }
    at += c.length;
    if (is_word) words.back().end = at;
    in_word = is_word;
  }
  runtime.charge(text.size() / 16);
  return words;
}

/// At most `limit` words are cut off at one side; the rest keeps the white space at its other end.
Value split_words(Runtime& runtime, const Text& text, int64_t limit, bool from_right) {
  const std::vector<Word> words = find_words(runtime, text.view());
  const size_t cuts = limit < 0 ? words.size() : std::min(words.size(), static_cast<size_t>(limit));
  const size_t num_left = words.size() - cuts;
  Pieces pieces(runtime, text);
  if (from_right && num_left > 0) pieces.add(0, words[num_left - 1].end);
  const size_t first = from_right ? num_left : 0;
  for (size_t i = first; i < first + cuts && !runtime.failed(); ++i) {
    pieces.add(words[i].begin, words[i].end);
  }
  if (!from_right && num_left > 0) pieces.add(words[cuts].begin, text.bytes().size());
  return pieces.list();
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

}  // namespace

Value split(Runtime& runtime, const Text& text, const Text* separator, int64_t limit,
            bool from_right) {
  if (!separator) return split_words(runtime, text, limit, from_right);
  if (separator->bytes().empty()) {
    return runtime.fail("split() needs a separator that is not empty");
  }
  const Finder finder(runtime, separator->view());
  Pieces pieces(runtime, text);
  size_t begin = 0, end = text.bytes().size();
  for (; limit != 0 && !runtime.failed(); --limit) {
    const size_t found =
        from_right ? finder.find_last(text.view(), end) : finder.find(text.view(), begin);
    if (found == std::string_view::npos) break;
    const size_t after = found + separator->bytes().size();
    pieces.add(from_right ? after : begin, from_right ? end : found);
    (from_right ? end : begin) = from_right ? found : after;
  }
  pieces.add(begin, end);
  return pieces.list(from_right);
}

std::vector<Value> split_lines(Runtime& runtime, const Text& text, bool keep_ends) {
  const std::string_view view = text.view();
  Pieces pieces(runtime, text);
  size_t begin = 0;
  for (size_t at = 0; at < view.size() && !runtime.failed();) {
    const CodePoint c = decode(view, at);
    size_t next = at + c.length;
    if (is_line_end(c.value)) {
      if (c.value == '\r' && next < view.size() && view[next] == '\n') ++next;
      pieces.add(begin, keep_ends ? next : at);
      begin = next;
    }
    at = next;
  }
  if (begin < view.size()) pieces.add(begin, view.size());
  return pieces.take();
}

Value replace(Runtime& runtime, const Text& text, const Text& from, const Text& to, int64_t limit) {
  const std::string_view view = text.view();
  const Finder finder(runtime, from.view());
  TextBuilder out(runtime);
  size_t done = 0, at = 0;
  for (; limit != 0 && runtime.charge(); --limit) {
    const size_t found = finder.find(view, at);
    if (found == std::string_view::npos) break;
    out.append(text, done, found);
    out.append(to);
    done = found + from.bytes().size();
    // An empty needle is found before each character and at the end.
    if (!from.bytes().empty()) {
      at = done;
    } else if (found < view.size()) {
      at = found + decode(view, found).length;
    } else {
      break;
    }
  }
  out.append(text, done, view.size());
  return out.finish();
}

}  // namespace quire::jinja
