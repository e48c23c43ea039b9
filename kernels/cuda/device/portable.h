#pragma once

// What every kernel includes first. Kernels are plain CUDA C++; what needs an instruction that a
// host compiler has no name for goes through device/: tensor_core.h, async_copy.h, numeric.h. The
// same sources are compiled for the processor by the SIMT harness (tests/support/simt), which has
// a <cuda_runtime.h> of its own, defines QUIRE_SIMT_HARNESS, and has device/'s functions in
// <simt_kernels.h>.
#include <cuda_runtime.h>

#include <cstdint>

namespace quire::cuda {

/// How 16 bits are to be read.
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

/// Of a block of one dimension.
__device__ __forceinline__ int lane_index() {
  return static_cast<int>(threadIdx.x) % kWarpSize;
}
__device__ __forceinline__ int warp_index() {
  return static_cast<int>(threadIdx.x) / kWarpSize;
}

/// The sum, or the maximum, over a warp's 32 lanes, in every lane; the same order whatever the
/// lane.
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
