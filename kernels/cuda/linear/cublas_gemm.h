#pragma once

#include <cstddef>
#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/linear/cublas_library.h"

namespace quire::cuda {

enum class Half;
struct GemmTask;

/// GEMMs of many rows by cuBLAS, for BackendOptions::batch_invariant off: cuBLAS chooses the
/// order of a sum by the number of rows.
///
/// Weights are unpacked from their units into halves, a slice of outputs at a time, and each slice
/// is one GEMM with f32 sums. Slices and cuBLAS's workspace are allocated once, so that the
/// budget for keys and values sees them and a captured step finds them where they were.
/// Thread: one at a time.
class CublasGemm {
 public:
  /// A slice large enough that its GEMM fills a GPU (8,192 outputs of 4,096 inputs), and small
  /// enough that a large GPU's L2 cache holds most of it on its way.
  static constexpr size_t kSliceBytes = size_t{64} << 20;

  /// With the cuBLAS of this machine. Errors: of load_cublas() and create().
  static Result<std::unique_ptr<CublasGemm>> open(CommandQueue& queue);
  /// Errors: kUnsupported if cuBLAS does not start, kOutOfMemory.
  static Result<std::unique_ptr<CublasGemm>> create(CommandQueue& queue,
                                                    const CublasLibrary& library,
                                                    size_t slice_bytes = kSliceBytes);
  ~CublasGemm();
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;

  /// Whether the GEMM is one of theirs: weights of any dtype but f32, and many rows, none of
  /// them of experts.
  bool supports(DType dtype, const GemmTask& gemm) const;

  /// Submits a GEMM that they take; its inputs are rounded to halves.
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
  std::unique_ptr<DeviceBuffer> m_slice;      ///< (outputs, inputs) halves, in order of inputs.h.
  std::unique_ptr<DeviceBuffer> m_workspace;  ///< cuBLAS's.
};

}  // namespace quire::cuda
