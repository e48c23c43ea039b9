#pragma once

#include <type_traits>

#include "kernels/cuda/linear/few_rows.h"
#include "kernels/cuda/linear/many_rows.h"

namespace quire::cuda {

/// Units of 256 inputs take many registers, and so do int8 products with codes of 8 bits, with
/// minima or with parts of 16 inputs: with them a warp's tile is half as large, and kFew64 is not
/// used.
template <typename Format>
inline constexpr bool kHasSmallTiles = Format::kUnitInputs == kChunkInputs;
template <Int8GemmFormat Format>
inline constexpr bool kHasSmallTiles<Format> =
    Format::kUnitBytes > 1024 || Format::kHasMinima || Format::kPartInputs == 16;

template <typename Format>
using Many64 = ManyRows<Format, 2, 2, 4>;
template <typename Format>
using Many128 = std::conditional_t<kHasSmallTiles<Format>, ManyRows<Format, 2, 4, 4>,
                                   ManyRows<Format, 4, 2, 8>>;

template <typename Format>
void run_gemm(CommandQueue& queue, const char* operation, const GemmTask& gemm, GemmShape shape) {
  const int num_tiles = num_row_tiles(gemm, shape);
  switch (shape) {
    case GemmShape::kFew8:
      return launch_few_rows<Format, 1>(queue, operation, gemm, num_tiles);
    case GemmShape::kFew16:
      return launch_few_rows<Format, 2>(queue, operation, gemm, num_tiles);
    case GemmShape::kFew32:
      return launch_few_rows<Format, 4>(queue, operation, gemm, num_tiles);
    case GemmShape::kFew64:
      if constexpr (!kHasSmallTiles<Format>) {
        return launch_few_rows<Format, 8>(queue, operation, gemm, num_tiles);
      }
      [[fallthrough]];
    case GemmShape::kMany64:
      return launch_many_rows<Format, Many64<Format>>(queue, operation, gemm, num_tiles);
    case GemmShape::kMany128:
      return launch_many_rows<Format, Many128<Format>>(queue, operation, gemm, num_tiles);
  }
}

}  // namespace quire::cuda
