#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/result.h"

namespace quire {

/// A field's usual name, and what some files call it.
struct FieldAlias {
  std::string_view name;
  const char* alias;
};

/// Reads the fields of an untrusted JSON object and keeps the first fault, so that callers read all
/// fields and check for an error once, at the end.
/// Thread: one at a time. The object must outlive it.
class JsonFields {
 public:
  /// `where` names the object in messages: "config.json" or "config.json: rope_scaling".
  JsonFields(const nlohmann::json& object, std::string where);
  /// Fields are found by these names first, which then stand in messages.
  void set_aliases(std::span<const FieldAlias> aliases) { m_aliases = aliases; }

  /// A field that is absent or null takes the fallback; without one that is a fault.
  int64_t integer(const char* name, int64_t min, int64_t max, std::optional<int64_t> fallback = {});
  double number(const char* name, double min, double max, std::optional<double> fallback = {});
  bool boolean(const char* name, bool fallback);
  std::string string(const char* name, std::optional<std::string> fallback = {});
  /// One whole number or a list of them; nothing if the field is absent.
  std::vector<int64_t> integers(const char* name, int64_t min, int64_t max);

  /// The field, or null if it is absent or JSON's null.
  const nlohmann::json* find(const char* name) const;
  bool has(const char* name) const { return find(name) != nullptr; }
  /// Whether the field is there and says null.
  bool is_null(const char* name) const;

  /// Records a fault of this object in words: "config.json: <fault>". The first one stays.
  void fail(ErrorCode code, const std::string& fault);
  /// The same with a translation; `where` is the format's first argument.
  void fail(ErrorCode code, ErrorFormat format, std::vector<std::string> arguments);
  /// Takes over the fault of an object within this one.
  void fail(const Error& error);
  const std::string& where() const { return m_where; }
  const std::optional<Error>& error() const { return m_error; }

 private:
  const char* spelled(const char* name) const;
  template <typename T>
  T missing(const char* name, const std::optional<T>& fallback);
  int64_t checked_integer(const char* name, const nlohmann::json& value, int64_t min, int64_t max);

  const nlohmann::json& m_object;
  std::string m_where;
  std::span<const FieldAlias> m_aliases;
  std::optional<Error> m_error;
};

}  // namespace quire
