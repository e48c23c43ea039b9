#pragma once

#include "kernels/cuda/device/numeric.h"

namespace quire::cuda {

// What a format is. The products (linear/) and the lookup of rows (embed) are templates over it:
//
//   struct Format {
//     static constexpr Half kHalf;         // What its fragments are: the product's type.
//     static constexpr int kUnitInputs;    // 64 or 256.
//     static constexpr int kUnitBytes;     // A multiple of 16; units lie one after another.
//     struct Unit {...};                   // What one lane holds of a unit, in registers.
//     static Unit load(const uint8_t* unit, int lane);   // 16-byte loads, read once: not cached.
//     static void fragment(const Unit&, int step, uint32_t (&a)[4]);  // Inputs [16 step, 16 step +
//     16).
//   };
//
// fragment() gives the lane's A fragment of m16n8k16 (tensor_core.h), scales applied. `step` is a
// constant where it is called, so that Unit stays in registers. Both are a lane's own affair: no
// shuffles, no barriers, and `lane` need not be the caller's. What is the same for neighbouring
// steps is computed once where they are unrolled into one body.

/// f16 and bf16. A unit is, for each of four steps, the lanes' fragments: 32 times 16 bytes.
template <Half kKind>
struct HalvesFormat {
  static constexpr Half kHalf = kKind;
  static constexpr int kUnitInputs = 64;
  static constexpr int kUnitBytes = 16 * kUnitInputs * 2;

  struct Unit {
    uint4 steps[4];
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    const auto* const lanes = reinterpret_cast<const uint4*>(unit);
    Unit loaded;
#pragma unroll
    for (int step = 0; step < 4; ++step)
      loaded.steps[step] = __ldcs(lanes + step * kWarpSize + lane);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    a[0] = unit.steps[step].x;
    a[1] = unit.steps[step].y;
    a[2] = unit.steps[step].z;
    a[3] = unit.steps[step].w;
  }
};

}  // namespace quire::cuda
