#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/bench/gpu/cuda_ceilings.h"

namespace quire::bench {
namespace {

constexpr int kRepeats = 10;

__global__ void copy_kernel(uint4* to, const uint4* from, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

/// Random bf16 within (-1, 1) or so: a device slows down by what its numbers are, and on zeros it
/// would be too fast.
__global__ void fill_kernel(uint16_t* to, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  uint32_t bits = static_cast<uint32_t>(i) * 2654435761u + 12345u;
  bits = (bits ^ (bits >> 15)) * 2246822519u;
  bits = (bits ^ (bits >> 13)) * 3266489917u;
  const float value = static_cast<float>(bits >> 8) * 0x1p-23f - 1.0f;
  to[i] = static_cast<uint16_t>(__float_as_uint(value) >> 16);
}

int blocks_of(int64_t count) {
  return static_cast<int>((count + 255) / 256);
}

Error failure(const char* what, cudaError_t status) {
  return {ErrorCode::kDevice, std::string(what) + ": " + cudaGetErrorString(status)};
}

/// Device memory of two or three operands, freed with it.
class Operands {
 public:
  Operands(int gpu, int count, int64_t bytes) {
    m_status = cudaSetDevice(gpu);
    for (int i = 0; i < count && m_status == cudaSuccess; ++i) {
      m_status = cudaMalloc(&m_memory[i], static_cast<size_t>(bytes));
      if (m_status != cudaSuccess) break;
      fill_kernel<<<blocks_of(bytes / 2), 256>>>(static_cast<uint16_t*>(m_memory[i]), bytes / 2);
    }
    if (m_status == cudaSuccess) m_status = cudaDeviceSynchronize();
  }
  ~Operands() {
    for (void* memory : m_memory) cudaFree(memory);
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  void* operator[](int i) const { return m_memory[i]; }
  cudaError_t status() const { return m_status; }

 private:
  void* m_memory[3] = {};
  cudaError_t m_status = cudaSuccess;
};

/// Seconds of the fastest of ten.
Result<double> best_seconds(const std::function<void()>& submit) {
  cudaEvent_t begin = nullptr, end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  submit();
  float best_ms = 1e30f;
  for (int i = 0; i < kRepeats; ++i) {
    cudaEventRecord(begin);
    submit();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0.0f;
    if (cudaEventElapsedTime(&ms, begin, end) == cudaSuccess) best_ms = std::min(best_ms, ms);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) return failure("measuring", status);
  return best_ms * 1e-3;
}

Result<double> copy_rate(int gpu, int64_t bytes,
                         const std::function<void(void* to, const void* from)>& copy) {
  const Operands operands(gpu, 2, bytes);
  if (operands.status() != cudaSuccess) return failure("allocating", operands.status());
  const Result<double> seconds = best_seconds([&] { copy(operands[1], operands[0]); });
  if (!seconds) return seconds.error();
  return 2.0 * static_cast<double>(bytes) / *seconds;
}

// cuBLAS, loaded at run time so that this program starts without it. Numbers are those of
// cublas_api.h and library_types.h, the same since CUDA 11.
constexpr int kNoTranspose = 0;
constexpr int kTranspose = 1;
constexpr int kBf16 = 14;         // CUDA_R_16BF
constexpr int kComputeF32 = 68;   // CUBLAS_COMPUTE_32F
constexpr int kDefaultGemm = -1;  // CUBLAS_GEMM_DEFAULT
using CreateFunction = int (*)(void** handle);
using DestroyFunction = int (*)(void* handle);
using GemmFunction = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                             const void* alpha, const void* a, int a_type, int lda, const void* b,
                             int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                             int compute_type, int algorithm);

struct Cublas {
  CreateFunction create = nullptr;
  DestroyFunction destroy = nullptr;
  GemmFunction gemm = nullptr;
};

Cublas load_cublas() {
  for (const char* folder : {"", QUIRE_CUBLAS_FOLDER "/", "/usr/local/cuda/lib64/"}) {
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
      void* const library = dlopen((std::string(folder) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) continue;
      return {reinterpret_cast<CreateFunction>(dlsym(library, "cublasCreate_v2")),
              reinterpret_cast<DestroyFunction>(dlsym(library, "cublasDestroy_v2")),
              reinterpret_cast<GemmFunction>(dlsym(library, "cublasGemmEx"))};
    }
  }
  return {};
}

}  // namespace

Result<double> cuda_memcpy_rate(int gpu, int64_t bytes) {
  return copy_rate(gpu, bytes, [bytes](void* to, const void* from) {
    cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice);
  });
}

Result<double> cuda_copy_kernel_rate(int gpu, int64_t bytes) {
  return copy_rate(gpu, bytes, [bytes](void* to, const void* from) {
    const int64_t count = bytes / 16;
    copy_kernel<<<blocks_of(count), 256>>>(static_cast<uint4*>(to), static_cast<const uint4*>(from),
                                           count);
  });
}

Result<double> cublas_product_rate(int gpu, int size) {
  const Cublas cublas = load_cublas();
  if (cublas.create == nullptr || cublas.destroy == nullptr || cublas.gemm == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 "no cuBLAS is found: put the folder of libcublas.so into LD_LIBRARY_PATH"};
  }
  const Operands operands(gpu, 3, int64_t{2} * size * size);
  if (operands.status() != cudaSuccess) return failure("allocating", operands.status());
  void* handle = nullptr;
  if (cublas.create(&handle) != 0) {
    return Error{ErrorCode::kDevice, "cuBLAS cannot be started on this GPU"};
  }
  const float one = 1.0f, zero = 0.0f;
  int status = 0;
  const Result<double> seconds = best_seconds([&] {
    // x W^T, both with their inputs next to each other, as in a linear layer.
    status |= cublas.gemm(handle, kTranspose, kNoTranspose, size, size, size, &one, operands[0],
                          kBf16, size, operands[1], kBf16, size, &zero, operands[2], kBf16, size,
                          kComputeF32, kDefaultGemm);
  });
  cublas.destroy(handle);
  if (!seconds) return seconds.error();
  if (status != 0) return Error{ErrorCode::kDevice, "cuBLAS refuses this gemm"};
  return 2.0 * size * size * static_cast<double>(size) / *seconds;
}

}  // namespace quire::bench
