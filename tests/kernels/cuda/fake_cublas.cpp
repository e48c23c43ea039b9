#include "tests/kernels/cuda/fake_cublas.h"

#include <cstdint>

#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/launch.h"

namespace quire::test {
namespace {

using cuda::CublasLibrary;

/// What cublasGemmEx is asked for: op(A) (m, k) with A transposed, B (k, n), C (m, n).
struct GemmTask {
  int m, n, k;
  float alpha, beta;
  const uint16_t* a;
  const uint16_t* b;
  int lda, ldb;
  bool is_f16;
  float* c;
  int ldc;
};

/// A thread an element; sums in ascending order of k.
__global__ void gemm_kernel(GemmTask task) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int column = static_cast<int>(blockIdx.y);
  if (i >= task.m) return;
  const auto value = [&](uint16_t bits) {
    return task.is_f16 ? cuda::f16_to_float(bits) : cuda::bf16_to_float(bits);
  };
  float sum = 0.0f;
  for (int k = 0; k < task.k; ++k) {
    sum += value(task.a[int64_t{i} * task.lda + k]) * value(task.b[int64_t{column} * task.ldb + k]);
  }
  float* const c = task.c + int64_t{column} * task.ldc + i;
  *c = task.alpha * sum + (task.beta == 0.0f ? 0.0f : task.beta * *c);
}

int fake_create(CublasLibrary::Handle* handle) {
  if (fake_cublas().create_status != 0) return fake_cublas().create_status;
  *handle = &fake_cublas();
  ++fake_cublas().num_handles;
  return 0;
}
int fake_destroy(CublasLibrary::Handle) {
  --fake_cublas().num_handles;
  return 0;
}
int fake_set_stream(CublasLibrary::Handle, cudaStream_t stream) {
  fake_cublas().stream = stream;
  fake_cublas().workspace_bytes = 0;  // As in cuBLAS.
  return 0;
}
int fake_set_workspace(CublasLibrary::Handle, void*, size_t bytes) {
  fake_cublas().workspace_bytes = bytes;
  return fake_cublas().workspace_status;
}
int fake_gemm(CublasLibrary::Handle, int transpose_a, int transpose_b, int m, int n, int k,
              const void* alpha, const void* a, int a_type, int lda, const void* b, int b_type,
              int ldb, const void* beta, void* c, int c_type, int ldc, int compute_type,
              int algorithm) {
  using C = CublasLibrary;
  ++fake_cublas().num_gemms;
  if (fake_cublas().gemm_status != 0) return fake_cublas().gemm_status;
  if (transpose_a != C::kTranspose || transpose_b != C::kNoTranspose || a_type != b_type ||
      (a_type != C::kF16 && a_type != C::kBF16) || c_type != C::kF32 ||
      compute_type != C::kComputeF32 || algorithm != C::kDefaultAlgorithm || lda < k || ldb < k ||
      ldc < m || lda % 8 != 0 || ldb % 8 != 0 || fake_cublas().workspace_bytes == 0) {
    return 7;  // CUBLAS_STATUS_INVALID_VALUE
  }
  const GemmTask task = {m,
                         n,
                         k,
                         *static_cast<const float*>(alpha),
                         *static_cast<const float*>(beta),
                         static_cast<const uint16_t*>(a),
                         static_cast<const uint16_t*>(b),
                         lda,
                         ldb,
                         a_type == C::kF16,
                         static_cast<float*>(c),
                         ldc};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(cuda::grid_size(m, 32), static_cast<unsigned>(n));
  config.blockDim = dim3(32);
  config.stream = fake_cublas().stream;
  return cudaLaunchKernelEx(&config, gemm_kernel, task) == cudaSuccess ? 0 : C::kExecutionFailed;
}

}  // namespace

FakeCublas& fake_cublas() {
  static FakeCublas fake;
  return fake;
}

const CublasLibrary kFakeCublas = {fake_create, fake_destroy, fake_set_stream, fake_set_workspace,
                                   fake_gemm};

}  // namespace quire::test
