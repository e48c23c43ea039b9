#pragma once

// A vector of one float in plain C++, for the templates of the int8 GEMM; see vec_avx2.h for the
// interface. Vectors of bytes hold 4 * kWidth bytes, as in the other vectors.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/dtype.h"

namespace quire::cpu {
namespace {

struct VecScalar {
  static constexpr int kWidth = 1;
  static constexpr int kInt8Rows = 1;
  static constexpr int kFewRows = 2;
  static constexpr int kInt8Vecs = 4;
  static constexpr bool kDotsAllBytes = true;

  using F = float;
  static F zero() { return 0.0f; }
  static F set1(float x) { return x; }
  static F load(const float* p) { return *p; }
  static F load_n(const float* p, int) { return *p; }
  static void store(float* p, F x) { *p = x; }
  static void store_n(float* p, F x, int) { *p = x; }
  static F add(F a, F b) { return a + b; }
  static F sub(F a, F b) { return a - b; }
  static F mul(F a, F b) { return a * b; }
  static F fma(F a, F b, F c) { return std::fma(a, b, c); }
  static F max(F a, F b) { return a > b ? a : b; }
  static F abs(F x) { return std::fabs(x); }
  static F round(F x) { return std::nearbyint(x); }
  static F select_less(F a, F b, F then, F otherwise) { return a < b ? then : otherwise; }
  static float reduce_add(F x) { return x; }
  static float reduce_max(F x) { return x; }

  using I = int32_t;
  static I load_i(const int32_t* p) { return *p; }
  static I load_u8(const uint8_t* p) { return *p; }
  static I set1_i(int x) { return x; }
  static I or_i(I a, I b) { return a | b; }
  static I and_i(I a, I b) { return a & b; }
  static I xor_i(I a, I b) { return a ^ b; }
  static I add_i(I a, I b) { return a + b; }
  static I sub_i(I a, I b) { return a - b; }
  static I shift_right(I x, int n) { return static_cast<I>(static_cast<uint32_t>(x) >> n); }
  static I gather(const uint32_t* table, I x) { return static_cast<I>(table[x]); }
  static I shift_left(I x, int n) { return shift_left_each(x, n); }
  /// As the vector instructions: zero for shifts by 32 places or more.
  static I shift_left_each(I x, I n) {
    return n < 0 || n > 31 ? 0 : static_cast<I>(static_cast<uint32_t>(x) << n);
  }
  static F to_float(I x) { return static_cast<float>(x); }
  static F float_of_bits(I x) {
    float value;
    std::memcpy(&value, &x, sizeof value);
    return value;
  }
  static F float_of_half(I x) { return f16_to_f32(static_cast<uint16_t>(x)); }

  using B = std::array<uint8_t, 4>;
  template <typename Fn>
  static B each(Fn fn) {
    return {fn(0), fn(1), fn(2), fn(3)};
  }
  static uint8_t byte(int x) { return static_cast<uint8_t>(x); }
  static I words_of(B x) {
    I word;
    std::memcpy(&word, x.data(), sizeof word);
    return word;
  }
  static B bytes_of(I x) {
    B bytes;
    std::memcpy(bytes.data(), &x, sizeof x);
    return bytes;
  }
  static B negate_b(B x, I bits) {
    return each([&](size_t i) { return byte((bits >> i & 1) != 0 ? -x[i] : x[i]); });
  }
  static B load_b(const uint8_t* p) { return {p[0], p[1], p[2], p[3]}; }
  static void store_b(uint8_t* p, B x) { std::copy(x.begin(), x.end(), p); }
  static B set1_b(int x) { return {byte(x), byte(x), byte(x), byte(x)}; }
  static B and_b(B a, B b) {
    return each([&](size_t i) { return byte(a[i] & b[i]); });
  }
  static B or_b(B a, B b) {
    return each([&](size_t i) { return byte(a[i] | b[i]); });
  }
  static B sub_b(B a, B b) {
    return each([&](size_t i) { return byte(a[i] - b[i]); });
  }
  static B shift_left_b(B x, int n) {
    return each([&](size_t i) { return byte(x[i] << n); });
  }
  static B shift_right_b(B x, int n) {
    return each([&](size_t i) { return byte(x[i] >> n); });
  }
  static B look_up_b(const int8_t* table, B x) {
    return each([&](size_t i) { return byte(table[x[i]]); });
  }

  static void widen_b(B x, I (&out)[4]) { std::copy(x.begin(), x.end(), out); }
  static I dot(I sum, B weights, I inputs) {
    for (int i = 0; i < 4; ++i) {
      const auto input = static_cast<int8_t>(static_cast<uint32_t>(inputs) >> 8 * i);
      sum += weights[static_cast<size_t>(i)] * input;
    }
    return sum;
  }
  static I dot_signed(I sum, B, I) { return sum; }  // Never called: kDotsAllBytes.
  static void store_codes(int8_t* p, F x) {
    *p = static_cast<int8_t>(std::isnan(x) ? 0.0f : std::clamp(x, -128.0f, 127.0f));
  }
};

}  // namespace
}  // namespace quire::cpu
