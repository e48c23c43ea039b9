#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Copies between host and device that do not make the host wait: small ones go through pinned
/// memory of its own, since the driver stages others itself and may block on them.
/// Thread: one at a time.
class HostStaging {
 public:
  /// Errors: kOutOfMemory, kDevice.
  static Result<std::unique_ptr<HostStaging>> create(CommandQueue& queue);
  ~HostStaging();
  HostStaging(const HostStaging&) = delete;
  HostStaging& operator=(const HostStaging&) = delete;

  /// As Backend::upload and download.
  void upload(void* dst, const void* host_src, size_t bytes);
  void download(void* host_dst, const void* src, size_t bytes);

  /// Brings what was downloaded to where it was asked for; the queue's stream has been
  /// synchronised.
  void finish_downloads();

 private:
  static constexpr size_t kSlotBytes = size_t{256} << 10;
  static constexpr size_t kDownloadBytes = size_t{1} << 20;

  struct Slot {
    void* memory = nullptr;
    cudaEvent_t is_free = nullptr;  ///< After the copy out of it.
  };
  struct Download {
    void* to;
    const void* from;
    size_t bytes;
  };

  explicit HostStaging(CommandQueue& queue) : m_queue(queue) {}
  cudaError_t allocate();

  CommandQueue& m_queue;
  std::array<Slot, 8> m_slots;
  size_t m_next_slot = 0;
  char* m_downloads_memory = nullptr;
  size_t m_downloads_used = 0;
  std::vector<Download> m_downloads;
};

}  // namespace quire::cuda
