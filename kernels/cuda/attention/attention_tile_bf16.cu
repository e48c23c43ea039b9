#include "kernels/cuda/attention/attention_tile_kernels.h"

namespace quire::cuda {

TileKernel tile_kernel_bf16(int head_dim, TileSize size) {
  return tile_kernel<Pages::kBF16>(head_dim, size);
}

}  // namespace quire::cuda
