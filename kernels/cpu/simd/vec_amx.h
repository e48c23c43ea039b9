#pragma once

// Included only by the AMX variant's source, after vec_vnni.h: AVX-512 with VNNI, and matrix tiles.

#include <immintrin.h>

#include <cstdint>

namespace quire::cpu {
namespace {

/// The processor's tiles: tile 0 to 3 take results, 4 and 5 inputs, 6 and 7 weights.
struct AmxTiles {
  /// While it lives the thread's tiles are 16 rows of kGroup bytes (inputs), kGroup / 4 rows of 64
  /// (weights), and 16 rows of 64 (results).
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
      // GCC 12 drops the stores to a local variable that only _tile_loadconfig reads.
      asm volatile("" : : "r"(&c) : "memory");
      _tile_loadconfig(&c);
    }
    ~Shape() { _tile_release(); }
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;
  };

  /// out (16, 16) = the products of signed bytes a (16, kGroup), rows a_stride bytes apart, and b
  /// (kGroup / 4, 16, 4), rows b_stride bytes apart, summed over the group. kPlace: 0 to 3; what
  /// follows one another differs in it, so that it overlaps.
  template <int kPlace>
  static void dot(const int8_t* a, int64_t a_stride, const uint8_t* b, int64_t b_stride,
                  int32_t* out) {
    zero<kPlace>();
    load<4 + kPlace % 2>(a, a_stride);
    load<6 + kPlace % 2>(b, b_stride);
    multiply<kPlace, 4 + kPlace % 2, 6 + kPlace % 2>();
    store<kPlace>(out);
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

  // The header's functions take tiles as literals only.
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
  template <int kTile>
  static void store(int32_t* to) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(to), "r"(int64_t{64}), "i"(kTile)
                 : "memory");
  }
};

struct VecAmx : VecAvx512Vnni {
  using Tiles = AmxTiles;
};

}  // namespace
}  // namespace quire::cpu
