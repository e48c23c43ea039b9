// gather_rows: a copy, bound by memory.

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows/row_access.h"

namespace quire::cuda {
namespace {

struct GatherOperation {
  Rows out;
  ConstRows x;
  const int32_t* sources;
  int64_t num_sources;

  /// A row that is not there is the caller's mistake; reading it would cost the whole device.
  template <bool kAligned>
  __device__ __forceinline__ void run(int64_t row, int64_t i, int64_t n) const {
    const int64_t source = __ldg(sources + row);
    if (source < 0 || source >= num_sources) return;
    store_group<kAligned>(out.row(row), i, n, load_group<kAligned>(x.row(source), i, n));
  }
};

__global__ void nothing_kernel() {}

}  // namespace

cudaError_t check_kernels() {
  cudaFuncAttributes attributes = {};
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&nothing_kernel));
}

void gather_rows(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView rows) {
  CHECK(out.rank() == 2 && x.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(has_shape(out, DType::kF32, {num_rows, n}));
  CHECK(has_shape(x, DType::kF32, {x.dim(0), n}) && has_shape(rows, DType::kI32, {num_rows}));
  const GatherOperation operation{rows_of(out), rows_of(x), rows.as<int32_t>(), x.dim(0)};
  for_each_group(queue, "gather_rows", operation, num_rows, n, is_aligned(out) && is_aligned(x));
}

}  // namespace quire::cuda
