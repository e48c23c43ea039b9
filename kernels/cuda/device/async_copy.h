#pragma once

#include "kernels/cuda/device/portable.h"

/// Copies from global to shared memory that go on while the thread does (PTX cp.async, from sm_80;
/// before, they are done at once). What a thread copied is there for itself after wait, for others
/// after a barrier that follows.
namespace quire::cuda {

#ifndef QUIRE_SIMT_HARNESS

/// 16 bytes, both 16-byte aligned; zeros if not valid, and then global is not read.
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

/// Ends a group of copies.
__device__ __forceinline__ void copy_async_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most kPending of this thread's latest groups are under way.
template <int kPending>
__device__ __forceinline__ void copy_async_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

#endif

}  // namespace quire::cuda
