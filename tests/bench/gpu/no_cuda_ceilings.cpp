#include "tests/bench/gpu/cuda_ceilings.h"

namespace quire::bench {
namespace {

Error without_toolkit() {
  return {ErrorCode::kUnsupported, "bench_gpu was built without the CUDA toolkit"};
}

}  // namespace

Result<double> cuda_memcpy_rate(int /*gpu*/, int64_t /*bytes*/) {
  return without_toolkit();
}

Result<double> cuda_copy_kernel_rate(int /*gpu*/, int64_t /*bytes*/) {
  return without_toolkit();
}

Result<double> cublas_product_rate(int /*gpu*/, int /*size*/) {
  return without_toolkit();
}

}  // namespace quire::bench
