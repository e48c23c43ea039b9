#pragma once

#include <array>

#include "kernels/base/dtype.h"
#include "kernels/cuda/attention/attention_layout.h"
#include "kernels/cuda/command_queue.h"

/// The kernels of paged attention, and the choice among them.
namespace quire::cuda {

using AttentionKernel = void (*)(AttentionArguments);

/// A kernel for tiles on tensor cores.
struct TileKernel {
  AttentionKernel kernel;
  int num_threads;
  int tile_rows;  ///< The most rows of a tile.
  int own_dim;    ///< The dimensions of the sums that a warp computes.
  /// Dynamic shared memory with room for that many rows.
  int (*shared_bytes)(int rows, bool is_serial);
};

/// For head_dim up to 256, a multiple of 16. as_f16: bf16 pages are multiplied as f16 (sm_75).
TileKernel tile_kernel_f16(int head_dim, TileSize size);
TileKernel tile_kernel_bf16(int head_dim, TileSize size);
TileKernel tile_kernel_bf16_as_f16(int head_dim, TileSize size);
TileKernel tile_kernel_f8(int head_dim, TileSize size);
TileKernel tile_kernel_i8(int head_dim, TileSize size);

/// The kernel in f32 for any dimensions up to max_dim: small tiles of tile_rows, blocks of
/// kExactThreads, at most 32 KiB of static shared memory.
struct ExactKernel {
  AttentionKernel kernel;
  int tile_rows;
};
/// dim: the greater one of keys and values, at most kMaxHeadDim.
ExactKernel exact_kernel(DType dtype, int dim);
inline constexpr int kExactThreads = 128;
/// Of keys and values: DeepSeek's latents of 512 with 64 rotated dimensions.
inline constexpr int kMaxHeadDim = 576;
/// Of the kernels on tensor cores, for keys and values of equal width.
inline constexpr int kMaxTileDim = 256;

/// The kernel that folds the states of the plan's folds, in blocks of kFoldThreads.
AttentionKernel fold_kernel(bool is_exact, int value_dim);
inline constexpr int kFoldThreads = 128;

/// The properties of a call of attention that determine its kernels and its plan.
struct AttentionKind {
  KeySpan span;
  int num_heads = 1;
  int num_kv_heads = 1;
  int head_dim = 0;
  int value_dim = 0;
  DType dtype = DType::kF32;

  bool operator==(const AttentionKind&) const = default;
  int group() const { return num_heads / num_kv_heads; }
};

/// A kernel and its launch: as many blocks as the GPU runs at the same time; each loops over the
/// plan's items with a stride of the number of blocks.
struct ChosenKernel {
  AttentionKernel kernel = nullptr;  ///< Null: such tiles are not used.
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

/// Dimensions are at most kMaxHeadDim. Failures are noted in the queue.
ChosenKernels choose_kernels(CommandQueue& queue, const AttentionKind& kind);

}  // namespace quire::cuda
