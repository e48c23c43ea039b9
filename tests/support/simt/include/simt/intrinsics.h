#pragma once

#include <cmath>
#include <cstdint>

/// CUDA's arithmetic: roundings by name, quick approximations (exact here: a kernel's error bound
/// has to leave room for the GPU's), minima and maxima, loads and stores with a cache hint.
namespace simt {

/// Ends the program with a sentence if a GPU would refuse the address.
void check_aligned(const void* address, size_t alignment, const char* what);

inline float fast_sinf(float x) {
  return sinf(x);
}
inline float fast_cosf(float x) {
  return cosf(x);
}
inline float fast_tanf(float x) {
  return tanf(x);
}
inline float fast_expf(float x) {
  return expf(x);
}
inline float fast_exp10f(float x) {
  return powf(10.0f, x);
}
inline float fast_logf(float x) {
  return logf(x);
}
inline float fast_log2f(float x) {
  return log2f(x);
}
inline float fast_log10f(float x) {
  return log10f(x);
}
inline float fast_powf(float x, float y) {
  return powf(x, y);
}
inline float reciprocal_square_root(float x) {
  return 1.0f / sqrtf(x);
}
inline double reciprocal_square_root(double x) {
  return 1.0 / sqrt(x);
}

template <typename T>
T load_aligned(const T* address, const char* what) {
  check_aligned(address, alignof(T), what);
  return *address;
}
template <typename T>
void store_aligned(T* address, T value, const char* what) {
  check_aligned(address, alignof(T), what);
  *address = value;
}

}  // namespace simt

// The C library declares some of these names itself, so they are macros.
#define __sinf simt::fast_sinf
#define __cosf simt::fast_cosf
#define __tanf simt::fast_tanf
#define __expf simt::fast_expf
#define __exp10f simt::fast_exp10f
#define __logf simt::fast_logf
#define __log2f simt::fast_log2f
#define __log10f simt::fast_log10f
#define __powf simt::fast_powf
#define rsqrtf simt::reciprocal_square_root
#define rsqrt simt::reciprocal_square_root

inline float __fmaf_rn(float x, float y, float z) {
  return fmaf(x, y, z);
}
inline float __fmul_rn(float x, float y) {
  return x * y;
}
inline float __fadd_rn(float x, float y) {
  return x + y;
}
inline float __fsub_rn(float x, float y) {
  return x - y;
}
inline float __fdiv_rn(float x, float y) {
  return x / y;
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline float __fsqrt_rn(float x) {
  return sqrtf(x);
}
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
inline double __fma_rn(double x, double y, double z) {
  return fma(x, y, z);
}
inline double __dmul_rn(double x, double y) {
  return x * y;
}
inline double __dadd_rn(double x, double y) {
  return x + y;
}
inline double __dsub_rn(double x, double y) {
  return x - y;
}
inline double __ddiv_rn(double x, double y) {
  return x / y;
}
inline double __drcp_rn(double x) {
  return 1.0 / x;
}
inline double __dsqrt_rn(double x) {
  return sqrt(x);
}

inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}

// Where C++ leaves the conversion undefined, a GPU takes the nearest integer, and 0 for NaN.
inline int __float2int_rn(float x) {
  if (std::isnan(x)) return 0;
  if (x >= 0x1p31f) return INT32_MAX;
  return x < -0x1p31f ? INT32_MIN : static_cast<int>(nearbyintf(x));
}
inline int __float2int_rz(float x) {
  return __float2int_rn(truncf(x));
}
inline int __float2int_rd(float x) {
  return __float2int_rn(floorf(x));
}
inline int __float2int_ru(float x) {
  return __float2int_rn(ceilf(x));
}
inline unsigned __float2uint_rn(float x) {
  if (!(x > 0.0f)) return 0;
  return x >= 0x1p32f ? UINT32_MAX : static_cast<unsigned>(nearbyintf(x));
}
inline unsigned __float2uint_rz(float x) {
  return __float2uint_rn(truncf(x));
}

// The overloads of CUDA's math_functions.hpp.
inline int min(int a, int b) {
  return b < a ? b : a;
}
inline int max(int a, int b) {
  return a < b ? b : a;
}
inline unsigned min(unsigned a, unsigned b) {
  return b < a ? b : a;
}
inline unsigned max(unsigned a, unsigned b) {
  return a < b ? b : a;
}
inline unsigned min(int a, unsigned b) {
  return min(static_cast<unsigned>(a), b);
}
inline unsigned max(int a, unsigned b) {
  return max(static_cast<unsigned>(a), b);
}
inline unsigned min(unsigned a, int b) {
  return min(a, static_cast<unsigned>(b));
}
inline unsigned max(unsigned a, int b) {
  return max(a, static_cast<unsigned>(b));
}
inline long min(long a, long b) {
  return b < a ? b : a;
}
inline long max(long a, long b) {
  return a < b ? b : a;
}
inline unsigned long min(unsigned long a, unsigned long b) {
  return b < a ? b : a;
}
inline unsigned long max(unsigned long a, unsigned long b) {
  return a < b ? b : a;
}
inline long long min(long long a, long long b) {
  return b < a ? b : a;
}
inline long long max(long long a, long long b) {
  return a < b ? b : a;
}
inline unsigned long long min(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
inline unsigned long long max(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
inline float min(float a, float b) {
  return fminf(a, b);
}
inline float max(float a, float b) {
  return fmaxf(a, b);
}
inline double min(double a, double b) {
  return fmin(a, b);
}
inline double max(double a, double b) {
  return fmax(a, b);
}
inline double min(float a, double b) {
  return fmin(a, b);
}
inline double max(float a, double b) {
  return fmax(a, b);
}
inline double min(double a, float b) {
  return fmin(a, b);
}
inline double max(double a, float b) {
  return fmax(a, b);
}

template <typename T>
T __ldg(const T* address) {
  return simt::load_aligned(address, "__ldg");
}
template <typename T>
T __ldcs(const T* address) {
  return simt::load_aligned(address, "__ldcs");
}
template <typename T>
T __ldcg(const T* address) {
  return simt::load_aligned(address, "__ldcg");
}
template <typename T>
T __ldca(const T* address) {
  return simt::load_aligned(address, "__ldca");
}
template <typename T>
T __ldlu(const T* address) {
  return simt::load_aligned(address, "__ldlu");
}
template <typename T>
void __stcs(T* address, T value) {
  simt::store_aligned(address, value, "__stcs");
}
template <typename T>
void __stcg(T* address, T value) {
  simt::store_aligned(address, value, "__stcg");
}
template <typename T>
void __stwb(T* address, T value) {
  simt::store_aligned(address, value, "__stwb");
}
