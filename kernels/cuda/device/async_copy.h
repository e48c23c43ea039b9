#pragma once

#include "kernels/cuda/device/portable.h"

/// Asynchronous copies from global to shared memory (PTX cp.async, from sm_80; synchronous before
/// that). A thread sees its own copies after copy_async_wait, other threads see them after a
/// barrier that follows it.
namespace quire::cuda {

#ifndef QUIRE_SIMT_HARNESS

/// Copies 16 bytes; both addresses are 16-byte aligned. If not valid, it writes zeros and does not
/// read global.
__device__ __forceinline__ void copy_async_16(void* shared, const void* global, bool valid = true) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(global),
               "r"(bytes)
               : "memory");
#else
  *static_cast<uint4*>(shared) =
      valid ? *static_cast<const uint4*>(global) : make_uint4(0, 0, 0, 0);
#endif
}

/// Requests that the L2 cache loads the line of an address.
__device__ __forceinline__ void prefetch_to_l2(const void* global) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}

/// Ends a group of copies.
__device__ __forceinline__ void copy_async_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most the latest kPending groups of this thread are unfinished.
template <int kPending>
__device__ __forceinline__ void copy_async_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

#endif

}  // namespace quire::cuda
