#pragma once

// Every kernel includes this first. Kernels are plain CUDA C++; instructions that a host compiler
// does not know are wrapped in device/: tensor_core.h, async_copy.h, numeric.h. The SIMT harness
// (tests/support/simt) compiles the same sources for the processor: it has a <cuda_runtime.h> of
// its own, defines QUIRE_SIMT_HARNESS, and implements the functions of device/ in <simt_kernels.h>.
#include <cuda_runtime.h>

#include <cstdint>

namespace quire::cuda {

/// A 16-bit floating-point format.
enum class Half { kF16, kBF16 };

}  // namespace quire::cuda

#ifdef QUIRE_SIMT_HARNESS
#include <simt_kernels.h>
#endif

namespace quire::cuda {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

/// The block's dynamic shared memory, 128-byte aligned (LaunchShape::shared_bytes of it).
template <typename T>
__device__ __forceinline__ T* dynamic_shared() {
#ifdef QUIRE_SIMT_HARNESS
  return static_cast<T*>(simt::dynamic_shared());
#else
  extern __shared__ __align__(128) unsigned char quire_dynamic_shared[];
  return reinterpret_cast<T*>(quire_dynamic_shared);
#endif
}

/// The thread's index in its warp, in a one-dimensional block; warp_index: its warp's in the block.
__device__ __forceinline__ int lane_index() {
  return static_cast<int>(threadIdx.x) % kWarpSize;
}
__device__ __forceinline__ int warp_index() {
  return static_cast<int>(threadIdx.x) / kWarpSize;
}

/// The sum, or the maximum, over a warp's 32 lanes. All lanes get the same bits.
__device__ __forceinline__ float warp_sum(float x) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    x += __shfl_xor_sync(kAllLanes, x, offset);
  return x;
}
__device__ __forceinline__ float warp_max(float x) {
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, offset));
  return x;
}

}  // namespace quire::cuda
