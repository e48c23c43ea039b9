#include "engine/template/from_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace quire::jinja {

namespace {

/// Roles are the program's words and not a user's: templates build marks of them, as
/// '<|' + message.role + '|>'. Only these, so that no other text passes for one.
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

}  // namespace quire::jinja
