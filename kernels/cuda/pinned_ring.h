#pragma once

#include <vector>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Pinned host memory that copies to the device are made from, in slots used in turn: while one is
/// copied, the next is written.
/// Thread: one at a time, the queue's.
class PinnedRing {
 public:
  /// operation: names failures.
  PinnedRing(CommandQueue& queue, size_t num_slots, const char* operation)
      : m_queue(queue), m_operation(operation), m_slots(num_slots) {}
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  /// Allocates that many bytes for each slot. Errors: kOutOfMemory, kDevice.
  Result<void> reserve(size_t bytes);
  /// At least that many bytes to write until submitted(), after earlier copies from them. Null, and
  /// a failure noted, if there are none.
  uint8_t* next(size_t bytes);
  /// The copies from what next() gave have been submitted.
  void submitted();

 private:
  struct Slot {
    uint8_t* memory = nullptr;
    size_t bytes = 0;
    cudaEvent_t copied = nullptr;  ///< After the copies from it.
  };
  static cudaError_t grow(Slot& slot, size_t bytes);

  CommandQueue& m_queue;
  const char* m_operation;
  std::vector<Slot> m_slots;
  size_t m_current = 0;
};

}  // namespace quire::cuda
