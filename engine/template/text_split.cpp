#include "engine/template/find.h"
#include "engine/template/text_ops.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

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
