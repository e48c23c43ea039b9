#pragma once

#include <memory>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// The part of a GPU's memory that Quire leaves to the desktop and to other programs: a twentieth,
/// but at least 500 MB.
uint64_t reserved_bytes(uint64_t total_bytes);

/// The size of a GPU's memory, and the part that Quire may use.
struct DeviceMemoryInfo {
  uint64_t total_bytes = 0;
  uint64_t usable_bytes = 0;  ///< Free now, minus reserved_bytes().
};
DeviceMemoryInfo query_device_memory(CommandQueue& queue);

/// Device memory, 256-byte aligned, contents undefined. The buffer's destructor frees it after the
/// operations submitted to the queue, which must outlive the buffer. Errors: kOutOfMemory, with the
/// requested and the usable bytes, also if only reserved_bytes() are left.
Result<std::unique_ptr<DeviceBuffer>> allocate_device(CommandQueue& queue, size_t bytes);

/// Pinned memory of the host, contents undefined. Errors: kOutOfMemory.
Result<std::unique_ptr<DeviceBuffer>> allocate_pinned(CommandQueue& queue, size_t bytes);

/// Pinned host memory for copies to the device, in slots that are used in turn: while one slot is
/// copied, the next one is written.
/// Thread: one at a time, the queue's.
class PinnedRing {
 public:
  /// operation: the name in failures.
  PinnedRing(CommandQueue& queue, size_t num_slots, const char* operation)
      : m_queue(queue), m_operation(operation), m_slots(num_slots) {}
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  /// Allocates that many bytes for each slot. Errors: kOutOfMemory, kDevice.
  Result<void> reserve(size_t bytes);
  /// A slot of at least that many bytes, to be written until submitted(). Waits for earlier copies
  /// from it. Null, and a failure noted, if there is no memory.
  uint8_t* next(size_t bytes);
  /// To be called after the copies from the slot have been submitted.
  void submitted();

 private:
  struct Slot {
    uint8_t* memory = nullptr;
    size_t bytes = 0;
    cudaEvent_t copied = nullptr;  ///< Recorded after the copies from the slot.
  };
  static cudaError_t grow(Slot& slot, size_t bytes);

  CommandQueue& m_queue;
  const char* m_operation;
  std::vector<Slot> m_slots;
  size_t m_current = 0;
};

}  // namespace quire::cuda
