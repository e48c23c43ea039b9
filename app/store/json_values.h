#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace quire {

using Json = nlohmann::json;

/// JSON of unknown origin; nothing if it is longer than `maxBytes`, nested deeper than `maxDepth`,
/// or no JSON.
std::optional<Json> boundedJson(const std::string& text, size_t maxBytes, int maxDepth);

/// The object that JSON of unknown origin holds; an empty one if it is longer than `maxBytes`,
/// nested deeper than `maxDepth`, or no JSON object.
Json boundedObject(const std::string& text, size_t maxBytes = 512 * 1024, int maxDepth = 17);

/// Invalid UTF-8 becomes U+FFFD instead of an exception.
std::string dumpJson(const Json& value);
inline QString dumpText(const Json& value) {
  return QString::fromStdString(dumpJson(value));
}

// readJson() returns false, and leaves the value unchanged, if the field has another type or is out
// of its range.

bool readJson(const Json& field, bool& value);
bool readJson(const Json& field, QString& value);
bool readJson(const Json& field, std::vector<std::string>& value);
bool readJson(const Json& field, QStringList& value);
bool readJson(const Json& field, QList<qint32>& value);  ///< Token ids: none below 0.

/// From `low` to the highest int, or to 2^53, the largest exact integer of QML's numbers.
template <std::signed_integral T>
bool readJson(const Json& field, T& value, T low = 0) {
  constexpr bool isInt = sizeof(T) <= sizeof(int);
  constexpr int64_t kHigh = isInt ? std::numeric_limits<int>::max() : int64_t{1} << 53;
  if (!field.is_number_integer()) return false;
  if (field.is_number_unsigned() && field.get<uint64_t>() > uint64_t{kHigh}) return false;
  const auto number = field.get<int64_t>();
  if (number < low || number > kHigh) return false;
  value = static_cast<T>(number);
  return true;
}

template <std::unsigned_integral T>
bool readJson(const Json& field, T& value) {
  if (!field.is_number_unsigned()) return false;
  value = field.get<T>();
  return true;
}

template <std::floating_point T>
bool readJson(const Json& field, T& value) {
  if (!field.is_number() || !(std::abs(field.get<double>()) <= std::numeric_limits<T>::max())) {
    return false;
  }
  value = field.get<T>();
  return true;
}

template <typename T>
bool readJson(const Json& field, std::optional<T>& value) {
  T read{};
  if (!readJson(field, read)) return false;
  value = std::move(read);
  return true;
}

/// Reads a field and removes it from the object; one that cannot be read stays there.
template <typename T>
void takeField(Json& object, const char* key, T& value) {
  const auto found = object.find(key);
  if (found != object.end() && readJson(*found, value)) object.erase(found);
}

template <typename T>
Json jsonOf(const T& value) {
  return value;
}
inline Json jsonOf(const QString& text) {
  return text.toStdString();
}
Json jsonOf(const QStringList& texts);
inline Json jsonOf(const QList<qint32>& tokens) {
  return std::vector<int32_t>(tokens.begin(), tokens.end());
}

}  // namespace quire
