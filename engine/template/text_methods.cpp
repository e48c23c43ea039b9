#include <algorithm>

#include "engine/template/find.h"
#include "engine/template/format_braces.h"
#include "engine/template/lookup.h"
#include "engine/template/operators.h"
#include "engine/template/text_ops.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

const Text& self_text(const Value& self) {
  return *std::get<TextRef>(self);
}

template <Value (*Convert)(Runtime&, const Text&)>
Value converted(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "this method of str", {});
  return parameters.ok() ? Convert(runtime, self_text(self)) : Value(Undefined{});
}

template <Side kSide>
Value stripped(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "strip", {"chars"});
  const bool has_characters = parameters.ok() && parameters.has_value(0);
  const TextRef characters = has_characters ? parameters.text(0) : nullptr;
  if (runtime.failed()) return Undefined{};
  return strip(runtime, self_text(self), characters.get(), kSide);
}

template <Value (*Split)(Runtime&, const Text&, const Text*, int64_t)>
Value splitted(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "split", {"sep", "maxsplit"});
  if (!parameters.ok()) return Undefined{};
  const TextRef separator = parameters.has_value(0) ? parameters.text(0) : nullptr;
  const int64_t limit = parameters.integer(1, -1);
  if (runtime.failed()) return Undefined{};
  return Split(runtime, self_text(self), separator.get(), limit);
}

Value splitlines_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "splitlines", {"keepends"});
  if (!parameters.ok()) return Undefined{};
  return runtime.list(split_lines(runtime, self_text(self), parameters.is_set(0)));
}

Value replace_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "replace", {"old", "new", "count"}, 2);
  if (!parameters.ok()) return Undefined{};
  const TextRef from = parameters.text(0), to = parameters.text(1);
  const int64_t count = parameters.integer(2, -1);
  if (runtime.failed()) return Undefined{};
  return replace(runtime, self_text(self), *from, *to, count);
}

/// The part of a text between the optional arguments `start` and `end` of find, count and others.
struct Window {
  size_t begin = 0, end = 0;
  bool is_valid = true;  ///< False where start lies beyond end, so that nothing is found.
};

Window window_of(std::string_view text, const Parameters& parameters, size_t first) {
  if (!parameters.has_value(first) && !parameters.has_value(first + 1)) return {0, text.size()};
  const auto length = static_cast<int64_t>(count_code_points(text));
  const auto clamp = [&](int64_t index) {
    if (index < 0) index = std::max<int64_t>(index, -length) + length;
    return index;
  };
  const int64_t begin = clamp(parameters.has_value(first) ? parameters.integer(first, 0) : 0);
  const int64_t end =
      clamp(parameters.has_value(first + 1) ? parameters.integer(first + 1, 0) : length);
  if (begin > length || begin > end) return {0, 0, false};
  return {byte_offset(text, static_cast<size_t>(begin)),
          byte_offset(text, static_cast<size_t>(std::min(end, length)))};
}

template <bool kFromRight, bool kMustExist>
Value found(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "find", {"sub", "start", "end"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef needle = parameters.text(0);
  const std::string_view text = self_text(self).view();
  const Window window = window_of(text, parameters, 1);
  if (runtime.failed()) return Undefined{};
  const Finder finder(runtime, needle->view());
  size_t at = text.npos;
  if (window.is_valid) {
    const std::string_view part = text.substr(0, window.end);
    at = kFromRight ? finder.find_last(part, part.size()) : finder.find(part, window.begin);
    if (at != text.npos && at < window.begin) at = text.npos;
  }
  if (at != text.npos) return static_cast<int64_t>(count_code_points(text.substr(0, at)));
  return kMustExist ? runtime.fail("the substring was not found") : Value(int64_t{-1});
}

Value count_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "count", {"sub", "start", "end"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef needle = parameters.text(0);
  const std::string_view text = self_text(self).view();
  const Window window = window_of(text, parameters, 1);
  if (runtime.failed() || !window.is_valid) return int64_t{0};
  const std::string_view part = text.substr(0, window.end);
  if (needle->bytes().empty()) {
    return static_cast<int64_t>(count_code_points(part.substr(window.begin)) + 1);
  }
  const Finder finder(runtime, needle->view());
  int64_t count = 0;
  for (size_t at = finder.find(part, window.begin); at != text.npos && runtime.charge();
       at = finder.find(part, at + needle->bytes().size())) {
    ++count;
  }
  return count;
}

bool matches_end(std::string_view text, std::string_view affix, bool at_start) {
  return at_start ? text.starts_with(affix) : text.ends_with(affix);
}

template <bool kAtStart>
Value affixed(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "startswith", {"prefix", "start", "end"}, 1);
  if (!parameters.ok()) return Undefined{};
  const Window window = window_of(self_text(self).view(), parameters, 1);
  if (!window.is_valid) return false;
  const std::string_view text =
      self_text(self).view().substr(window.begin, window.end - window.begin);
  const Value affix = parameters.get(0);
  if (!is_tuple(affix)) {
    const TextRef single = parameters.text(0);
    return matches_end(text, single->view(), kAtStart);
  }
  for (const Value& candidate : std::get<Sequence*>(affix)->items) {
    if (!is_text(candidate)) return runtime.fail("startswith() needs a str or a tuple of str");
    if (matches_end(text, view(candidate), kAtStart)) return true;
  }
  return false;
}

template <bool kAtStart>
Value without_affix(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "removeprefix", {"affix"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef affix = parameters.text(0);
  const Text& text = self_text(self);
  if (!matches_end(text.view(), affix->view(), kAtStart)) return self;
  const size_t size = affix->bytes().size();
  return kAtStart ? runtime.slice(text, size, text.bytes().size())
                  : runtime.slice(text, 0, text.bytes().size() - size);
}

template <bool kFromRight>
Value partitioned(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "partition", {"sep"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef separator = parameters.text(0);
  if (runtime.failed()) return Undefined{};
  if (separator->bytes().empty()) return runtime.fail("partition() needs a separator");
  const Text& text = self_text(self);
  const Finder finder(runtime, separator->view());
  const size_t size = text.bytes().size();
  const size_t at = kFromRight ? finder.find_last(text.view(), size) : finder.find(text.view(), 0);
  if (at == std::string_view::npos) {
    const Value empty = runtime.text("");
    return runtime.tuple(kFromRight ? std::vector<Value>{empty, empty, self}
                                    : std::vector<Value>{self, empty, empty});
  }
  return runtime.tuple({runtime.slice(text, 0, at), separator,
                        runtime.slice(text, at + separator->bytes().size(), size)});
}

Value join_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "join", {"iterable"}, 1);
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, parameters.get(0));
  return items ? join(runtime, self_text(self), *items, true) : Value(Undefined{});
}

Value format_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return format_braces(runtime, self_text(self), arguments);
}

/// Whether all characters pass, and there is one.
template <bool (*Passes)(char32_t)>
Value all_characters(Runtime& runtime, const Value& self, const Arguments&) {
  const std::string_view text = view(self);
  for (size_t at = 0; at < text.size() && runtime.charge();) {
    const CodePoint c = decode(text, at);
    if (!Passes(c.value)) return false;
    at += c.length;
  }
  return !text.empty();
}

/// Whether there are cased characters and all are of this case.
template <bool kUpperCase>
Value cased(Runtime& runtime, const Value& self, const Arguments&) {
  const std::string_view text = view(self);
  bool has_case = false;
  for (size_t at = 0; at < text.size() && runtime.charge();) {
    const CodePoint c = decode(text, at);
    if (kUpperCase ? is_lower(c.value) : is_upper(c.value)) return false;
    has_case |= kUpperCase ? is_upper(c.value) : is_lower(c.value);
    at += c.length;
  }
  return has_case;
}

Value istitle_method(Runtime& runtime, const Value& self, const Arguments&) {
  const std::string_view text = view(self);
  bool after_cased = false, has_case = false;
  for (size_t at = 0; at < text.size() && runtime.charge();) {
    const CodePoint c = decode(text, at);
    if (is_upper(c.value) ? after_cased : is_lower(c.value) && !after_cased) return false;
    after_cased = is_upper(c.value) || is_lower(c.value);
    has_case |= after_cased;
    at += c.length;
  }
  return has_case;
}

/// How many characters a text lacks to be `width` long.
int64_t missing_width(int64_t width, const Value& self) {
  const int64_t length = length_of(self);
  return width > length ? width - length : 0;
}

/// ljust, rjust and center: -1, 1 and 0.
template <int kWhere>
Value padded(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "ljust", {"width", "fillchar"}, 1);
  if (!parameters.ok()) return Undefined{};
  const int64_t width = parameters.integer(0, 0);
  const TextRef fill_text = parameters.text(1);
  if (runtime.failed()) return Undefined{};
  if (parameters.has(1) && count_code_points(fill_text->view()) != 1) {
    return runtime.fail("the fill character must be one character long");
  }
  const char32_t fill = parameters.has(1) ? decode(fill_text->view(), 0).value : U' ';
  const Text& text = self_text(self);
  if (kWhere == 0) return center(runtime, text, width, fill);
  const int64_t padding = missing_width(width, self);
  TextBuilder out(runtime);
  if (kWhere > 0) out.pad(fill, static_cast<size_t>(padding));
  out.append(text);
  if (kWhere < 0) out.pad(fill, static_cast<size_t>(padding));
  return out.finish();
}

Value zfill_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "zfill", {"width"}, 1);
  if (!parameters.ok()) return Undefined{};
  const int64_t padding = missing_width(parameters.integer(0, 0), self);
  const Text& text = self_text(self);
  const bool has_sign = text.view().starts_with('-') || text.view().starts_with('+');
  TextBuilder out(runtime);
  if (has_sign) out.append(text, 0, 1);
  out.pad('0', static_cast<size_t>(padding));
  out.append(text, has_sign ? 1 : 0, text.bytes().size());
  return out.finish();
}

Value isascii_method(Runtime& runtime, const Value& self, const Arguments&) {
  const std::string_view text = self_text(self).view();
  runtime.charge(text.size() / 64);
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

Value isprintable_method(Runtime& runtime, const Value& self, const Arguments&) {
  const std::string_view text = self_text(self).view();
  for (size_t at = 0; at < text.size() && runtime.charge();) {
    const CodePoint c = decode(text, at);
    if (!is_printable(c.value)) return false;
    at += c.length;
  }
  return true;
}

Value expandtabs_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "expandtabs", {"tabsize"});
  if (!parameters.ok()) return Undefined{};
  const int64_t tab_size = parameters.integer(0, 8);
  const Text& text = self_text(self);
  TextBuilder out(runtime);
  int64_t column = 0;
  for (size_t at = 0; at < text.bytes().size() && runtime.charge();) {
    const CodePoint c = decode(text.view(), at);
    if (c.value == '\t') {
      const int64_t spaces = tab_size > 0 ? tab_size - column % tab_size : 0;
      out.pad(' ', static_cast<size_t>(spaces));
      column += spaces;
    } else {
      out.append(text, at, at + c.length);
      column = c.value == '\n' || c.value == '\r' ? 0 : column + 1;
    }
    at += c.length;
  }
  return out.finish();
}

constexpr NamedFunction kMethods[] = {
    {"strip", stripped<Side::kBoth>},
    {"lstrip", stripped<Side::kLeft>},
    {"rstrip", stripped<Side::kRight>},
    {"split", splitted<split>},
    {"rsplit", splitted<split_right>},
    {"splitlines", splitlines_method},
    {"replace", replace_method},
    {"startswith", affixed<true>},
    {"endswith", affixed<false>},
    {"removeprefix", without_affix<true>},
    {"removesuffix", without_affix<false>},
    {"partition", partitioned<false>},
    {"rpartition", partitioned<true>},
    {"join", join_method},
    {"format", format_method},
    {"find", found<false, false>},
    {"rfind", found<true, false>},
    {"index", found<false, true>},
    {"rindex", found<true, true>},
    {"count", count_method},
    {"upper", converted<upper>},
    {"lower", converted<lower>},
    {"casefold", converted<lower>},
    {"title", converted<title>},
    {"capitalize", converted<capitalize>},
    {"swapcase", converted<swapcase>},
    {"center", padded<0>},
    {"ljust", padded<-1>},
    {"rjust", padded<1>},
    {"zfill", zfill_method},
    {"isalpha", all_characters<is_alpha>},
    {"isdigit", all_characters<is_digit>},
    {"isdecimal", all_characters<is_decimal>},
    {"isnumeric", all_characters<is_numeric>},
    {"isalnum", all_characters<is_alnum>},
    {"isspace", all_characters<is_space>},
    {"islower", cased<false>},
    {"isupper", cased<true>},
    {"istitle", istitle_method},
    {"isascii", isascii_method},
    {"isprintable", isprintable_method},
    {"expandtabs", expandtabs_method},
};

}  // namespace

Function find_text_method(std::string_view name) {
  return find_function(kMethods, name);
}

}  // namespace quire::jinja
