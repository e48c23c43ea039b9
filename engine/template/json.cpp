#include "engine/template/json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

namespace {

/// Roles are written by the program, not by a user, and templates build special tokens of them, as
/// '<|' + message.role + '|>'. Only these names count, so that no other text passes for a role.
bool is_role(std::string_view key, const nlohmann::ordered_json& value) {
  static constexpr std::string_view kRoles[] = {"system",    "user",  "assistant", "tool",
                                                "developer", "model", "function",  "ipython"};
  if (key != "role" || !value.is_string()) return false;
  const auto& role = value.get_ref<const std::string&>();
  return std::find(std::begin(kRoles), std::end(kRoles), role) != std::end(kRoles);
}

class Converter {
 public:
  Converter(Runtime& runtime, bool is_input) : m_runtime(runtime), m_is_input(is_input) {}

  Value convert(const nlohmann::ordered_json& json, int depth) {
    if (!m_runtime.charge() || !m_runtime.check_nesting(depth)) return Undefined{};
    switch (json.type()) {
      case nlohmann::json::value_t::boolean:
        return json.get<bool>();
      case nlohmann::json::value_t::number_integer:
        return json.get<int64_t>();
      case nlohmann::json::value_t::number_unsigned:
        return unsigned_number(json.get<uint64_t>());
      case nlohmann::json::value_t::number_float:
        return json.get<double>();
      case nlohmann::json::value_t::string:
        return text(json.get_ref<const std::string&>());
      case nlohmann::json::value_t::array:
        return array(json, depth);
      case nlohmann::json::value_t::object:
        return object(json, depth);
      default:
        return None{};
    }
  }

 private:
  /// JSON has integers beyond 64 bits, which become floats as the JSON parser's own do.
  static Value unsigned_number(uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return static_cast<double>(value);
    return static_cast<int64_t>(value);
  }

  Value text(const std::string& bytes, bool is_role = false) {
    std::vector<ByteRange> input;
    if (m_is_input && !is_role) append_range(input, {0, static_cast<uint32_t>(bytes.size())});
    return m_runtime.text(bytes, std::move(input));
  }

  Value array(const nlohmann::ordered_json& json, int depth) {
    std::vector<Value> items;
    for (const auto& item : json) items.push_back(convert(item, depth + 1));
    return m_runtime.list(std::move(items));
  }

  Value object(const nlohmann::ordered_json& json, int depth) {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto& [key, value] : json.items()) {
      entries.emplace_back(text(key), is_role(key, value)
                                          ? text(value.get_ref<const std::string&>(), true)
                                          : convert(value, depth + 1));
    }
    return m_runtime.dict(std::move(entries));
  }

  Runtime& m_runtime;
  bool m_is_input;
};

}  // namespace

Value from_json(Runtime& runtime, const nlohmann::ordered_json& json, bool is_input) {
  return Converter(runtime, is_input).convert(json, 1);
}

namespace {

class Writer {
 public:
  Writer(Runtime& runtime, const JsonStyle& style)
      : m_runtime(runtime), m_style(style), m_out(runtime) {}

  Value run(const Value& value) {
    write(value, 0);
    m_out.spread_marks();
    return m_out.finish();
  }

 private:
  void write(const Value& value, int level);
  void write_text(const Text& text);
  void write_escape(char32_t c, bool is_input);
  void write_unit(uint32_t unit, bool is_input);
  void write_sequence(const Sequence& sequence, int level);
  void write_dict(const Dict& dict, int level);
  void write_key(const Value& key);
  void new_line(int level);

  Runtime& m_runtime;
  const JsonStyle& m_style;
  TextBuilder m_out;
};

std::string json_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return float_repr(value);
}

void Writer::write(const Value& value, int level) {
  if (!m_runtime.charge()) return;
  if (is_none(value)) return m_out.append("null");
  if (is<bool>(value)) return m_out.append(std::get<bool>(value) ? "true" : "false");
  if (is<int64_t>(value)) return m_out.append(std::to_string(std::get<int64_t>(value)));
  if (is<double>(value)) return m_out.append(json_float(std::get<double>(value)));
  if (is_text(value)) return write_text(*std::get<TextRef>(value));
  if (is<Dict*>(value)) return write_dict(*std::get<Dict*>(value), level);
  if (is_list(value) || is_tuple(value)) {
    return write_sequence(*std::get<Sequence*>(value), level);
  }
  m_runtime.fail(std::string("tojson cannot write a value of type ") + type_name(value));
}

void Writer::write_unit(uint32_t unit, bool is_input) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string escape = "\\u0000";
  for (int i = 5; i >= 2; --i, unit >>= 4) escape[static_cast<size_t>(i)] = kDigits[unit & 15];
  m_out.append(escape, is_input);
}

void Writer::write_escape(char32_t c, bool is_input) {
  constexpr std::string_view kMeanings = "\"\\\n\r\t\b\f", kLetters = "\"\\nrtbf";
  const size_t known = c < 0x80 ? kMeanings.find(static_cast<char>(c)) : kMeanings.npos;
  if (known != kMeanings.npos) return m_out.append(std::string{'\\', kLetters[known]}, is_input);
  if (c < 0x10000) return write_unit(c, is_input);
  write_unit(0xD800 + ((c - 0x10000) >> 10), is_input);
  write_unit(0xDC00 + ((c - 0x10000) & 0x3FF), is_input);
}

void Writer::write_text(const Text& text) {
  m_out.append("\"");
  size_t done = 0;  // Runs of characters that need no escape are copied at once.
  for (size_t at = 0; at < text.bytes().size() && !m_runtime.failed();) {
    const CodePoint c = decode(text.view(), at);
    const bool needs_escape = c.value < 0x20 || c.value == '"' || c.value == '\\' ||
                              (m_style.ensure_ascii && c.value > 0x7F);
    if (needs_escape && m_runtime.charge()) {
      m_out.append(text, done, at);
      write_escape(c.value, text.is_input_at(at));
      done = at + c.length;
    }
    at += c.length;
  }
  m_out.append(text, done, text.bytes().size());
  m_out.append("\"");
}

void Writer::new_line(int level) {
  if (!m_style.has_indent) return;
  m_out.append("\n");
  for (int i = 0; i < level && !m_runtime.failed(); ++i) m_out.append(m_style.indent);
}

void Writer::write_sequence(const Sequence& sequence, int level) {
  if (sequence.items.empty()) return m_out.append("[]");
  m_out.append("[");
  bool is_first = true;
  for (const Value& item : sequence.items) {
    if (m_runtime.failed()) return;
    if (!is_first) m_out.append(m_style.item_separator);
    is_first = false;
    new_line(level + 1);
    write(item, level + 1);
  }
  new_line(level);
  m_out.append("]");
}

void Writer::write_key(const Value& key) {
  if (is_text(key)) return write_text(*std::get<TextRef>(key));
  if (!is_none(key) && !is_number(key)) {
    m_runtime.fail(std::string("tojson cannot write a key of type ") + type_name(key));
    return;
  }
  m_out.append("\"");
  write(key, 0);
  m_out.append("\"");
}

void Writer::write_dict(const Dict& dict, int level) {
  if (dict.entries.empty()) return m_out.append("{}");
  std::vector<const std::pair<Value, Value>*> entries;
  for (const auto& entry : dict.entries) entries.push_back(&entry);
  if (m_style.sort_keys) {
    merge_sort(m_runtime, entries,
               [this](auto* a, auto* b) { return is_less(m_runtime, a->first, b->first); });
  }
  m_out.append("{");
  bool is_first = true;
  for (const auto* entry : entries) {
    if (m_runtime.failed()) return;
    if (!is_first) m_out.append(m_style.item_separator);
    is_first = false;
    new_line(level + 1);
    write_key(entry->first);
    m_out.append(m_style.key_separator);
    write(entry->second, level + 1);
  }
  new_line(level);
  m_out.append("}");
}

}  // namespace

Value write_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  return Writer(runtime, style).run(value);
}

}  // namespace quire::jinja
