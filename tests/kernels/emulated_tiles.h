#pragma once

#include "kernels/base/check.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::test {

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

 private:
  inline static thread_local int s_group = 0;
};

/// The scalar kernels and those of AVX-512 with VNNI, with products by emulated tiles.
cpu::CpuKernels scalar_kernels_with_tiles();
/// Only for processors that can run avx512_vnni_kernels(), if there are any.
cpu::CpuKernels avx512_kernels_with_tiles();

}  // namespace quire::test
