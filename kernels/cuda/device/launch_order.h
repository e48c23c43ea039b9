#pragma once

#include "kernels/cuda/device/portable.h"

/// The order of kernels that begin early (launch.h; PTX griddepcontrol, from sm_90).
///
/// Such a kernel reads what earlier ones write by plain loads, not by __ldg: the compiler may move
/// a load that is known to be read-only in front of the wait. Data that only copies write, as the
/// page table, may be read by __ldg. lint_machine_code.py counts what is loaded there.
namespace quire::cuda {

#ifndef QUIRE_SIMT_HARNESS

/// Waits until the kernel before has ended, and with it all earlier ones, and what they wrote can
/// be read. Every thread of a kernel that begins early must call it once: a block that ended
/// without waiting could let the next kernel run before the previous one has ended. Before this
/// call a kernel may read only weights and parameters and must write nothing, because the previous
/// kernel may still write its inputs and read its outputs.
__device__ __forceinline__ void wait_for_earlier_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel begin when all blocks have called this or have ended. Only after
/// wait_for_earlier_kernels(), so that a kernel that begins early is at most one ahead.
__device__ __forceinline__ void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

/// For kernels that have nothing to do before they wait.
__device__ __forceinline__ void begin_in_order() {
  wait_for_earlier_kernels();
  let_next_kernel_begin();
}

}  // namespace quire::cuda
