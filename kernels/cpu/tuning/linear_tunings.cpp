#include "kernels/cpu/tuning/linear_tunings.h"

#include <algorithm>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu_tuning.h"

namespace quire::cpu {
namespace {

bool is_half(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16;
}

/// Prefetches four to fourteen kilobytes ahead, so that reading does not stall at the ends of
/// memory pages.
LinearTuning default_of_blocks(DType dtype) {
  const int64_t bytes = dtype_block_bytes(dtype);
  const int64_t blocks_ahead = bytes <= 24 ? 8 : bytes <= 36 ? 2 : 1;
  return {.ahead_bytes = static_cast<int32_t>(blocks_ahead * bytes * kPanelColumns),
          .into_l2 = dtype_block_elements(dtype) == 256,
          .gemv_rows = kMostGemvRows};
}

LinearTuning default_tuning(const CpuKernels& kernels, DType dtype) {
  if (has_integer_codes(dtype)) return default_of_blocks(dtype);
  if (is_half(dtype) && kernels.linear_bf16 != nullptr) {
    return {.ahead_bytes = 8192, .into_l2 = true, .gemv_rows = kMostGemvRows};
  }
  return {.ahead_bytes = 2048, .into_l2 = false, .gemv_rows = 0};
}

/// Whether any kernel for the dtype depends on its tuning.
bool has_choice(const CpuKernels& kernels, DType dtype) {
  // The scalar variant is a reference, and tiles multiply bf16 in another way.
  if (kernels.linear_block == nullptr || !is_weight_dtype(dtype)) return false;
  if (is_half(dtype)) return kernels.block_rows != kTileBlockRows;
  return has_integer_codes(dtype) || dtype == DType::kF32;
}

}  // namespace

LinearTunings default_tunings(const CpuKernels& kernels) {
  LinearTunings tunings{};
  for (size_t i = 0; i < tunings.size(); ++i) {
    tunings[i] = default_tuning(kernels, static_cast<DType>(i));
  }
  return tunings;
}

std::vector<LinearTuning> tuning_candidates(const CpuKernels& kernels, DType dtype) {
  if (!has_choice(kernels, dtype)) return {};
  const LinearTuning first = default_tuning(kernels, dtype);
  std::vector<LinearTuning> candidates = {first};
  const auto add = [&](LinearTuning tuning) {
    if (std::ranges::find(candidates, tuning) == candidates.end()) candidates.push_back(tuning);
  };
  for (const bool into_l2 : {false, true}) {
    for (const int32_t kilobytes : {1, 2, 4, 8, 12, 16, 32}) {
      // Lines that are prefetched too far ahead would leave L1 before they are read; those that are
      // prefetched too late are not in L2 yet.
      if (into_l2 ? kilobytes < 4 : kilobytes > 16) continue;
      add({kilobytes << 10, into_l2, first.gemv_rows});
    }
  }
  add({0, false, first.gemv_rows});
  if (first.gemv_rows > 0) add({first.ahead_bytes, first.into_l2, 0});
  return candidates;
}

}  // namespace quire::cpu
