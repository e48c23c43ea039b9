#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/server/api/api_error.h"

namespace quire {

/// Reads the fields of one JSON object strictly: each field that is not read is an error, and so is
/// one of another type or out of range. null is the same as a field that is not there.
///
/// Invariants: the first error is kept, and everything read after it is empty. Fields are named
/// after the object: "messages[2].content".
class FieldReader {
 public:
  using Json = nlohmann::ordered_json;

  /// `object`, which outlives the reader, must be an object: else error().
  explicit FieldReader(const Json& object, std::string name = {});

  std::optional<std::string> string(const std::string& field);
  std::optional<bool> boolean(const std::string& field);
  std::optional<int64_t> integer(const std::string& field, int64_t least, int64_t most);
  std::optional<double> number(const std::string& field, double least, double most);
  /// Null if it is not there.
  const Json* array(const std::string& field);
  const Json* object(const std::string& field);
  const Json* any(const std::string& field);

  /// The field is accepted, because it cannot change an answer.
  void ignore(const std::string& field);
  /// The field is an error unless it has the only value that is supported.
  void accept(const std::string& field, const Json& only, const std::string& why);
  /// The field is an error; `why` is a sentence.
  void refuse(const std::string& field, const std::string& why);

  void fail(ApiError error);
  bool hasFailed() const { return m_error.has_value(); }
  /// The first error, or that of a field that nobody has read.
  std::optional<ApiError> finish();
  /// "messages[2].content"
  std::string nameOf(const std::string& field) const;

 private:
  const Json* find(const std::string& field);
  void wrongType(const std::string& field, const std::string& wanted);

  const Json& m_object;
  const std::string m_name;
  std::set<std::string> m_read;
  std::optional<ApiError> m_error;
};

/// The object of a request's body. Errors: 400 for what is not JSON, or exceeds the limits.
std::optional<ApiError> parseBody(const std::string& body, nlohmann::ordered_json& object);

}  // namespace quire
