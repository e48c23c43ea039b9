#pragma once

#include <cstdint>

#include "kernels/base/result.h"

namespace quire::bench {

/// Ceilings by CUDA itself, timed with its events, the best of ten. Errors: kUnsupported where this
/// program was built without the toolkit or finds no cuBLAS, kDevice as CUDA says it.

/// Bytes a second, read and written, of copying `bytes` of device memory.
Result<double> cuda_memcpy_rate(int gpu, int64_t bytes);
/// The same by the plainest kernel: 16 bytes a thread.
Result<double> cuda_copy_kernel_rate(int gpu, int64_t bytes);
/// Operations a second of a bf16 GEMM of two random (size, size) matrices, summed in f32.
Result<double> cublas_product_rate(int gpu, int size);

}  // namespace quire::bench
