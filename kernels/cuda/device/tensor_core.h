#pragma once

#include "kernels/cuda/device/numeric.h"

/// Products of matrix fragments that are distributed over a warp's 32 lanes (PTX ISA, "Matrix
/// Fragments for mma.m16n8k16"). All lanes call them together. With g = lane / 4, c = lane % 4 * 2:
///   A (16 x 16): a[0] = A[g][c, c+1], a[1] = A[g+8][c, c+1], a[2] = A[g][c+8, c+9],
///                a[3] = A[g+8][c+8, c+9]
///   B (16 x 8):  b[0] = B[c, c+1][g], b[1] = B[c+8, c+9][g]
///   D (16 x 8):  d[0] = D[g][c], d[1] = D[g][c+1], d[2] = D[g+8][c], d[3] = D[g+8][c+1]
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
