#pragma once

#include <cstdint>

#include "kernels/base/dtype.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

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

}  // namespace quire::cuda
