#pragma once

#include "kernels/base/dtype.h"
#include "kernels/cuda/attention/attention_layout.h"

/// The kernels of paged attention, for the host that chooses among them.
namespace quire::cuda {

using AttentionKernel = void (*)(AttentionArguments);

/// A kernel for tiles on tensor cores.
struct TileKernel {
  AttentionKernel kernel;
  int num_threads;
  int tile_rows;  ///< The most rows of a tile.
  int own_dim;    ///< Dimensions of a warp's sums.
  /// Dynamic shared memory with room for that many rows.
  int (*shared_bytes)(int rows, bool is_serial);
};

/// For head_dim up to 256, a multiple of 16. as_f16: pages are multiplied as f16 (sm_75).
TileKernel tile_kernel_f16(int head_dim, TileSize size);
TileKernel tile_kernel_bf16(int head_dim, TileSize size);
TileKernel tile_kernel_bf16_as_f16(int head_dim, TileSize size);
TileKernel tile_kernel_f8(int head_dim, TileSize size);
TileKernel tile_kernel_i8(int head_dim, TileSize size);

/// In f32, for any head_dim up to 256: small tiles of kExactTileRows, kExactThreads a block, no
/// dynamic shared memory.
AttentionKernel exact_kernel(DType dtype);
inline constexpr int kExactTileRows = 16;
inline constexpr int kExactThreads = 128;

/// Folds the states of the plan's folds, kFoldThreads a block.
AttentionKernel fold_kernel(bool is_exact);
inline constexpr int kFoldThreads = 128;

}  // namespace quire::cuda
