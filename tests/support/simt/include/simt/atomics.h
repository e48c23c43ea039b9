#pragma once

#include <type_traits>

#include <simt/vector_types.h>

/// CUDA's atomic functions. They are atomic among host threads too, as blocks may be spread over
/// several.
namespace simt {

template <typename T>
struct same_type {
  using type = T;
};
/// Keeps a parameter out of deduction: atomicAdd(&unsigned, 1) is as CUDA's overloads take it.
template <typename T>
using same_t = typename same_type<T>::type;

template <typename T, typename Change>
T atomic_change(T* address, Change change) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are of 32 or 64 bits");
  T before;
  __atomic_load(address, &before, __ATOMIC_RELAXED);
  T after = change(before);
  while (!__atomic_compare_exchange(address, &before, &after, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
    after = change(before);
  }
  return before;
}

}  // namespace simt

template <typename T>
T atomicAdd(T* address, simt::same_t<T> value) {
  return simt::atomic_change(address, [value](T x) { return static_cast<T>(x + value); });
}
template <typename T>
T atomicSub(T* address, simt::same_t<T> value) {
  return simt::atomic_change(address, [value](T x) { return static_cast<T>(x - value); });
}
template <typename T>
T atomicMax(T* address, simt::same_t<T> value) {
  static_assert(std::is_integral_v<T>, "CUDA has no atomicMax of floats");
  return simt::atomic_change(address, [value](T x) { return x < value ? value : x; });
}
template <typename T>
T atomicMin(T* address, simt::same_t<T> value) {
  static_assert(std::is_integral_v<T>, "CUDA has no atomicMin of floats");
  return simt::atomic_change(address, [value](T x) { return value < x ? value : x; });
}
template <typename T>
T atomicAnd(T* address, simt::same_t<T> value) {
  return simt::atomic_change(address, [value](T x) { return static_cast<T>(x & value); });
}
template <typename T>
T atomicOr(T* address, simt::same_t<T> value) {
  return simt::atomic_change(address, [value](T x) { return static_cast<T>(x | value); });
}
template <typename T>
T atomicXor(T* address, simt::same_t<T> value) {
  return simt::atomic_change(address, [value](T x) { return static_cast<T>(x ^ value); });
}
template <typename T>
T atomicExch(T* address, simt::same_t<T> value) {
  return simt::atomic_change(address, [value](T) { return value; });
}
template <typename T>
T atomicCAS(T* address, simt::same_t<T> compare, simt::same_t<T> value) {
  static_assert(std::is_integral_v<T>, "CUDA has no atomicCAS of floats");
  return simt::atomic_change(address, [compare, value](T x) { return x == compare ? value : x; });
}
/// Up to limit, then 0 again.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return simt::atomic_change(address, [limit](unsigned x) { return x >= limit ? 0u : x + 1; });
}
