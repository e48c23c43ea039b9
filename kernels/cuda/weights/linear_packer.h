#pragma once

#include <memory>
#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/pinned_ring.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

class HostRows;

/// Some raw rows in device memory, whole groups of 16 but for a segment's last, and of each the
/// inputs of some units: what one transfer brings.
struct RawPiece {
  const uint8_t* rows;
  int64_t pitch_bytes;  ///< From row to row; f32: a multiple of 4.
  int64_t num_rows;
  int64_t num_inputs;       ///< Whole blocks; a multiple of unit_inputs but for the rows' ends.
  int64_t first_unit;       ///< Of each group's num_units; f32: of rows, in unit_inputs.
  int64_t units_per_group;  ///< LinearSegment::num_units.
};

/// The format's kUnitInputs and kUnitBytes. f32, which has none: where pieces may be cut, and 0.
struct UnitSize {
  int inputs;
  int bytes;
};
UnitSize unit_size(DType dtype, bool has_bf16);

/// Submits a kernel that brings the piece, not of f32, into units. group: unit 0 of the group that
/// the piece's first row begins.
void pack_units(CommandQueue& queue, DType dtype, const RawPiece& piece, uint8_t* group);

/// Submits a kernel that copies the piece's rows of floats. row: the first one's beginning; they
/// are row_stride floats apart, of which those past the inputs become zero.
void pack_floats(CommandQueue& queue, const RawPiece& piece, float* row, int64_t row_stride);

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
