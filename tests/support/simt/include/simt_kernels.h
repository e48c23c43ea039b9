#pragma once

#include <cuda_runtime.h>
#include <simt_device.h>

#include "kernels/base/dtype.h"

/// What kernels/cuda/device/ has for the harness in place of instructions. Included by its
/// portable.h.
namespace quire::cuda {

// numeric.h
__device__ inline float f16_to_float(uint16_t bits) {
  return f16_to_f32(bits);
}
__device__ inline float bf16_to_float(uint16_t bits) {
  return bf16_to_f32(bits);
}
__device__ inline uint16_t float_to_f16(float x) {
  return f32_to_f16(x);
}
__device__ inline uint16_t float_to_bf16(float x) {
  return f32_to_bf16(x);
}
__device__ inline float fast_exp2(float x) {
  return exp2f(x);
}
using simt::f8_e4m3_to_float;
using simt::float_to_f8_e4m3;
using simt::fma_bf16x2;
using simt::fma_f16x2;

// tensor_core.h
template <Half kHalf>
__device__ inline void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  simt::mma_m16n8k16(kHalf == Half::kBF16, d, a, b);
}
__device__ inline void mma_s8_m16n8k32(uint32_t (&d)[4], const uint32_t (&a)[4],
                                       const uint32_t (&b)[2], const uint32_t (&c)[4]) {
  simt::mma_s8(32, d, a, b, c);
}
__device__ inline void mma_s8_m16n8k16(uint32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t b,
                                       const uint32_t (&c)[4]) {
  simt::mma_s8(16, d, {a0, a1, 0, 0}, {b, 0}, c);
}
__device__ inline void load_matrix_x4(uint32_t (&r)[4], const void* shared_row) {
  simt::load_matrix_x4(r, shared_row, false);
}
__device__ inline void load_matrix_x4_transposed(uint32_t (&r)[4], const void* shared_row) {
  simt::load_matrix_x4(r, shared_row, true);
}

// async_copy.h
__device__ inline void copy_async_16(void* shared, const void* global, bool valid = true) {
  simt::copy_async_16(shared, global, valid);
}
__device__ inline void prefetch_to_l2(const void* /*global*/) {}
using simt::copy_async_commit;
template <int kPending>
__device__ inline void copy_async_wait() {
  simt::copy_async_wait(kPending);
}

// launch_order.h
using simt::let_next_kernel_begin;
using simt::wait_for_earlier_kernels;

}  // namespace quire::cuda
