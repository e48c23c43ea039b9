#pragma once

#include <cstdint>

namespace quire {

/// The choices of the CPU's linear layers for one dtype of weight that do not change a bit of their
/// results. The fastest depends on the processor (kernels/cpu_tuning.h). Part of the interface of
/// the instruction sets' variants, so this header has no functions.
struct LinearTuning {
  /// For few rows: the distance, in bytes of packed weights, from the weights that are multiplied
  /// to those that are prefetched. A multiple of 64, at most kMostAheadBytes. With 0 the prefetches
  /// have no effect.
  int32_t ahead_bytes;
  /// Whether they are prefetched into the L2 cache; otherwise into L1.
  bool into_l2;
  /// For up to this many rows the GEMV is used, if the variant has one for them; otherwise the
  /// GEMM.
  int32_t gemv_rows;
};

inline constexpr int32_t kMostAheadBytes = 1 << 20;
/// The most rows that any variant's GEMV takes.
inline constexpr int32_t kMostGemvRows = 2;

}  // namespace quire
