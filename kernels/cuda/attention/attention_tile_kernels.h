#pragma once

#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/attention/attention_tile.h"

namespace quire::cuda {

template <Pages kPages, int kDim, int kWarps, int kParts, int kMinBlocks>
TileKernel tile_kernel_of() {
  return {attention_tiles<kPages, kDim, kWarps, kParts, kMinBlocks>, kWarps * 32,
          kWarps / kParts * kWarpRows, kDim / kParts, TileMemory<kPages, kDim, kParts>::size};
}

/// The kernel of a head size. The blocks a multiprocessor are as many as registers allow.
template <Pages kPages>
TileKernel tile_kernel(int head_dim, TileSize size) {
  if (size == kLargeTiles) {
    if (head_dim <= 64) return tile_kernel_of<kPages, 64, 8, 1, 1>();
    if (head_dim <= 128) return tile_kernel_of<kPages, 128, 8, 1, 1>();
    return tile_kernel_of<kPages, 256, 8, 2, 1>();
  }
  if (head_dim <= 64) return tile_kernel_of<kPages, 64, 4, 1, 3>();
  if (head_dim <= 128) return tile_kernel_of<kPages, 128, 4, 2, 3>();
  return tile_kernel_of<kPages, 256, 4, 2, 2>();
}

}  // namespace quire::cuda
