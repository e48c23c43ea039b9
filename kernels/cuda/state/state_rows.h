#pragma once

#include "kernels/backend.h"
#include "kernels/base/state_limits.h"
#include "kernels/cuda/device/portable.h"

/// What the kernels of recurrent layers share.
namespace quire::cuda {

/// StateBatch in device memory.
struct StateRowsTask {
  const int32_t* query_start;
  const int32_t* segment_start;
  const int32_t* row_end;
  const int32_t* out;
  const int32_t* in;
  int64_t num_sequences;
};

inline StateRowsTask state_rows_of(const StateBatch& batch) {
  return {.query_start = batch.query_start.as<int32_t>(),
          .segment_start = batch.segment_start.as<int32_t>(),
          .row_end = batch.row_end.as<int32_t>(),
          .out = batch.out.as<int32_t>(),
          .in = batch.in.as<int32_t>(),
          .num_sequences = batch.in.dim(0)};
}

/// The state columns of one warp, whose totals reduce_columns gives.
inline constexpr int kWarpColumns = 8;
inline constexpr int kWarpsPerBlock = 4;
/// The widest state: its dimension that lanes divide, Dk or N.
inline constexpr int64_t kMaxStateWidth = kMaxGpuStateWidth;

/// A lane has a part of the sum of each column; it gets the total of column lane / 4. The order of
/// the additions is fixed.
__device__ __forceinline__ float reduce_columns(float (&x)[kWarpColumns]) {
  const int lane = lane_index();
#pragma unroll
  for (int half = kWarpColumns / 2; half > 0; half /= 2) {
    const bool is_upper = (lane & 4 * half) != 0;
#pragma unroll
    for (int c = 0; c < half; ++c) {
      const float sent = is_upper ? x[c] : x[c + half];
      const float kept = is_upper ? x[c + half] : x[c];
      x[c] = kept + __shfl_xor_sync(kAllLanes, sent, 4 * half);
    }
  }
  float sum = x[0];
  sum += __shfl_xor_sync(kAllLanes, sum, 2);
  sum += __shfl_xor_sync(kAllLanes, sum, 1);
  return sum;
}

__device__ __forceinline__ float softplus(float x) {
  return x > 20.0f ? x : log1pf(expf(x));
}

/// Calls fn(row) for a sequence's rows and store(slot) after each segment that has a slot.
template <typename Row, typename Store>
__device__ __forceinline__ void for_each_state_row(const StateRowsTask& rows, int64_t sequence,
                                                   Row fn, Store store) {
  const int32_t end = rows.query_start[sequence + 1];
  int32_t segment = rows.segment_start[sequence];
  int32_t segment_end = rows.row_end[segment];
  for (int32_t row = rows.query_start[sequence]; row < end; ++row) {
    fn(row);
    if (row + 1 < segment_end) continue;
    const int32_t slot = rows.out[segment];
    if (slot >= 0) store(slot);
    if (row + 1 < end) segment_end = rows.row_end[++segment];
  }
}

}  // namespace quire::cuda
