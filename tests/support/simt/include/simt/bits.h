#pragma once

#include <bit>
#include <cstdint>

/// CUDA's functions on the bits of integers and floats.

inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}
inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
  return std::popcount(x);
}
inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
/// The position of the lowest bit, from 1; 0 if there is none.
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1u) << (31 - bit);
  return reversed;
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<int64_t>(x) * y >> 32);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(x) * y >> 64);
}
/// The upper 32 bits of (high, low) shifted left by shift % 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift % 32) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift % 32));
}

/// Four bytes chosen from the eight of (y, x) by the selector's four nibbles; a nibble's upper bit
/// repeats the byte's sign (PTX prmt).
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
  unsigned chosen = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i) & 0xfu;
    unsigned byte = static_cast<unsigned>(both >> (8 * (nibble & 7u))) & 0xffu;
    if ((nibble & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
    chosen |= byte << (8 * i);
  }
  return chosen;
}

/// c + the four products of signed, or of unsigned, bytes.
inline int __dp4a(int a, int b, int c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i) {
    const int x = static_cast<int8_t>(static_cast<unsigned>(a) >> (8 * i));
    const int y = static_cast<int8_t>(static_cast<unsigned>(b) >> (8 * i));
    sum += static_cast<unsigned>(x * y);
  }
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xffu) * (b >> (8 * i) & 0xffu);
  return c;
}

/// Byte by byte.
inline unsigned __vsub4(unsigned a, unsigned b) {
  unsigned difference = 0;
  for (int i = 0; i < 4; ++i) difference |= (((a >> (8 * i)) - (b >> (8 * i))) & 0xffu) << (8 * i);
  return difference;
}
inline unsigned __vadd4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i) sum |= (((a >> (8 * i)) + (b >> (8 * i))) & 0xffu) << (8 * i);
  return sum;
}
