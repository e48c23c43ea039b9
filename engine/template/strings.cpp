#include "engine/template/strings.h"

#include <algorithm>

#include "engine/template/print.h"

namespace quire::jinja {

namespace {

/// Up to here the library's search is fast whatever the text.
constexpr size_t kShortNeedle = 16;
constexpr size_t kBytesPerStep = 64;

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
  if (from > text.size() || m_runtime.failed()) return text.npos;
  if (m_border.empty()) {
    const size_t found = text.find(m_needle, from);
    m_runtime.charge((std::min(found, text.size()) - from) / kBytesPerStep);
    return found;
  }
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
  if (m_border.empty()) {
    const size_t found = text.rfind(m_needle);
    m_runtime.charge((text.size() - (found == text.npos ? 0 : found)) / kBytesPerStep);
    return found;
  }
  size_t last = text.npos;
  for (size_t at = find(text, 0); at != text.npos; at = find(text, at + 1)) last = at;
  return last;
}

namespace {

void append_mapping(TextBuilder& out, const CaseMapping& mapping, bool is_input) {
  for (int i = 0; i < mapping.count; ++i) out.append(mapping.values[i], is_input);
}

constexpr char32_t kSigma = 0x3A3, kFinalSigma = 0x3C2;

/// A capital sigma becomes the final form at the end of a word.
bool ends_word(std::string_view text, size_t at, bool after_letter) {
  const size_t next = at + decode(text, at).length;
  return after_letter && (next >= text.size() || !is_alpha(decode(text, next).value));
}

void append_lower(TextBuilder& out, const Text& text, size_t at, bool after_letter) {
  const char32_t c = decode(text.view(), at).value;
  if (c == kSigma && ends_word(text.view(), at, after_letter)) {
    return out.append(kFinalSigma, text.is_input_at(at));
  }
  append_mapping(out, to_lower(c), text.is_input_at(at));
}

/// Applies `append(out, at, after_letter)` to each character.
template <typename Append>
Value map_characters(Runtime& runtime, const Text& text, Append append) {
  TextBuilder out(runtime);
  bool after_letter = false;
  for (size_t at = 0; at < text.bytes().size() && runtime.charge();) {
    const CodePoint c = decode(text.view(), at);
    append(out, at, after_letter);
    after_letter = is_alpha(c.value);
    at += c.length;
  }
  return out.finish();
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

Value upper(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&](TextBuilder& out, size_t at, bool) {
    append_mapping(out, to_upper(decode(text.view(), at).value), text.is_input_at(at));
  });
}

Value lower(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&](TextBuilder& out, size_t at, bool after_letter) {
    append_lower(out, text, at, after_letter);
  });
}

Value capitalize(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&](TextBuilder& out, size_t at, bool after_letter) {
    if (at > 0) return append_lower(out, text, at, after_letter);
    append_mapping(out, to_title(decode(text.view(), at).value), text.is_input_at(at));
  });
}

Value title(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&](TextBuilder& out, size_t at, bool after_letter) {
    if (after_letter) return append_lower(out, text, at, after_letter);
    append_mapping(out, to_title(decode(text.view(), at).value), text.is_input_at(at));
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
    if (is_word && !in_word) words.push_back({at, at});
    at += c.length;
    if (is_word) words.back().end = at;
    in_word = is_word;
  }
  runtime.charge(text.size() / 16);
  return words;
}

Value split_words(Runtime& runtime, const Text& text, int64_t limit) {
  const std::vector<Word> words = find_words(runtime, text.view());
  Pieces pieces(runtime, text);
  for (size_t i = 0; i < words.size() && !runtime.failed(); ++i) {
    if (limit >= 0 && i == static_cast<size_t>(limit)) {  // The rest, with its trailing space.
      pieces.add(words[i].begin, text.bytes().size());
      break;
    }
    pieces.add(words[i].begin, words[i].end);
  }
  return pieces.list();
}

Value split_words_right(Runtime& runtime, const Text& text, int64_t limit) {
  const std::vector<Word> words = find_words(runtime, text.view());
  Pieces pieces(runtime, text);
  for (size_t i = 0; i < words.size() && !runtime.failed(); ++i) {
    const Word& word = words[words.size() - 1 - i];
    if (limit >= 0 && i == static_cast<size_t>(limit)) {
      pieces.add(0, word.end);
      break;
    }
    pieces.add(word.begin, word.end);
  }
  return pieces.list(true);
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

}  // namespace

Value split(Runtime& runtime, const Text& text, const Text* separator, int64_t limit) {
  if (!separator) return split_words(runtime, text, limit);
  if (separator->bytes().empty())
    return runtime.fail("split() needs a separator that is not empty");
  const Finder finder(runtime, separator->view());
  Pieces pieces(runtime, text);
  size_t begin = 0;
  for (; limit != 0 && !runtime.failed(); --limit) {
    const size_t found = finder.find(text.view(), begin);
    if (found == std::string_view::npos) break;
    pieces.add(begin, found);
    begin = found + separator->bytes().size();
  }
  pieces.add(begin, text.bytes().size());
  return pieces.list();
}

Value split_right(Runtime& runtime, const Text& text, const Text* separator, int64_t limit) {
  if (!separator) return split_words_right(runtime, text, limit);
  if (separator->bytes().empty()) {
    return runtime.fail("rsplit() needs a separator that is not empty");
  }
  const Finder finder(runtime, separator->view());
  Pieces pieces(runtime, text);
  size_t end = text.bytes().size();
  for (; limit != 0 && !runtime.failed(); --limit) {
    const size_t found = finder.find_last(text.view(), end);
    if (found == std::string_view::npos) break;
    pieces.add(found + separator->bytes().size(), end);
    end = found;
  }
  pieces.add(0, end);
  return pieces.list(true);
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
