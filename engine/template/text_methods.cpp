#include <algorithm>

#include "engine/template/function.h"
#include "engine/template/operators.h"
#include "engine/template/strings.h"

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

template <bool kFromRight>
Value splitted(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "split", {"sep", "maxsplit"});
  if (!parameters.ok()) return Undefined{};
  const TextRef separator = parameters.has_value(0) ? parameters.text(0) : nullptr;
  const int64_t limit = parameters.integer(1, -1);
  if (runtime.failed()) return Undefined{};
  return split(runtime, self_text(self), separator.get(), limit, kFromRight);
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

template <bool kFromRight, bool kMustExist>
Value found(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "find", {"sub"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef needle = parameters.text(0);
  const std::string_view text = self_text(self).view();
  const Finder finder(runtime, needle->view());
  const size_t at = kFromRight ? finder.find_last(text, text.size()) : finder.find(text, 0);
  if (at != text.npos) {
    runtime.charge(at / 64);
    return static_cast<int64_t>(count_code_points(text.substr(0, at)));
  }
  return kMustExist ? runtime.fail("the substring was not found") : Value(int64_t{-1});
}

Value count_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "count", {"sub"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef needle = parameters.text(0);
  const std::string_view text = self_text(self).view();
  runtime.charge(text.size() / 64);
  if (needle->bytes().empty()) return static_cast<int64_t>(count_code_points(text) + 1);
  const Finder finder(runtime, needle->view());
  int64_t count = 0;
  for (size_t at = finder.find(text, 0); at != text.npos && runtime.charge();
       at = finder.find(text, at + needle->bytes().size())) {
    ++count;
  }
  return count;
}

bool matches_end(std::string_view text, std::string_view affix, bool at_start) {
  return at_start ? text.starts_with(affix) : text.ends_with(affix);
}

template <bool kAtStart>
Value affixed(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, kAtStart ? "startswith" : "endswith", {"affix"},
                              1);
  if (!parameters.ok()) return Undefined{};
  const Value affix = parameters.get(0);
  // An affix is at most as long as the text where it is compared.
  runtime.charge(view(self).size() / 256);
  if (!is_tuple(affix)) return matches_end(view(self), parameters.text(0)->view(), kAtStart);
  for (const Value& candidate : std::get<Sequence*>(affix)->items) {
    if (!runtime.charge(1 + view(self).size() / 256)) return false;
    if (!is_text(candidate)) return runtime.fail("startswith() needs a str or a tuple of str");
    if (matches_end(view(self), view(candidate), kAtStart)) return true;
  }
  return false;
}

template <bool kAtStart>
Value without_affix(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "removeprefix", {"affix"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef affix = parameters.text(0);
  const Text& text = self_text(self);
  runtime.charge(affix->bytes().size() / 256);
  if (!matches_end(text.view(), affix->view(), kAtStart)) return self;
  const size_t size = affix->bytes().size();
  return kAtStart ? runtime.slice(text, size, text.bytes().size())
                  : runtime.slice(text, 0, text.bytes().size() - size);
}

Value join_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "join", {"iterable"}, 1);
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, parameters.get(0));
  return items ? join(runtime, self_text(self), *items, true) : Value(Undefined{});
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

constexpr NamedFunction kMethods[] = {
    {"strip", stripped<Side::kBoth>},
    {"lstrip", stripped<Side::kLeft>},
    {"rstrip", stripped<Side::kRight>},
    {"split", splitted<false>},
    {"rsplit", splitted<true>},
    {"splitlines", splitlines_method},
    {"replace", replace_method},
    {"startswith", affixed<true>},
    {"endswith", affixed<false>},
    {"removeprefix", without_affix<true>},
    {"removesuffix", without_affix<false>},
    {"join", join_method},
    {"find", found<false, false>},
    {"rfind", found<true, false>},
    {"index", found<false, true>},
    {"count", count_method},
    {"upper", converted<upper>},
    {"lower", converted<lower>},
    {"title", converted<title>},
    {"capitalize", converted<capitalize>},
    {"isalpha", all_characters<is_alpha>},
    {"isdigit", all_characters<is_digit>},
    {"isalnum", all_characters<is_alnum>},
    {"isspace", all_characters<is_space>},
};

}  // namespace

Function find_text_method(std::string_view name) {
  return find_function(kMethods, name);
}

}  // namespace quire::jinja
