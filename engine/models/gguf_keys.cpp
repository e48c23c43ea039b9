#include "engine/models/gguf_keys.h"

#include <algorithm>

#include "engine/io/text.h"

namespace quire {

GgufKeys::GgufKeys(const GgufFile& file)
    : m_file(file),
      m_file_name(file.path().filename().string()),
      m_architecture(file.string("general.architecture").value_or("")) {
  if (m_architecture.empty()) {
    fail(ErrorCode::kCorruptFile, "general.architecture is missing, so that this is no model");
  }
}

template <typename T>
std::optional<T> GgufKeys::typed(std::string_view name, std::optional<T> value, const char* what) {
  if (!value && has(name)) {
    fail(ErrorCode::kCorruptFile,
         for_message(key(name)) + " is not " + what + "; choose another conversion of the model");
  }
  return value;
}

std::optional<int64_t> GgufKeys::integer(std::string_view name) {
  return typed(name, m_file.integer(key(name)), "a whole number");
}
std::optional<double> GgufKeys::number(std::string_view name) {
  return typed(name, m_file.number(key(name)), "a number");
}
std::optional<bool> GgufKeys::boolean(std::string_view name) {
  return typed(name, m_file.boolean(key(name)), "true or false");
}
std::optional<std::string_view> GgufKeys::string(std::string_view name) {
  return typed(name, m_file.string(key(name)), "a text");
}

int64_t GgufKeys::required_integer(std::string_view name) {
  const auto value = same_in_all_layers(name);
  if (!value) fail(ErrorCode::kCorruptFile, for_message(key(name)) + " is missing or no number");
  return value.value_or(0);
}

double GgufKeys::required_number(std::string_view name) {
  const auto value = number(name);
  if (!value) fail(ErrorCode::kCorruptFile, for_message(key(name)) + " is missing or no number");
  return value.value_or(0.0);
}

std::optional<int64_t> GgufKeys::same_in_all_layers(std::string_view name) {
  const std::vector<int64_t> all = integers(name);
  if (all.empty()) return integer(name);
  const auto other = std::find_if(all.begin(), all.end(), [&](int64_t n) { return n != all[0]; });
  if (other != all.end()) {
    fail(ErrorCode::kUnsupported, for_message(key(name)) + " is " + std::to_string(all[0]) +
                                      " in some layers and " + std::to_string(*other) +
                                      " in others, which Quire does not run");
  }
  return all[0];
}

void GgufKeys::fail(ErrorCode code, const std::string& fault) {
  if (!m_error) m_error = Error{code, m_file_name + ": " + fault};
}

}  // namespace quire
