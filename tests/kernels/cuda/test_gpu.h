#pragma once

#include <simt/control.h>

#include <memory>
#include <vector>

#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/host_staging.h"
#include "tests/kernels/kernel_test_support.h"

/// A fake GPU of the SIMT harness and its memory, for tests of single operations.
namespace quire::test {

struct TestGpu {
  std::unique_ptr<cuda::CommandQueue> queue;
  std::unique_ptr<cuda::HostStaging> staging;

  /// A new machine: what another TestGpu had is gone. Not 0: threads run in an order shuffled by
  /// `seed`, in which a missing barrier shows.
  explicit TestGpu(uint64_t seed = 0) {
    simt::Machine machine;
    machine.seed = seed;
    simt::set_machine(machine);
    queue = cuda::CommandQueue::create(0).value();
    staging = cuda::HostStaging::create(*queue).value();
  }
};

/// Device memory with a host's numbers.
template <typename T>
class GpuArray {
 public:
  explicit GpuArray(const std::vector<T>& numbers) : m_size(numbers.size()) {
    CHECK(cudaMalloc(&m_data, bytes()) == cudaSuccess);
    CHECK(cudaMemcpy(m_data, numbers.data(), bytes(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~GpuArray() { cudaFree(m_data); }
  GpuArray(const GpuArray&) = delete;
  GpuArray& operator=(const GpuArray&) = delete;

  T* data() const { return static_cast<T*>(m_data); }
  /// Waits for what was submitted; CHECKs that nothing failed.
  std::vector<T> download(cuda::CommandQueue& queue) const {
    std::vector<T> numbers(m_size);
    CHECK(cudaStreamSynchronize(queue.stream()) == cudaSuccess);
    CHECK(queue.take_failure().has_value());
    CHECK(cudaMemcpy(numbers.data(), m_data, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
    return numbers;
  }

 private:
  size_t bytes() const { return m_size * sizeof(T); }

  void* m_data = nullptr;
  size_t m_size;
};

}  // namespace quire::test
