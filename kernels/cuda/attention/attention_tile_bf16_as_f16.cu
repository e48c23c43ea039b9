#include "kernels/cuda/attention/attention_tile_kernels.h"

namespace quire::cuda {

TileKernel tile_kernel_bf16_as_f16(int head_dim, TileSize size) {
  return tile_kernel<Pages::kBF16AsF16>(head_dim, size);
}

}  // namespace quire::cuda
