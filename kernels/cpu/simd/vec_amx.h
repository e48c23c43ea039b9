#pragma once

// Included only by the AMX variant's source, after vec_vnni.h: AVX-512 with VNNI and BF16, and AMX
// tiles.

#include <immintrin.h>

#include <cstdint>

namespace quire::cpu {
namespace {

/// AMX tiles: 0 to 3 hold results, 4 and 5 inputs, 6 and 7 weights.
struct AmxTiles {
  /// Configures the thread's tiles during its lifetime: 16 rows of kGroup bytes (inputs), kGroup /
  /// 4 rows of 64 (weights), and 16 rows of 64 (results).
  template <int kGroup>
  class Shape {
   public:
    Shape() {
      Configuration c = {};
      c.palette = 1;
      for (int tile = 0; tile < 8; ++tile) {
        c.bytes_of_row[tile] = tile == 4 || tile == 5 ? kGroup : 64;
        c.rows[tile] = tile >= 6 ? kGroup / 4 : 16;
      }
      // GCC 12 declares that _tile_loadconfig reads 8 bytes, and removes stores to the other bytes.
      asm volatile("ldtilecfg %0" : : "m"(c));
    }
    ~Shape() { _tile_release(); }
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;
  };

  /// out (16, 16) = the products of signed bytes a (16, kGroup), rows a_stride bytes apart, and b
  /// (kGroup / 4, 16, 4), rows b_stride bytes apart, summed over the group. kPlace: 0 to 3,
  /// different for consecutive calls so that they overlap.
  template <int kPlace>
  static void dot(const int8_t* a, int64_t a_stride, const uint8_t* b, int64_t b_stride,
                  int32_t* out) {
    zero<kPlace>();
    load<4 + kPlace % 2>(a, a_stride);
    load<6 + kPlace % 2>(b, b_stride);
    multiply<kPlace, 4 + kPlace % 2, 6 + kPlace % 2>();
    store<kPlace>(out, 64);
  }

  /// totals (16, 64) += a (16, 32 blocks) times b (16 blocks, 64) of bf16 pairs: b's rows are pairs
  /// of inputs. Requires Shape<64>.
  static void add_bf16(const uint16_t* a, int64_t a_stride, const uint32_t* b, int64_t blocks,
                       float* totals) {
    load<0>(totals, 256);
    load<1>(totals + 16, 256);
    load<2>(totals + 32, 256);
    load<3>(totals + 48, 256);
    for (int64_t i = 0; i < blocks; ++i, a += 32, b += 16 * 64) {
      load<4>(a, a_stride);
      load<6>(b, 256);
      multiply_bf16<0, 4, 6>();
      load<7>(b + 16, 256);
      multiply_bf16<1, 4, 7>();
      load<6>(b + 32, 256);
      multiply_bf16<2, 4, 6>();
      load<7>(b + 48, 256);
      multiply_bf16<3, 4, 7>();
    }
    store<0>(totals, 256);
    store<1>(totals + 16, 256);
    store<2>(totals + 32, 256);
    store<3>(totals + 48, 256);
  }

 private:
  struct alignas(64) Configuration {
    uint8_t palette;
    uint8_t start_row;
    uint8_t reserved[14];
    uint16_t bytes_of_row[16];
    uint8_t rows[16];
  };
  static_assert(sizeof(Configuration) == 64);

  // The intrinsics accept only literal tile numbers.
  template <int kTile>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  static void load(const void* from, int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
  }
  template <int kOut, int kA, int kB>
  static void multiply() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kOut), "i"(kA), "i"(kB));
  }
  template <int kOut, int kA, int kB>
  static void multiply_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kOut), "i"(kA), "i"(kB));
  }
  template <int kTile>
  static void store(void* to, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kTile) : "memory");
  }
};

struct VecAmx : VecAvx512Bf16 {
  using Tiles = AmxTiles;
};

}  // namespace
}  // namespace quire::cpu
