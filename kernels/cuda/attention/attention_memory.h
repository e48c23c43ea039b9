#pragma once

#include <cuda_runtime.h>

#include <array>
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

/// Pinned host memory that copies to the device are made from: while one copy is under way, the
/// next is written elsewhere.
class CopyStage {
 public:
  explicit CopyStage(CommandQueue& queue) : m_queue(queue) {}
  ~CopyStage();
  CopyStage(const CopyStage&) = delete;
  CopyStage& operator=(const CopyStage&) = delete;

  /// Memory to write to, until submitted(). Null, and a failure noted, if there is none.
  unsigned char* next(size_t bytes);
  /// The copies from what next() gave have been submitted.
  void submitted();

 private:
  struct Part {
    unsigned char* memory = nullptr;
    size_t bytes = 0;
    cudaEvent_t copied = nullptr;
  };
  CommandQueue& m_queue;
  std::array<Part, 2> m_parts;
  size_t m_current = 0;
};

}  // namespace quire::cuda
