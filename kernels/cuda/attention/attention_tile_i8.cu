#include "kernels/cuda/attention/attention_tile_kernels.h"

namespace quire::cuda {

TileKernel tile_kernel_i8(int head_dim, TileSize size) {
  return tile_kernel<Pages::kI8>(head_dim, size);
}

}  // namespace quire::cuda
