#pragma once

#include <array>
#include <cstddef>

#include "kernels/base/dtype.h"
#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Everything about a call of attention that decides on its kernels and its plan.
struct AttentionKind {
  int sliding_window = 0;
  int num_heads = 1;
  int num_kv_heads = 1;
  int head_dim = 0;
  DType dtype = DType::kF32;

  bool operator==(const AttentionKind&) const = default;
  int group() const { return num_heads / num_kv_heads; }
};

/// A kernel and how it is launched: with as many blocks as run at the same time, which go through
/// the plan's items until there are none left.
struct ChosenKernel {
  AttentionKernel kernel = nullptr;  ///< Null: there are no such tiles.
  int threads = 0;
  int tile_rows = 0;
  bool is_serial = false;
  size_t shared_bytes = 0;
  int num_blocks = 0;
  size_t scratch_bytes = 0;  ///< Of all blocks.
};

struct ChosenKernels {
  std::array<ChosenKernel, kTileSizes> tiles;
  ChosenKernel fold;
};

/// head_dim is at most 256. Failures are noted in the queue.
ChosenKernels choose_kernels(CommandQueue& queue, const AttentionKind& kind);

}  // namespace quire::cuda
