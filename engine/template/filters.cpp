#include "engine/template/filters.h"

#include "engine/template/lookup.h"
#include "engine/template/text_ops.h"

namespace quire::jinja {

Function find_filter(std::string_view name) {
  for (const auto filters : {text_filters(), value_filters(), sequence_filters(),
                             selection_filters(), wrap_filters(), web_filters()}) {
    if (const Function filter = find_function(filters, name)) return filter;
  }
  return nullptr;
}

std::string missing_filter(std::string_view name) {
  const std::string filter = "the filter '" + std::string(name) + "' ";
  if (name == "random") return filter + "is not supported: a prompt must always come out the same";
  if (name == "pprint") return filter + "is not supported; tojson(indent=2) is";
  if (name == "urlize" || name == "striptags") {
    return filter + "is not supported: it is for web pages, not for prompts";
  }
  return filter + "does not exist in Jinja 3.1";
}

std::string missing_test(std::string_view name) {
  return "the test '" + std::string(name) + "' does not exist in Jinja 3.1";
}

static bool is_all_digits(std::string_view text) {
  constexpr size_t kLongestIndex = 9;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return !text.empty() && text.size() <= kLongestIndex;
}

Value read_path(Runtime& runtime, const Value& item, const Value& attribute,
                const Value* default_value) {
  if (is_undefined(attribute) || is_none(attribute)) return item;
  if (!is_text(attribute)) return get_item(runtime, item, attribute);
  const Text& path = *std::get<TextRef>(attribute);
  Value value = item;
  for (size_t begin = 0; begin <= path.bytes().size() && !runtime.failed();) {
    const size_t end = std::min(path.view().find('.', begin), path.bytes().size());
    const std::string_view part = path.view().substr(begin, end - begin);
    const Value key = is_all_digits(part) ? Value(int64_t{std::stoll(std::string(part))})
                                          : runtime.slice(path, begin, end);
    value = get_item(runtime, value, key);
    if (default_value && is_undefined(value)) value = *default_value;
    begin = end + 1;
  }
  return value;
}

Value sort_key(Runtime& runtime, const Value& item, const Value& attribute, bool case_sensitive) {
  const Value key = read_path(runtime, item, attribute);
  if (case_sensitive || !is_text(key) || runtime.failed()) return key;
  return lower(runtime, *std::get<TextRef>(key));
}

}  // namespace quire::jinja
