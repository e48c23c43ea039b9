#include "engine/io/json_fields.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/io/text.h"

namespace quire {
namespace {

using nlohmann::json;

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string range_text(double min, double max) {
  return number_text(min) + " to " + number_text(max);
}

std::string value_text(const json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return for_message(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

JsonFields::JsonFields(const json& object, std::string where)
    : m_object(object), m_where(std::move(where)) {
  if (!object.is_object()) fail(ErrorCode::kCorruptFile, "is not a JSON object");
}

void JsonFields::fail(ErrorCode code, const std::string& fault) {
  if (!m_error) m_error = Error{code, m_where + ": " + fault};
}

void JsonFields::fail(ErrorCode code, ErrorFormat format, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), m_where);
  if (!m_error) m_error = make_error(code, format, std::move(arguments));
}

void JsonFields::fail(const Error& error) {
  if (!m_error) m_error = error;
}

/// The name by which the object has the field, if it has it.
const char* JsonFields::spelled(const char* name) const {
  for (const FieldAlias& alias : m_aliases) {
    if (alias.name == name && m_object.contains(alias.alias)) return alias.alias;
  }
  return name;
}

const json* JsonFields::find(const char* name) const {
  const auto at = m_object.find(spelled(name));  // end() for anything but an object.
  return at == m_object.end() || at->is_null() ? nullptr : &*at;
}

bool JsonFields::is_null(const char* name) const {
  const auto at = m_object.find(spelled(name));
  return at != m_object.end() && at->is_null();
}

template <typename T>
T JsonFields::missing(const char* name, const std::optional<T>& fallback) {
  if (!fallback) fail(ErrorCode::kCorruptFile, std::string(spelled(name)) + " is missing");
  return fallback.value_or(T{});
}

int64_t JsonFields::checked_integer(const char* name, const json& value, int64_t min, int64_t max) {
  const double wide = value.is_number() ? value.get<double>() : std::nan("");
  if (!(std::floor(wide) == wide)) {
    fail(ErrorCode::kCorruptFile,
         std::string(spelled(name)) + " is " + value_text(value) + ", not a whole number");
    return min;
  }
  if (wide < static_cast<double>(min) || wide > static_cast<double>(max)) {
    fail(ErrorCode::kCorruptFile,
         std::string(spelled(name)) + " is " + value_text(value) + ", outside " +
             range_text(static_cast<double>(min), static_cast<double>(max)));
    return min;
  }
  return static_cast<int64_t>(wide);
}

int64_t JsonFields::integer(const char* name, int64_t min, int64_t max,
                            std::optional<int64_t> fallback) {
  const json* value = find(name);
  return value == nullptr ? missing(name, fallback) : checked_integer(name, *value, min, max);
}

double JsonFields::number(const char* name, double min, double max,
                          std::optional<double> fallback) {
  const json* value = find(name);
  if (value == nullptr) return missing(name, fallback);
  if (!value->is_number()) {
    fail(ErrorCode::kCorruptFile,
         std::string(spelled(name)) + " is " + value_text(*value) + ", not a number");
    return min;
  }
  const double number = value->get<double>();
  if (number >= min && number <= max) return number;
  fail(ErrorCode::kCorruptFile, std::string(spelled(name)) + " is " + value_text(*value) +
                                    ", outside " + range_text(min, max));
  return min;
}

bool JsonFields::boolean(const char* name, bool fallback) {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  fail(ErrorCode::kCorruptFile,
       std::string(spelled(name)) + " is " + value_text(*value) + ", not true or false");
  return fallback;
}

std::string JsonFields::string(const char* name, std::optional<std::string> fallback) {
  const json* value = find(name);
  if (value == nullptr) return missing(name, fallback);
  if (value->is_string()) return value->get<std::string>();
  fail(ErrorCode::kCorruptFile,
       std::string(spelled(name)) + " is " + value_text(*value) + ", not a string");
  return {};
}

std::vector<int64_t> JsonFields::integers(const char* name, int64_t min, int64_t max) {
  const json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) return {checked_integer(name, *value, min, max)};
  std::vector<int64_t> list;
  for (const json& item : *value) list.push_back(checked_integer(name, item, min, max));
  return list;
}

}  // namespace quire
