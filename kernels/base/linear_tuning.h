#pragma once

#include <cstdint>

namespace quire {

/// What the CPU's linear layers may choose for one dtype of weight without changing a bit of their
/// results: which is the fastest depends on the processor (kernels/cpu_tuning.h). Part of the
/// interface of the instruction sets' variants, so this header has no functions.
struct LinearTuning {
  /// For few rows: how far behind the weights that are multiplied others are prefetched. A multiple
  /// of 64, at most kMostAheadBytes. 0 prefetches nothing that is not about to be read anyway.
  int32_t ahead_bytes;
  /// Whether they are prefetched into the L2 cache; otherwise into L1.
  bool into_l2;
  /// Up to this many rows, if the variant has one for so many, the GEMV is used, else the GEMM.
  int32_t gemv_rows;
};

inline constexpr int32_t kMostAheadBytes = 1 << 20;
/// The most rows that any variant's GEMV takes.
inline constexpr int32_t kMostGemvRows = 2;

}  // namespace quire
