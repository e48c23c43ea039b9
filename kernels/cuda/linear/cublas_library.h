#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/base/result.h"

namespace quire::cuda {

/// What is used of cuBLAS, which is loaded at run time: it takes hundreds of megabytes, few need it
/// and many machines have none. Each function returns a cublasStatus_t. Types and numbers are those
/// of cublas_api.h and library_types.h, the same since CUDA 11.
struct CublasLibrary {
  using Handle = void*;

  int (*create)(Handle* handle);                                           ///< cublasCreate_v2
  int (*destroy)(Handle handle);                                           ///< cublasDestroy_v2
  int (*set_stream)(Handle handle, cudaStream_t stream);                   ///< cublasSetStream_v2
  int (*set_workspace)(Handle handle, void* workspace, size_t num_bytes);  ///< ...SetWorkspace_v2
  /// cublasGemmEx. C = alpha op(A) op(B) + beta C; matrices lie column by column, ld apart. With
  /// beta = 0 C is not read. alpha and beta are in host memory, and read at once.
  int (*gemm)(Handle handle, int transpose_a, int transpose_b, int m, int n, int k,
              const void* alpha, const void* a, int a_type, int lda, const void* b, int b_type,
              int ldb, const void* beta, void* c, int c_type, int ldc, int compute_type,
              int algorithm);

  static constexpr int kSuccess = 0;  ///< cublasStatus_t
  static constexpr int kAllocFailed = 3;
  static constexpr int kExecutionFailed = 13;
  static constexpr int kNotSupported = 15;
  static constexpr int kNoTranspose = 0;  ///< cublasOperation_t
  static constexpr int kTranspose = 1;
  static constexpr int kF32 = 0;  ///< cudaDataType
  static constexpr int kF16 = 2;
  static constexpr int kBF16 = 14;
  static constexpr int kComputeF32 = 68;        ///< cublasComputeType_t
  static constexpr int kDefaultAlgorithm = -1;  ///< cublasGemmAlgo_t
};

/// Loads cuBLAS, or again: the file that QUIRE_CUBLAS_LIBRARY names, or where it is not set
/// libcublas.so of this toolkit's major version, of 13 or of 12, wherever the system looks for
/// libraries. It stays loaded. Errors: kUnsupported, with what is missing and what to do.
Result<CublasLibrary> load_cublas();

}  // namespace quire::cuda
