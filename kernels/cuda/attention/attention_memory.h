#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Device memory that grows, and stays where it was for what was already told its place: what it
/// grew out of is kept until release_old().
class GrowingMemory {
 public:
  explicit GrowingMemory(CommandQueue& queue) : m_queue(queue) {}
  ~GrowingMemory();
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  /// At least that many bytes, contents undefined. Null, and a failure noted, if there are none.
  void* reserve(size_t bytes);
  bool has_old() const { return !m_old.empty(); }
  /// Nothing that is under way or will be submitted uses the older places.
  void release_old();

 private:
  CommandQueue& m_queue;
  void* m_memory = nullptr;
  size_t m_bytes = 0;
  std::vector<void*> m_old;
};

}  // namespace quire::cuda
