#pragma once

#include <bit>
#include <cmath>

#include "kernels/base/check.h"
#include "kernels/base/dtype.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::test {

namespace {

/// AMX tiles in plain C++: what VecAmx::Tiles does, for processors without them. Checks that tiles
/// are shaped before they are used, and by the one that uses them.
struct EmulatedTiles {
  template <int kGroup>
  class Shape {
   public:
    Shape() {
      CHECK(s_group == 0);
      s_group = kGroup;
    }
    ~Shape() { s_group = 0; }
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;
  };

  template <int kPlace>
  static void dot(const int8_t* a, int64_t a_stride, const uint8_t* b, int64_t b_stride,
                  int32_t* out) {
    CHECK(s_group > 0);
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 16; ++column) {
        int32_t sum = 0;
        for (int k = 0; k < s_group; ++k) {
          const int weight = static_cast<int8_t>(b[k / 4 * b_stride + 4 * column + k % 4]);
          sum += a[row * a_stride + k] * weight;
        }
        out[row * 16 + column] = sum;
      }
    }
  }

  /// In the order of TDPBF16PS: of 32 inputs the even and the odd ones apart, then both to the
  /// total.
  static void add_bf16(const uint16_t* a, int64_t a_stride, const uint32_t* b, int64_t blocks,
                       float* totals) {
    CHECK(s_group == 64);
    for (int row = 0; row < 16; ++row) {
      const auto* const x =
          reinterpret_cast<const uint16_t*>(reinterpret_cast<const char*>(a) + row * a_stride);
      for (int64_t block = 0; block < blocks; ++block) {
        float even[64] = {}, odd[64] = {};
        for (int64_t pair = 16 * block; pair < 16 * block + 16; ++pair) {
          const float x_even = widen(uint32_t{x[2 * pair]} << 16);
          const float x_odd = widen(uint32_t{x[2 * pair + 1]} << 16);
          for (int column = 0; column < 64; ++column) {
            const uint32_t w = b[pair * 64 + column];
            even[column] = std::fma(x_even, widen(w << 16), even[column]);
            odd[column] = std::fma(x_odd, widen(w & 0xffff0000), odd[column]);
          }
        }
        for (int column = 0; column < 64; ++column) {
          totals[row * 64 + column] += even[column] + odd[column];
        }
      }
    }
  }

 private:
  /// The value of a bf16 above sixteen zeros.
  static float widen(uint32_t bits) { return std::bit_cast<float>(bits); }

  inline static thread_local int s_group = 0;
};

}  // namespace

/// Products by emulated tiles, members of CpuKernels; null: those that there were.
struct TiledKernels {
  void (*linear_int8)(const cpu::LinearInt8&) = nullptr;
  void (*linear_bf16)(const cpu::LinearBf16&) = nullptr;
  void (*attention)(const cpu::AttentionTile&) = nullptr;
  void (*attention_blocks)(const cpu::AttentionTile&) = nullptr;
};
/// Constants: their functions are to be called only where the instructions are.
extern const TiledKernels kScalarTiles;
extern const TiledKernels kAvx2Tiles;    ///< Of avx2_kernels(); attention only.
extern const TiledKernels kAvx512Tiles;  ///< Of avx512_bf16_kernels().

inline cpu::CpuKernels with_tiles(const cpu::CpuKernels& kernels, const TiledKernels& tiles) {
  cpu::CpuKernels result = kernels;
  if (tiles.linear_bf16 != nullptr) {
    result.linear_int8 = tiles.linear_int8;
    result.linear_bf16 = tiles.linear_bf16;
    result.block_rows = cpu::kTileBlockRows;
  }
  if (tiles.attention != nullptr) {
    result.attention = tiles.attention;
    result.attention_blocks = tiles.attention_blocks;
  }
  return result;
}

}  // namespace quire::test
