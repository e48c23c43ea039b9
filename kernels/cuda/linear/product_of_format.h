#pragma once

#include <type_traits>

#include "kernels/cuda/linear/few_rows.h"
#include "kernels/cuda/linear/many_rows.h"

namespace quire::cuda {

/// Units of 256 inputs take many registers: a warp's tile is half as large with them, and there are
/// none left to stream past 64 rows.
template <typename Format>
inline constexpr bool kHasLargeUnits = Format::kUnitInputs == kChunkInputs;

using Many64 = ManyRows<2, 2, 4>;
template <typename Format>
using Many128 = std::conditional_t<kHasLargeUnits<Format>, ManyRows<2, 4, 4>, ManyRows<4, 2, 8>>;

template <typename Format>
void run_product(CommandQueue& queue, const char* operation, const Product& product,
                 ProductShape shape) {
  const int num_tiles = num_row_tiles(product, shape);
  switch (shape) {
    case ProductShape::kFew8:
      return launch_few_rows<Format, 1>(queue, operation, product, num_tiles);
    case ProductShape::kFew16:
      return launch_few_rows<Format, 2>(queue, operation, product, num_tiles);
    case ProductShape::kFew32:
      return launch_few_rows<Format, 4>(queue, operation, product, num_tiles);
    case ProductShape::kFew64:
      if constexpr (!kHasLargeUnits<Format>) {
        return launch_few_rows<Format, 8>(queue, operation, product, num_tiles);
      }
      [[fallthrough]];
    case ProductShape::kMany64:
      return launch_many_rows<Format, Many64>(queue, operation, product, num_tiles);
    case ProductShape::kMany128:
      return launch_many_rows<Format, Many128<Format>>(queue, operation, product, num_tiles);
  }
}

}  // namespace quire::cuda
