#include <optional>

#include "engine/template/filters.h"
#include "engine/template/numbers.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

bool is_unreserved(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == '~';
}

/// Percent-encoded; within a query a space is a plus and a slash is encoded, too.
void quote_url(Runtime& runtime, TextBuilder& out, const Text& text, bool is_query) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (size_t at = 0; at < text.bytes().size() && runtime.charge(); ++at) {
    const char c = text.bytes()[at];
    if (is_unreserved(c) || (c == '/' && !is_query)) {
      out.append(text, at, at + 1);
    } else if (c == ' ' && is_query) {
      out.append("+", text.is_input_at(at));
    } else {
      const auto byte = static_cast<unsigned char>(c);
      const char code[] = {'%', kDigits[byte / 16], kDigits[byte % 16]};
      out.append(std::string_view(code, 3), text.is_input_at(at));
    }
  }
}

/// Key and value pairs of a dict or of a row of pairs; false after a failure.
bool read_pairs(Runtime& runtime, const Value& source, std::vector<std::pair<Value, Value>>& out) {
  if (is<Dict*>(source)) {
    out = std::get<Dict*>(source)->entries;
    return true;
  }
  const std::vector<Value>* items = iterate(runtime, source);
  for (size_t i = 0; items && i < items->size(); ++i) {
    const std::vector<Value>* pair = iterate(runtime, (*items)[i]);
    if (!pair) return false;
    if (pair->size() != 2) runtime.fail("urlencode needs pairs of key and value");
    if (runtime.failed()) return false;
    out.emplace_back((*pair)[0], (*pair)[1]);
  }
  return items != nullptr;
}

Value urlencode_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "urlencode", {});
  if (!parameters.ok()) return Undefined{};
  TextBuilder out(runtime);
  if (!is<Dict*>(self) && !is<Sequence*>(self)) {
    quote_url(runtime, out, *to_text(runtime, self), false);
    return out.finish();
  }
  std::vector<std::pair<Value, Value>> pairs;
  if (!read_pairs(runtime, self, pairs)) return Undefined{};
  for (size_t i = 0; i < pairs.size() && !runtime.failed(); ++i) {
    if (i > 0) out.append("&");
    quote_url(runtime, out, *to_text(runtime, pairs[i].first), true);
    out.append("=");
    quote_url(runtime, out, *to_text(runtime, pairs[i].second), true);
  }
  return out.finish();
}

Value filesizeformat_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "filesizeformat", {"binary"});
  if (!parameters.ok()) return Undefined{};
  const bool is_binary = parameters.is_set(0);
  std::optional<double> size;
  if (is_number(self)) size = as_double(self);
  if (is_text(self)) size = parse_double(view(self));
  if (!size) return runtime.fail("filesizeformat needs a number of bytes");
  const double base = is_binary ? 1024 : 1000;
  if (*size == 1) return runtime.text("1 Byte");
  if (*size < base) {
    const Value whole = truncate_double(runtime, *size);
    if (runtime.failed()) return Undefined{};
    return runtime.text(std::to_string(as_integer(whole)) + " Bytes");
  }
  constexpr std::string_view kPrefixes = "kMGTPEZY";
  double unit = base * base;
  size_t i = 0;
  while (!(*size < unit) && i + 1 < kPrefixes.size()) {
    unit *= base;
    ++i;
  }
  std::string text = format_double(base * *size / unit, 'f', 1) + " ";
  text += is_binary && i == 0 ? 'K' : kPrefixes[i];
  return runtime.text(text + (is_binary ? "iB" : "B"));
}

bool is_attribute_name(std::string_view name) {
  for (size_t at = 0; at < name.size();) {
    const CodePoint c = decode(name, at);
    if (is_space(c.value) || c.value == '/' || c.value == '>' || c.value == '=') return false;
    at += c.length;
  }
  return true;
}

/// A dict as the attributes of an HTML tag: key="value", without those that have no value.
Value xmlattr_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "xmlattr", {"autospace"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (!is<Dict*>(self)) return runtime.fail("xmlattr needs a dict");
  const bool has_space = !parameters.has(0) || parameters.is_set(0);
  TextBuilder out(runtime);
  for (const auto& [key, value] : std::get<Dict*>(self)->entries) {
    if (runtime.failed()) break;
    if (is_none(value) || is_undefined(value)) continue;
    if (!is_text(key)) return runtime.fail("xmlattr needs keys that are str");
    if (!is_attribute_name(view(key))) {
      return runtime.fail("xmlattr: a key holds a space, '/', '>' or '='");
    }
    if (has_space || out.size() > 0) out.append(" ");
    print(runtime, out, escape_html(runtime, *std::get<TextRef>(key)));
    out.append("=\"");
    print(runtime, out, escape_html(runtime, *to_text(runtime, value)));
    out.append("\"");
  }
  return out.finish();
}

constexpr NamedFunction kWebFilters[] = {
    {"urlencode", urlencode_filter},
    {"filesizeformat", filesizeformat_filter},
    {"xmlattr", xmlattr_filter},
};

}  // namespace

std::span<const NamedFunction> web_filters() {
  return kWebFilters;
}

}  // namespace quire::jinja
