#pragma once

#include "kernels/cuda/device/portable.h"

#ifndef QUIRE_SIMT_HARNESS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

/// 16-bit and 8-bit floating point in kernels: the bits are stored in integers and converted by
/// named functions. "x2" is two of them in 32 bits, the first in the lower half, as tensor cores
/// expect.
namespace quire::cuda {

/// 1.5 times 2^23, and its bits. Adding that number rounds a float to an integer, and the bits of
/// the number plus an integer are the sum of both: so numbers are converted without conversions.
inline constexpr float kOriginNumber = 12582912.0f;
inline constexpr uint32_t kOriginBits = 0x4b400000u;

#ifndef QUIRE_SIMT_HARNESS

__device__ __forceinline__ float f16_to_float(uint16_t bits) {
  return __half2float(__ushort_as_half(bits));
}
__device__ __forceinline__ float bf16_to_float(uint16_t bits) {
  return __uint_as_float(static_cast<uint32_t>(bits) << 16);
}
/// Rounded to nearest even; beyond the largest, infinity.
__device__ __forceinline__ uint16_t float_to_f16(float x) {
  return __half_as_ushort(__float2half_rn(x));
}
__device__ __forceinline__ uint16_t float_to_bf16(float x) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(x));
}
__device__ __forceinline__ float f8_e4m3_to_float(uint8_t bits) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)));
}
/// Rounded to nearest even, saturating at 448.
__device__ __forceinline__ uint8_t float_to_f8_e4m3(float x) {
  return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}
/// 2^x to a few units in the last place.
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// a * b + c in both halves, rounded once.
__device__ __forceinline__ uint32_t fma_f16x2(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
/// As fma_f16x2; from sm_80.
__device__ __forceinline__ uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
#else
  __trap();
#endif
  return d;
}

#endif

__device__ __forceinline__ uint32_t pack_x2(uint16_t low, uint16_t high) {
  return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16;
}
/// float_to_f16 of both: from sm_80 one instruction, where nvcc makes three of two conversions.
__device__ __forceinline__ uint32_t pack_f16x2(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return pack_x2(float_to_f16(low), float_to_f16(high));
#endif
}
/// float_to_bf16 of both, in the same way.
__device__ __forceinline__ uint32_t pack_bf16x2(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return pack_x2(float_to_bf16(low), float_to_bf16(high));
#endif
}

template <Half kHalf>
__device__ __forceinline__ float half_to_float(uint16_t bits) {
  return kHalf == Half::kF16 ? f16_to_float(bits) : bf16_to_float(bits);
}
template <Half kHalf>
__device__ __forceinline__ uint32_t pack_halves(float low, float high) {
  return kHalf == Half::kF16 ? pack_f16x2(low, high) : pack_bf16x2(low, high);
}

}  // namespace quire::cuda
