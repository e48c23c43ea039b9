#pragma once

#include <memory>
#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

class HostRows;

/// The raw rows of one transfer in device memory: whole groups of 16 rows except for the last of a
/// segment, and the inputs of some units of each row.
struct RawPiece {
  const uint8_t* rows;
  int64_t pitch_bytes;  ///< Between consecutive rows; f32: a multiple of 4.
  int64_t num_rows;
  int64_t num_inputs;       ///< Whole blocks and units except at the rows' ends.
  int64_t first_unit;       ///< Index in each group's units; f32: in the row, in unit_inputs.
  int64_t units_per_group;  ///< LinearSegment::num_units.
};

/// The dtype in which pack_linear stores a part (N, K) of any weight dtype: its own, or f32 where a
/// block's scale is so large that the format would make infinity of it or of its largest code
/// (65,504 is the largest f16). FP8, int8, NF4 and four bits by groups are checked, by reading the
/// scale of each block.
DType stored_dtype(const ConstTensorView& part);

/// The size of a unit, and where rows may be cut into pieces. f32 has no units.
struct UnitSize {
  int inputs;        ///< The format's kUnitInputs; f32: piece_inputs.
  int bytes;         ///< The format's kUnitBytes; f32: 0.
  int piece_inputs;  ///< Pieces begin at multiples of it, where a unit and a block begin.
};
UnitSize unit_size(DType dtype, bool has_bf16);

/// Submits a kernel that packs the piece, not of f32, into units. group: unit 0 of the group of the
/// piece's first row.
void pack_units(CommandQueue& queue, DType dtype, const RawPiece& piece, uint8_t* group);

/// Submits a kernel that copies the piece's rows of floats. row: the start of the first row; rows
/// are row_stride floats apart, and floats past the inputs become zero.
void pack_floats(CommandQueue& queue, const RawPiece& piece, float* row, int64_t row_stride);

/// Packs weights on the device. Raw rows are copied through two pinned buffers, so that a piece is
/// read from its file while the previous one is transferred, to the queue's workspace, where a
/// kernel packs them. Use one packer for all weights of a model: pinning memory takes milliseconds.
/// Thread: one at a time, the queue's.
class LinearPacker {
 public:
  static constexpr size_t kStagingBytes = size_t{4} << 20;

  /// queue outlives the packer. staging_bytes: of each of the two buffers and of the workspace, at
  /// least 16 KiB.
  explicit LinearPacker(CommandQueue& queue, size_t staging_bytes = kStagingBytes);

  /// Backend::pack_linear. The parts are not read after the call; packing may still go on. Parts
  /// with scales that their format cannot hold are stored in f32 (stored_dtype()).
  /// Errors: kOutOfMemory with the bytes asked for and free, kDevice.
  Result<std::unique_ptr<LinearWeight>> pack(std::span<const ConstTensorView> parts);

 private:
  Result<void> allocate(PackedWeight& weight, int64_t order_bytes, int64_t scale_bytes);
  void upload_vector(void* to, const void* from, int64_t num_bytes);
  void upload_segment(const LinearSegment& segment, const HostRows& rows, int64_t num_inputs);
  void upload_piece(const LinearSegment& segment, const HostRows& rows, int64_t first_row,
                    RawPiece piece);
  bool failed() const { return m_queue.has_failed(); }

  CommandQueue& m_queue;
  size_t m_staging_bytes;
  PinnedRing m_staging;
};

}  // namespace quire::cuda
