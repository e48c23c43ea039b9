#include "kernels/cuda/attention/attention_kernels.h"

#include <algorithm>

#include "kernels/base/check.h"

namespace quire::cuda {
namespace {

constexpr const char* kOperation = "choosing attention's kernels";
/// The part of a block's shared memory that kernels declare statically.
constexpr size_t kStaticSharedBytes = 512;

TileKernel tile_kernel(const GpuFacts& facts, const AttentionKind& kind, TileSize size) {
  switch (kind.dtype) {
    case DType::kF16:
      return tile_kernel_f16(kind.head_dim, size);
    case DType::kBF16:
      return facts.has_bf16_mma ? tile_kernel_bf16(kind.head_dim, size)
                                : tile_kernel_bf16_as_f16(kind.head_dim, size);
    case DType::kF8E4M3:
      return tile_kernel_f8(kind.head_dim, size);
    default:
      CHECK(kind.dtype == DType::kI8);
      return tile_kernel_i8(kind.head_dim, size);
  }
}

void count_blocks(CommandQueue& queue, ChosenKernel& chosen) {
  const auto* const function = reinterpret_cast<const void*>(chosen.kernel);
  const int blocks =
      queue.resident_blocks(function, chosen.threads, chosen.shared_bytes, kOperation);
  chosen.num_blocks = blocks * queue.facts().num_multiprocessors;
}

/// The most rows that shared memory has room for, if possible with separate buffers for keys and
/// values. Large tiles have all of their rows, or are not used.
ChosenKernel fit(CommandQueue& queue, const TileKernel& tile, TileSize size) {
  const size_t room = queue.facts().max_shared_bytes - kStaticSharedBytes;
  const int most_rows = tile.tile_rows;
  for (bool is_serial : {false, true}) {
    for (int rows = most_rows; rows >= 16; rows /= 2) {
      const auto bytes = static_cast<size_t>(tile.shared_bytes(rows, is_serial));
      if (bytes > room) continue;
      if (size == kLargeTiles && (rows < most_rows || is_serial)) return {};
      ChosenKernel chosen{.kernel = tile.kernel,
                          .threads = tile.num_threads,
                          .tile_rows = rows,
                          .is_serial = is_serial,
                          .shared_bytes = bytes};
      count_blocks(queue, chosen);
      chosen.scratch_bytes = static_cast<size_t>(chosen.num_blocks) * chosen.threads *
                             (tile.own_dim / 8) * sizeof(float4);
      return chosen;
    }
  }
  return {};
}

}  // namespace

ChosenKernels choose_kernels(CommandQueue& queue, const AttentionKind& kind) {
  const int dim = std::max(kind.head_dim, kind.value_dim);
  CHECK(kind.head_dim > 0 && kind.value_dim > 0 && dim <= kMaxHeadDim);
  ChosenKernels chosen;
  const bool is_equal = kind.head_dim == kind.value_dim && dim <= kMaxTileDim;
  if (kind.dtype != DType::kF32 && is_equal && dim % 16 == 0) {
    for (TileSize size : {kSmallTiles, kLargeTiles}) {
      chosen.tiles[size] = fit(queue, tile_kernel(queue.facts(), kind, size), size);
    }
  }
  const bool is_exact = chosen.tiles[kSmallTiles].kernel == nullptr;
  if (is_exact) {
    const ExactKernel exact = exact_kernel(kind.dtype, dim);
    chosen.tiles[kSmallTiles] = {
        .kernel = exact.kernel, .threads = kExactThreads, .tile_rows = exact.tile_rows};
    count_blocks(queue, chosen.tiles[kSmallTiles]);
  }
  chosen.fold = {.kernel = fold_kernel(is_exact, kind.value_dim), .threads = kFoldThreads};
  count_blocks(queue, chosen.fold);
  return chosen;
}

}  // namespace quire::cuda
