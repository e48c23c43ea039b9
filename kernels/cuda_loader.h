#pragma once

#include <string>

#include "kernels/base/result.h"
#include "kernels/cuda/cuda_library.h"

namespace quire {

/// The CUDA backend's shared library, loaded at the first call and kept: programs start without a
/// driver, and without the library. It is looked for where QUIRE_CUDA_LIBRARY says (a file), beside
/// the program, and in ../lib/quire from there. Errors: kUnsupported, with the reason.
/// Thread: any.
Result<const cuda::CudaLibrary*> load_cuda_library();

}  // namespace quire
