#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>

#include "kernels/backend.h"
#include "kernels/cuda/device_memory.h"

namespace quire::cuda {

/// Copies between host and device without making the host wait. Small copies go through pinned
/// memory, because the driver may block while it copies from other memory.
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

  /// Copies finished downloads to their destinations. The queue's stream must be synchronised.
  void finish_downloads();

  /// As Backend::mark and wait_for.
  uint64_t mark();
  void wait_for(uint64_t mark);

 private:
  static constexpr size_t kSlotBytes = size_t{256} << 10;
  /// Larger uploads are not staged: weights, and blocks of keys and values.
  static constexpr size_t kMaxStagedBytes = size_t{2} << 20;
  static constexpr size_t kDownloadBytes = size_t{1} << 20;

  struct Download {
    void* to;
    const void* from;
    size_t bytes;
    size_t offset;  ///< Of `from` in the pinned memory.
    uint64_t mark;  ///< The next mark after it.

    void finish() const { std::memcpy(to, from, bytes); }
  };

  explicit HostStaging(CommandQueue& queue) : m_queue(queue), m_uploads(queue, 24, "upload") {}
  void upload_piece(void* dst, const void* host_src, size_t bytes);
  std::optional<size_t> find_download_space(size_t bytes) const;

  CommandQueue& m_queue;
  PinnedRing m_uploads;
  // A ring: downloads finish in their order, and a new one begins where the last one ends.
  std::unique_ptr<DeviceBuffer> m_downloads_memory;
  std::deque<Download> m_downloads;         ///< Those that are not finished, oldest first.
  std::array<cudaEvent_t, 4> m_marks = {};  ///< Mark n is m_marks[n % 4].
  uint64_t m_next_mark = 0;
};

}  // namespace quire::cuda
