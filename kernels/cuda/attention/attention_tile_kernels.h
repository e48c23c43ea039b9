#pragma once

#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/attention/attention_tile.h"

namespace quire::cuda {

template <Pages kPages, int kDim, int kWarps, int kMinBlocks>
TileKernel tile_kernel_of() {
  return {attention_tiles<kPages, kDim, kWarps, kMinBlocks>, kWarps, kDim,
          TileMemory<kPages, kDim>::size};
}

/// The kernel of a head size. The blocks a multiprocessor are as many as registers allow.
template <Pages kPages>
TileKernel tile_kernel(int head_dim, TileSize size) {
  if (size == kLargeTiles) {
    if (head_dim <= 64) return tile_kernel_of<kPages, 64, 8, 1>();
    if (head_dim <= 128) return tile_kernel_of<kPages, 128, 8, 1>();
    return tile_kernel_of<kPages, 256, 8, 1>();
  }
  if (head_dim <= 64) return tile_kernel_of<kPages, 64, 4, 3>();
  if (head_dim <= 128) return tile_kernel_of<kPages, 128, 4, 2>();
  return tile_kernel_of<kPages, 256, 4, 2>();
}

}  // namespace quire::cuda
