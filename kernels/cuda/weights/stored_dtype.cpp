#include "kernels/cuda/weights/stored_dtype.h"

#include <bit>

#include "kernels/base/quant_blocks.h"

// Scales are compared by their bits without the sign: these are in the order of the numbers, and
// infinity and NaN are the largest.
namespace quire::cuda {
namespace {

/// A scale is rounded to f16, which makes it larger by 2^-11 of itself at most: its product with a
/// code is then no more than 65,504.
constexpr float kLargestProduct = 65472.0f;

/// Whether fits(block) holds for all blocks of the part.
template <typename Blocks, typename Fits>
bool all_blocks(const ConstTensorView& part, Fits fits) {
  const int64_t num_blocks = part.dim(1) / Blocks::kElements;
  const int64_t stride = dtype_span_bytes(part.dtype(), part.row_stride());
  const auto* row = static_cast<const uint8_t*>(part.data());
  for (int64_t n = 0; n < part.dim(0); ++n, row += stride) {
    bool all_fit = true;
    for (int64_t i = 0; i < num_blocks; ++i) all_fit &= fits(row + i * Blocks::kBytes);
    if (!all_fit) return false;
  }
  return true;
}

/// Blocks with a scale in f32 in front.
template <typename Blocks>
bool fits_halves(const ConstTensorView& part, float largest_code) {
  const auto limit = std::bit_cast<uint32_t>(kLargestProduct / largest_code);
  return all_blocks<Blocks>(part, [limit](const uint8_t* block) {
    return (blocks::u32_at(block) & 0x7fffffffu) <= limit;
  });
}

/// A code minus its zero point is 31 at most, and the format stores 32 times the scale as f16.
template <int kGroup>
bool int4_fits_halves(const ConstTensorView& part) {
  constexpr uint32_t kLimitF16 = 0x67ff;   // 2,047
  constexpr uint32_t kLimitBF16 = 0x44ff;  // 2,040, the next one is 2,048.
  return all_blocks<blocks::Int4<kGroup>>(part, [](const uint8_t* block) {
    return (blocks::u16_at(block) & 0x7fffu) <= ((block[2] & 128) != 0 ? kLimitBF16 : kLimitF16);
  });
}

bool fits_halves(const ConstTensorView& part) {
  switch (part.dtype()) {
    case DType::kF8_128:
      return fits_halves<blocks::Fp8>(part, 448.0f);
    case DType::kI8_128:
      return fits_halves<blocks::Int8>(part, 128.0f);
    case DType::kNF4_64:
      return fits_halves<blocks::Nf4>(part, 1.0f);
    case DType::kI4_32:
      return int4_fits_halves<32>(part);
    case DType::kI4_64:
      return int4_fits_halves<64>(part);
    case DType::kI4_128:
      return int4_fits_halves<128>(part);
    default:
      return true;
  }
}

}  // namespace

DType stored_dtype(const ConstTensorView& part) {
  return fits_halves(part) ? part.dtype() : DType::kF32;
}

}  // namespace quire::cuda
