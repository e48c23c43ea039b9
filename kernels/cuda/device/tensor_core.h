#pragma once

#include "kernels/cuda/device/numeric.h"

/// Products of matrix fragments that are distributed over a warp's 32 lanes (PTX ISA, "Matrix
/// Fragments for mma.m16n8k16"). All lanes call them together. With g = lane / 4, c = lane % 4 * 2:
///   A (16 x 16): a[0] = A[g][c, c+1], a[1] = A[g+8][c, c+1], a[2] = A[g][c+8, c+9],
///                a[3] = A[g+8][c+8, c+9]
///   B (16 x 8):  b[0] = B[c, c+1][g], b[1] = B[c+8, c+9][g]
///   D (16 x 8):  d[0] = D[g][c], d[1] = D[g][c+1], d[2] = D[g+8][c], d[3] = D[g+8][c+1]
/// and for bytes, with k = lane % 4 * 4 and four numbers [k, k + 4) in a register:
///   A (16 x 32): a[0] = A[g][k..], a[1] = A[g+8][k..], a[2] = A[g][k+16..], a[3] = A[g+8][k+16..]
///   B (32 x 8):  b[0] = B[k..][g], b[1] = B[k+16..][g]
namespace quire::cuda {

#ifndef QUIRE_SIMT_HARNESS

/// d += A B in f32; A and B are in kHalf. bf16 from sm_80; on sm_75 f16 in two steps of k = 8.
/// volatile: all lanes take part, so that the compiler must not move it into a branch.
template <Half kHalf>
__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4],
                                             const uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  if constexpr (kHalf == Half::kBF16) {
    __trap();
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[2]), "r"(a[3]), "r"(b[1]));
  }
#else
  if constexpr (kHalf == Half::kBF16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
}

/// d = A B + c, of signed bytes, in integers: exact. On sm_75 in parts of 8 x 8.
__device__ __forceinline__ void mma_s8_m16n8k32(uint32_t (&d)[4], const uint32_t (&a)[4],
                                                const uint32_t (&b)[2], const uint32_t (&c)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%4};"
                 : "=r"(d[2 * half]), "=r"(d[2 * half + 1])
                 : "r"(a[half]), "r"(b[0]), "r"(c[0]));
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(d[2 * half]), "+r"(d[2 * half + 1])
                 : "r"(a[2 + half]), "r"(b[1]));
  }
#else
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]),
        "r"(c[2]), "r"(c[3]));
#endif
}
/// The same over 16 bytes: a[0] and a[1], and b, of the above.
__device__ __forceinline__ void mma_s8_m16n8k16(uint32_t (&d)[4], uint32_t a0, uint32_t a1,
                                                uint32_t b, const uint32_t (&c)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%4};"
                 : "=r"(d[2 * half]), "=r"(d[2 * half + 1])
                 : "r"(half == 0 ? a0 : a1), "r"(b), "r"(c[0]));
  }
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%7,%8,%9,%10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a0), "r"(a1), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#endif
}

/// Four 8 x 8 matrices of 16-bit numbers from shared memory (PTX ldmatrix): lane i gives the
/// address of row i % 8 (16 bytes, 16-byte aligned) of matrix i / 8. r[j] gets the elements
/// [lane / 4][lane % 4 * 2, + 1] of matrix j; transposed: [lane % 4 * 2, + 1][lane / 4].
__device__ __forceinline__ void load_matrix_x4(uint32_t (&r)[4], const void* shared_row) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_matrix_x4_transposed(uint32_t (&r)[4],
                                                          const void* shared_row) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

#endif

}  // namespace quire::cuda
