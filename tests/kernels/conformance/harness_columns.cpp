// The CUDA backend's own sources, compiled for the processor and run as fibers.

#include "kernels/cuda/cuda_backend.h"
#include "simt/control.h"
#include "tests/kernels/conformance/columns.h"

namespace quire::test {
namespace {

Column harness_column(const char* name, Arithmetic arithmetic, const simt::Machine& machine) {
  return {name, arithmetic, [machine] {
            simt::set_machine(machine);
            return cuda::CudaBackend::create(0, {.device = "cuda"});
          }};
}

}  // namespace

std::vector<Column> harness_columns(bool is_long) {
  std::vector<Column> all = {harness_column("cuda-harness", Arithmetic::kTensorCores, {}),
                             harness_column("cuda-harness-sm89", Arithmetic::kInt8TensorCores,
                                            {.compute_capability = 89})};
  if (!is_long) {
    all.back().operations = {"linear", "quantised"};  // What depends on how weights are multiplied.
    return all;
  }
  // A missing barrier shows when warps and lanes do not run in ascending order.
  all.push_back(harness_column("cuda-harness-shuffled", Arithmetic::kTensorCores,
                               {.num_multiprocessors = 3, .seed = 20231}));
  all.push_back(
      harness_column("cuda-harness-sm75", Arithmetic::kF16TensorCores, {.compute_capability = 75}));
  return all;
}

}  // namespace quire::test
