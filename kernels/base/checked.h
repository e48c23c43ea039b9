#pragma once

#include <cstdint>
#include <optional>

namespace quire {

/// a * b, a + b; nothing if the result does not fit. For sizes and counts that a file claims.
template <typename T>
std::optional<T> checked_multiply(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}
template <typename T>
std::optional<T> checked_add(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace quire
