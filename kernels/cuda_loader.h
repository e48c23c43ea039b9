#pragma once

#include <string>

#include "kernels/base/result.h"
#include "kernels/cuda/cuda_library.h"

namespace quire {

/// The CUDA backend's shared library, loaded by the first call: the file QUIRE_CUDA_LIBRARY, or
/// libquire_cuda.so beside the program or in ../lib/quire. Programs start without it and without a
/// driver. Errors: kUnsupported, with the reason.
/// Thread: any.
Result<const cuda::CudaLibrary*> load_cuda_library();

}  // namespace quire
