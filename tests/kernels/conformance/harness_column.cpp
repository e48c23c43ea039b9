// The CUDA backend's own sources, compiled for the processor and run as fibers.

#include "kernels/cuda/cuda_backend.h"
#include "tests/kernels/conformance/columns.h"

namespace quire::test {

std::optional<Column> harness_column() {
  return Column{"cuda-harness", Arithmetic::kTensorCores,
                [] { return cuda::CudaBackend::create(0, {.device = "cuda"}); }};
}

}  // namespace quire::test
