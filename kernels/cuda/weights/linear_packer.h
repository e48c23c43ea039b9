#pragma once

#include <memory>
#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/pinned_ring.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

class HostRows;
struct RawPiece;

/// Brings weights to the device: raw rows go through two pinned buffers, so that the next piece is
/// read from its file while the last one is on the bus, into the queue's workspace, and from there
/// a kernel packs them. Keep one for a model's many weights: pinning memory takes milliseconds.
/// Thread: one at a time, the queue's.
class LinearPacker {
 public:
  static constexpr size_t kStagingBytes = size_t{4} << 20;

  /// queue outlives the packer. staging_bytes: of each of the two buffers and of the workspace, at
  /// least 16 KiB.
  explicit LinearPacker(CommandQueue& queue, size_t staging_bytes = kStagingBytes);

  /// Backend::pack_linear. The parts are not read after the call; packing may still go on.
  /// Errors: kOutOfMemory with the bytes asked for and free, kDevice.
  Result<std::unique_ptr<LinearWeight>> pack(std::span<const ConstTensorView> parts);

 private:
  Result<void> allocate(PackedWeight& weight);
  void upload_segment(const LinearSegment& segment, const HostRows& rows, int64_t num_inputs);
  void upload_piece(const LinearSegment& segment, const HostRows& rows, int64_t first_row,
                    RawPiece piece);
  bool failed() const { return m_queue.has_failed(); }

  CommandQueue& m_queue;
  size_t m_staging_bytes;
  PinnedRing m_staging;
};

}  // namespace quire::cuda
