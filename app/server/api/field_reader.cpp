#include "app/server/api/field_reader.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "engine/io/json_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

/// 2^63 as a double: the first whole number that int64_t does not hold.
constexpr double kInt64End = 9223372036854775808.0;

/// The whole number, which may be written as 16 or 16.0; nothing for any other value.
std::optional<int64_t> wholeNumber(const nlohmann::ordered_json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const auto number = value.get<double>();
  if (!(std::abs(number) < kInt64End) || std::trunc(number) != number) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::string numberText(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

FieldReader::FieldReader(const Json& object, std::string name)
    : m_object(object), m_name(std::move(name)) {
  if (m_object.is_object()) return;
  const std::string what = m_name.empty() ? "The request" : m_name;
  m_error = badField(m_name, what + " must be a JSON object.");
}

std::string FieldReader::nameOf(const std::string& field) const {
  return m_name.empty() ? field : m_name + "." + field;
}

void FieldReader::fail(ApiError error) {
  if (!m_error) m_error = std::move(error);
}

const FieldReader::Json* FieldReader::find(const std::string& field) {
  if (m_error) return nullptr;
  m_read.insert(field);
  const auto found = m_object.find(field);
  return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

void FieldReader::wrongType(const std::string& field, const std::string& wanted) {
  fail(badField(nameOf(field), nameOf(field) + " must be " + wanted + "."));
}

std::optional<std::string> FieldReader::string(const std::string& field) {
  const Json* const value = find(field);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  wrongType(field, "a string");
  return std::nullopt;
}

std::optional<bool> FieldReader::boolean(const std::string& field) {
  const Json* const value = find(field);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  wrongType(field, "true or false");
  return std::nullopt;
}

std::optional<int64_t> FieldReader::integer(const std::string& field, int64_t least, int64_t most) {
  const Json* const value = find(field);
  if (value == nullptr) return std::nullopt;
  const auto number = wholeNumber(*value);
  if (number && *number >= least && *number <= most) return number;
  wrongType(field, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<double> FieldReader::number(const std::string& field, double least, double most) {
  const Json* const value = find(field);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (number >= least && number <= most) return number;
  wrongType(field, "a number from " + numberText(least) + " to " + numberText(most));
  return std::nullopt;
}

const FieldReader::Json* FieldReader::array(const std::string& field) {
  const Json* const value = find(field);
  if (value == nullptr || value->is_array()) return value;
  wrongType(field, "an array");
  return nullptr;
}

const FieldReader::Json* FieldReader::object(const std::string& field) {
  const Json* const value = find(field);
  if (value == nullptr || value->is_object()) return value;
  wrongType(field, "an object");
  return nullptr;
}

const FieldReader::Json* FieldReader::any(const std::string& field) {
  return find(field);
}

void FieldReader::ignore(const std::string& field) {
  m_read.insert(field);
}

void FieldReader::accept(const std::string& field, const Json& only, const std::string& why) {
  const Json* const value = find(field);
  if (value != nullptr && *value != only) fail(unsupported(nameOf(field), why));
}

void FieldReader::refuse(const std::string& field, const std::string& why) {
  if (find(field) != nullptr) fail(unsupported(nameOf(field), why));
}

std::optional<ApiError> FieldReader::finish() {
  if (m_error) return m_error;
  for (const auto& [field, value] : m_object.items()) {
    if (m_read.contains(field)) continue;
    const std::string name = for_message(nameOf(field));
    m_error = badField(name, "The field " + name + " is not known, or not supported here.");
    m_error->code = "unknown_parameter";
    break;
  }
  return m_error;
}

std::optional<ApiError> parseBody(const std::string& body, nlohmann::ordered_json& object) {
  constexpr JsonLimits kLimits = {
      .max_bytes = 64 << 20, .max_values = 1'000'000, .unique_keys = true};
  auto parsed = parse_input(body, "The request's body", kLimits);
  if (!parsed) return ApiError{.message = parsed.error().message + "."};
  object = std::move(*parsed);
  if (object.is_object()) return std::nullopt;
  return ApiError{.message = "The request's body must be a JSON object."};
}

}  // namespace quire
