#include "engine/template/text_ops.h"

#include <algorithm>

#include "engine/template/print.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

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

/// Where the character before `end` begins.
size_t previous(std::string_view text, size_t end) {
  for (size_t length = std::min<size_t>(4, end); length > 1; --length) {
    if (decode(text, end - length).length == length) return end - length;
  }
  return end - 1;
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

Value swapcase(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&](TextBuilder& out, size_t at, bool after_letter) {
    const char32_t c = decode(text.view(), at).value;
    if (is_upper(c)) return append_lower(out, text, at, after_letter);
    append_mapping(out, is_lower(c) ? to_upper(c) : CaseMapping{{c}, 1}, text.is_input_at(at));
  });
}

Value center(Runtime& runtime, const Text& text, int64_t width, char32_t fill) {
  const auto length = static_cast<int64_t>(count_code_points(text.view()));
  const int64_t padding = width > length ? width - length : 0;
  // Python puts the odd one to the left where the width is odd.
  const int64_t left = padding / 2 + (padding & width & 1);
  TextBuilder out(runtime);
  out.pad(fill, static_cast<size_t>(left));
  out.append(text);
  out.pad(fill, static_cast<size_t>(padding - left));
  return out.finish();
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

}  // namespace quire::jinja
