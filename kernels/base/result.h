#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/base/check.h"

namespace quire {

enum class ErrorCode {
  kInvalidArgument,  ///< The caller's value is out of range or makes no sense.
  kNotFound,         ///< A file, a tensor or a row is missing.
  kCorruptFile,      ///< A file is inconsistent or violates its format.
  kUnsupported,      ///< Valid, but not implemented.
  kOutOfMemory,      ///< Of the host, the device or the block pool.
  kIo,               ///< The operating system refused to read or write.
  kContextOverflow,  ///< A prompt does not fit the model's context or the block pool.
  kTemplate,         ///< A chat template failed to parse or to render.
  kCancelled,        ///< The user asked to stop.
  kDevice,           ///< A device (its driver or a kernel) reported a failure.
  kInternal,         ///< A defect of Quire that could be contained.
};

/// One sentence for the user: names the file, the tensor or the number at fault and what to do.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  ///< In English.
  /// The sentence with the placeholders %1 to %9, which is the key of its translation, and their
  /// values. Null if the sentence has no translation.
  const char* format = nullptr;
  std::vector<std::string> arguments = {};

  /// Compares what the user sees.
  friend bool operator==(const Error& a, const Error& b) {
    return a.code == b.code && a.message == b.message;
  }
};

/// A string literal, because translations are collected from the source.
struct ErrorFormat {
  consteval ErrorFormat(const char* literal) : text(literal) {}
  const char* text;
};

/// An error that can be translated: %1 in the format stands for the first argument.
/// The application lists each format in app/error_strings.cpp.
Error make_error(ErrorCode code, ErrorFormat format, std::vector<std::string> arguments = {});

/// A value or an Error, with the member names of std::expected (which GCC 12 does not have).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return m_state.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  /// Returns by value: a reference into a temporary would dangle.
  T value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

  const Error& error() const {
    CHECK(!has_value());
    return std::get<1>(m_state);
  }
  T value_or(T fallback) const& { return has_value() ? std::get<0>(m_state) : fallback; }

 private:
  T& checked() {
    CHECK(has_value());
    return std::get<0>(m_state);
  }
  std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : m_error(std::move(error)) {}

  bool has_value() const { return !m_error.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const { CHECK(has_value()); }
  const Error& error() const {
    CHECK(m_error.has_value());
    return *m_error;
  }

 private:
  std::optional<Error> m_error;
};

}  // namespace quire
