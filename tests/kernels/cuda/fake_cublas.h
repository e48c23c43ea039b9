#pragma once

#include "kernels/cuda/linear/cublas_gemm.h"

namespace quire::test {

/// A cuBLAS for GPUs of the harness, which notes what it is asked for.
struct FakeCublas {
  cudaStream_t stream = nullptr;
  size_t workspace_bytes = 0;
  int num_handles = 0;
  int num_gemms = 0;
  /// What the functions return.
  int create_status = 0;
  int workspace_status = 0;
  int gemm_status = 0;
};

/// The one that the functions work with.
FakeCublas& fake_cublas();

/// Its functions. GEMMs are those that linear layers need (A transposed, halves, f32 sums), by a
/// plain kernel on the handle's stream; others are refused.
extern const cuda::CublasLibrary kFakeCublas;

}  // namespace quire::test
