#pragma once

#include <cstddef>
#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

enum class Half;
struct GemmTask;

/// The functions of cuBLAS that are used. It is loaded at run time, because it takes hundreds of
/// megabytes, is rarely needed and often not installed. Each function returns a cublasStatus_t.
/// Types and numbers are those of cublas_api.h and library_types.h, unchanged since CUDA 11.
struct CublasLibrary {
  using Handle = void*;

  int (*create)(Handle* handle);                                           ///< cublasCreate_v2
  int (*destroy)(Handle handle);                                           ///< cublasDestroy_v2
  int (*set_stream)(Handle handle, cudaStream_t stream);                   ///< cublasSetStream_v2
  int (*set_workspace)(Handle handle, void* workspace, size_t num_bytes);  ///< ...SetWorkspace_v2
  /// cublasGemmEx. C = alpha op(A) op(B) + beta C; matrices are column-major, columns ld apart.
  /// With beta = 0 C is not read. alpha and beta are in host memory and not referenced after the
  /// call.
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

/// Loads cuBLAS if it is not loaded yet: the file in QUIRE_CUBLAS_LIBRARY, or if it is not set
/// libcublas.so of this toolkit's major version, of 13 or of 12, from the system's library paths.
/// It stays loaded. Errors: kUnsupported, with what is missing and what to do.
Result<CublasLibrary> load_cublas();

/// GEMMs of many rows by cuBLAS, if BackendOptions::batch_invariant is off: in cuBLAS the order of
/// a sum depends on the number of rows.
///
/// Weights are unpacked from their units into halves, a slice of outputs at a time, and each slice
/// is one GEMM with f32 sums. The slice and cuBLAS's workspace are allocated once, so that the
/// budget for keys and values accounts for them and their addresses are valid in captured steps.
/// Thread: one at a time.
class CublasGemm {
 public:
  /// Large enough that the GEMM of a slice fills a GPU (8,192 outputs of 4,096 inputs), and small
  /// enough that most of it stays in the L2 cache of a large GPU.
  static constexpr size_t kSliceBytes = size_t{64} << 20;

  /// Loads the cuBLAS of this machine. Errors: those of load_cublas() and create().
  static Result<std::unique_ptr<CublasGemm>> open(CommandQueue& queue);
  /// Errors: kUnsupported if cuBLAS does not start, kOutOfMemory.
  static Result<std::unique_ptr<CublasGemm>> create(CommandQueue& queue,
                                                    const CublasLibrary& library,
                                                    size_t slice_bytes = kSliceBytes);
  ~CublasGemm();
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;

  /// Whether run() computes the GEMM: many rows of weights that are multiplied with halves, and no
  /// experts.
  bool supports(DType dtype, const GemmTask& gemm) const;

  /// Submits a GEMM that is supported. gemm.quantized holds its activations.
  void run(const char* operation, DType dtype, const GemmTask& gemm);

 private:
  CublasGemm(CommandQueue& queue, const CublasLibrary& library)
      : m_queue(queue), m_library(library) {}
  int start();
  void multiply(const char* operation, const GemmTask& gemm, Half half, int first_output,
                int num_outputs, int num_inputs);

  CommandQueue& m_queue;
  CublasLibrary m_library;
  CublasLibrary::Handle m_handle = nullptr;
  std::unique_ptr<DeviceBuffer> m_slice;      ///< (outputs, inputs) halves, ordered as in inputs.h.
  std::unique_ptr<DeviceBuffer> m_workspace;  ///< cuBLAS's.
};

}  // namespace quire::cuda
