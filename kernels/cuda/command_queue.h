#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kernels/base/result.h"

namespace quire::cuda {

/// The properties of a GPU that the launchers of kernels use.
struct GpuFacts {
  int device = 0;
  int num_multiprocessors = 1;
  int compute_capability = 75;  ///< major * 10 + minor
  size_t max_shared_bytes = 0;  ///< The most dynamic shared memory of a block.
  bool has_bf16_mma = false;    ///< From sm_80.
  /// Whether the GPU, its driver and the user let kernels begin early (launch.h): from sm_90. Not
  /// if the driver compiled the library from code for an older architecture, which does not wait.
  bool allows_early_kernels = false;
  /// Whether GEMMs multiply quantised weights in int8 (linear/int8_gemm.h).
  bool uses_int8_gemm = false;
};

/// Whether code for an architecture multiplies quantised weights in int8: for those of GeForce
/// GPUs, whose tensor cores take four times as long for halves with sums in f32 as for int8 (other
/// GPUs of these architectures twice as long). On A100, Hopper and Blackwell of data centres, too,
/// they take twice as long, and the instructions that scale each part's sum would be the limit
/// (docs/cuda.md).
__host__ __device__ constexpr bool uses_int8_gemm(int architecture) {
  return architecture == 75 || (architecture > 80 && architecture < 90) || architecture >= 120;
}

/// kDevice (kOutOfMemory for cudaErrorMemoryAllocation) with the operation's name and CUDA's text.
Error cuda_error(cudaError_t status, const char* operation);

/// The queue of one device: operations are submitted to it in order, and it keeps their first
/// failure until take_failure().
/// Thread: one at a time.
class CommandQueue {
 public:
  /// Errors: kUnsupported if the library has no code for the GPU; kDevice, with the runtime's text.
  static Result<std::unique_ptr<CommandQueue>> create(int device);
  ~CommandQueue();
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  /// Makes the device the thread's current one: a process may have several.
  void activate();
  /// The stream. Makes its device the thread's current one. A kernel behind what the caller submits
  /// does not begin early.
  cudaStream_t stream() {
    activate();
    m_can_last_be_followed = false;
    return m_stream;
  }
  const GpuFacts& facts() const { return m_facts; }

  /// Keeps the first failure since the last take_failure(), with the operation's name.
  void note(cudaError_t status, const char* operation);
  bool has_failed() const { return m_has_failed; }
  /// The first failure noted, or success; forgets it unless the device is lost (cuda_is_sticky).
  Result<void> take_failure();

  /// Lets a kernel have as much dynamic shared memory as the device has for a block. The same limit
  /// every time: a lower one could be set by one thread between another's limit and its launch.
  void raise_shared_limit(const void* kernel, const char* operation);

  /// How many blocks of a kernel run on a multiprocessor at once, at least 1.
  int resident_blocks(const void* kernel, int threads, size_t shared_bytes, const char* operation);

  /// Whether a kernel submitted by launch_early may begin before the previous submission has ended.
  /// That one must also be a launch_early kernel: a copy, or a kernel that packs this one's
  /// weights, must have ended first.
  bool may_begin_early() const;
  /// Marks the last submission as a kernel that waits for earlier ones.
  void let_next_begin_early() { m_can_last_be_followed = true; }

  /// Device memory for one operation, 256-byte aligned, contents undefined: valid until the next
  /// call. Grows and never shrinks. Null, and a failure noted, if there is no memory. It must not
  /// grow while a step is captured; it does not, because a step runs once before it is captured.
  void* workspace(size_t bytes);

  /// Changes whenever device memory that submitted operations may have used is freed: graphs that
  /// were captured in an earlier generation must not run again. Code that frees such memory calls
  /// note_freed_memory().
  uint64_t memory_generation() const { return m_memory_generation; }
  void note_freed_memory() { ++m_memory_generation; }

 private:
  CommandQueue() = default;

  cudaStream_t m_stream = nullptr;
  GpuFacts m_facts;
  bool m_has_failed = false;
  Error m_failure{ErrorCode::kDevice, ""};
  bool m_is_lost = false;
  bool m_can_last_be_followed = false;  ///< let_next_begin_early() was called for it.
  void* m_workspace = nullptr;
  size_t m_workspace_bytes = 0;
  uint64_t m_memory_generation = 0;
  std::set<const void*> m_raised_kernels;
  std::map<std::pair<const void*, size_t>, int> m_resident_blocks;  ///< By shared memory.
};

/// Whether the context is known to be lost with this error: every later call fails with it.
bool cuda_is_sticky(cudaError_t status);

}  // namespace quire::cuda
