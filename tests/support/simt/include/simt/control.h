#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

/// What tests set and ask of the harness.
namespace simt {

/// How tensor cores add up products.
enum class TensorCores {
  kChain,         ///< Rounded to nearest after each product: quick.
  kSumsOfEight,   ///< As Turing, Ampere and Ada do, bit for bit (tensor_sum.h).
  kSumsOfSixteen  ///< As Hopper and Blackwell do.
};

/// The machine that programs see.
struct Machine {
  int num_devices = 1;
  size_t memory_bytes = size_t{1} << 30;  ///< Of each device.
  int compute_capability = 90;
  /// What the kernels' code was compiled for. 0: the same; less: the driver made it from that.
  int code_architecture = 0;
  int num_multiprocessors = 4;
  /// What every call says when the driver is missing or too old: cudaErrorNoDevice or
  /// cudaErrorInsufficientDriver.
  cudaError_t driver = cudaSuccess;
  /// 0: lanes and warps run in ascending order between the places where they meet. Otherwise in an
  /// order shuffled by this number, in which a missing barrier shows. QUIRE_SIMT_SEED in the
  /// environment takes the place of 0.
  uint64_t seed = 0;
  /// QUIRE_SIMT_TENSOR_CORES in the environment, 8 or 16, takes the place of kChain.
  TensorCores tensor_cores = TensorCores::kChain;
  /// What a kernel that begins early does before it waits, each of its blocks does before it finds
  /// what the kernel before wrote: that is filled with NaNs till then, and memory cannot be
  /// written. Slow. QUIRE_SIMT_EARLY_KERNELS=1 in the environment sets it too.
  bool hides_unfinished_kernels = false;
  /// Device memory cannot be touched but by kernels and copies.
  bool is_memory_protected = true;
};

/// Starts anew with this machine. Everything of the one before is gone.
void set_machine(const Machine& machine);
/// Changes the order from the next kernel on.
void set_seed(uint64_t seed);

/// The call number `nth` (1: the next) of that API function fails with `error`. If the error is one
/// that loses the device, every later call on the device fails too. `stays`: so do all later calls
/// of the function.
void fail_call(const std::string& function, int nth, cudaError_t error, bool stays = false);
/// Forgets what fail_call() arranged.
void fail_no_calls();
/// How often an API function was called since set_machine().
int num_calls(const std::string& function);

size_t used_bytes(int device);
size_t num_allocations(int device);
/// Kernels that ran, on all devices.
size_t num_kernels_run();
/// Of them those that were allowed to begin before the kernel before had ended.
size_t num_early_kernels_run();

}  // namespace simt
