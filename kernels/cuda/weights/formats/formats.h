#pragma once

#include "kernels/base/check.h"
#include "kernels/base/dtype.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/weights/formats/folder_formats.h"
#include "kernels/cuda/weights/formats/scales.h"
#include "kernels/cuda/weights/formats/table_codes.h"
#include "kernels/cuda/weights/formats/whole_blocks.h"

namespace quire::cuda {

// The interface of a format. GEMMs (linear/), the lookup of rows (embed.cu) and packing
// (pack_units.cu) are templates over it:
//
//   struct Format {
//     static constexpr Half kHalf;       // Of its fragments, and so of the GEMM.
//     static constexpr int kUnitInputs;  // 64 or 256.
//     static constexpr int kUnitBytes;   // A multiple of 16; units lie one after another.
//     struct Unit {...};                 // One lane's part of a unit, in registers.
//     static Unit load(const uint8_t* unit, int lane);  // 16-byte loads, read once: not cached.
//     static void fragment(const Unit&, int step, uint32_t (&a)[4]);  // Inputs [16 step, + 16).
//     static uint32_t word(const RawTile&, int w);  // Packing: word w of a unit.
//   };
//
// fragment() gives the lane's A fragment of m16n8k16 (tensor_core.h), scales applied. Callers pass
// a constant `step`, so that Unit stays in registers. Neither load() nor fragment() has shuffles or
// barriers, and `lane` need not be the caller's. Values that neighbouring steps share are computed
// once if the steps are unrolled into one body. word() is written for clarity rather than speed,
// because weights are packed only once.

/// f16 and bf16. A unit is, for each of four steps, the lanes' fragments: 32 times 16 bytes.
template <Half kKind>
struct HalvesFormat {
  static constexpr Half kHalf = kKind;
  static constexpr int kUnitInputs = 64;
  using Unit = RunWords<4>;
  static constexpr int kUnitBytes = Unit::kBytes;

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    loaded.load(unit, lane);
    return loaded;
  }
  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
#pragma unroll
    for (int r = 0; r < 4; ++r) a[r] = unit.words[4 * step + r];
  }
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const int lane = w / 4 % kWarpSize;
    return half_at(tile, FragmentPlace(lane, w / 128, w % 4, 0)) |
           half_at(tile, FragmentPlace(lane, w / 128, w % 4, 1)) << 16;
  }

 private:
  __device__ static uint32_t half_at(const RawTile& tile, const FragmentPlace& place) {
    if (place.row >= tile.num_rows || place.input >= tile.num_inputs) return 0;
    const uint32_t bits = raw_u16(tile.rows + place.row * tile.pitch_bytes + place.input * 2);
    if (kKind == Half::kBF16 || !tile.is_bf16) return bits;
    const float value = bf16_to_float(static_cast<uint16_t>(bits));
    if (value > 65504.0f) return float_to_f16(65504.0f);
    if (value < -65504.0f) return float_to_f16(-65504.0f);
    return float_to_f16(value);
  }
};

// Bits per weight: Q4_0 and IQ4_NL 4.5, Q4_1 5, Q5_0 5.5, Q5_1 6, Q8_0 8.5, Q2_K 2.625,
// Q3_K 3.5625, Q4_K 4.625, Q5_K 5.625, Q6_K 6.5625, IQ4_XS 4.3125, MXFP4 4.25.
struct Q4_0Format : QuantizedFormat<Q4_0Blocks, Nibbles<64, 8>, BlockScales> {};
struct Q4_1Format : QuantizedFormat<Q4_1Blocks, Nibbles<64, 0>, BlockScalesAndMinima> {};
struct Q5_0Format : QuantizedFormat<Q5_0Blocks, FiveBitCodes<64, 16>, BlockScales> {};
struct Q5_1Format : QuantizedFormat<Q5_1Blocks, FiveBitCodes<64, 0>, BlockScalesAndMinima> {};
struct Q8_0Format : QuantizedFormat<Q8_0Blocks, ByteCodes, BlockScales> {};
struct Q2KFormat : QuantizedFormat<Q2KBlocks, TwoBitCodes, NibbleScalesAndMinima, false> {};
struct Q3KFormat : QuantizedFormat<Q3KBlocks, ThreeBitCodes, SignedScales<1>> {};
struct Q4KFormat : QuantizedFormat<Q4KBlocks, Nibbles<256, 0>, ScalesAndMinima> {};
struct Q5KFormat : QuantizedFormat<Q5KBlocks, FiveBitCodes<256, 0>, ScalesAndMinima> {};
struct Q6KFormat : QuantizedFormat<Q6KBlocks, SixBitCodes, SignedScales<1>> {};
struct Iq4NlFormat : QuantizedFormat<Iq4NlBlocks, Iq4Codes<64>, BlockScales> {};
struct Iq4XsFormat : QuantizedFormat<Iq4XsBlocks, Iq4Codes<256>, SignedScales<2>> {};

/// MXFP4 (OCP Microscaling Formats 1.0). Codes are in the order of Nibbles (e2m1_halves); after
/// them, for each g < 8, four exponent bytes: of rows g and g + 8 in the first block and in the
/// second.
///
/// bf16: exact, except that blocks with an exponent byte below 2 (values below 10^-37) are zero.
/// The stored byte is the file's minus 1. f16, for devices without bf16 tensor cores: exact from
/// 2^-24 on and rounded once below; a block with an exponent byte above 128 (values above 12) is
/// computed as if it were 128. The stored byte is the file's minus 98, the exponent bits of 2^(byte
/// - 113).
template <Half kKind>
struct Mxfp4Format {
  using Codes = Nibbles<64, 0>;
  static constexpr Half kHalf = kKind;
  static constexpr int kUnitInputs = Codes::kInputs;
  static constexpr int kUnitBytes = Codes::kBytes + 32;

  struct Unit {
    Codes codes;
    uint32_t exponents;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    loaded.codes.load(unit, lane);
    loaded.exponents = __ldcs(reinterpret_cast<const unsigned*>(unit + Codes::kBytes) + lane / 4);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    const uint32_t g = power(unit.exponents, step / 2 * 2);
    const uint32_t g8 = power(unit.exponents, step / 2 * 2 + 1);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const uint32_t power = r % 2 == 0 ? g : g8;
      const uint32_t number = e2m1_halves<kMantissaBits>(unit.codes.words[step], r);
      if constexpr (kHalf == Half::kBF16) {
        constexpr uint32_t kTwoTo127 = 0x7f007f00u;  // The codes are 2^-126 times their numbers.
        a[r] = fma_bf16x2(fma_bf16x2(number, kTwoTo127, 0), power, 0);
      } else {
        a[r] = fma_f16x2(number, power, 0);
      }
    }
  }

  static constexpr bool kHasInt8Gemm = true;
  static constexpr int kPartInputs = 32;
  static constexpr bool kHasMinima = false;
  __device__ __forceinline__ static void int8_codes(const Unit& unit, int step, uint32_t (&a)[2]) {
    e2m1_bytes(unit.codes.words[step], a);
  }
  __device__ __forceinline__ static float2 steps(const Unit& unit, int part, uint32_t /*origin*/) {
    return make_float2(half_power(unit.exponents, 2 * part),
                       half_power(unit.exponents, 2 * part + 1));
  }

  __device__ static uint32_t word(const RawTile& tile, int w) {
    const int g = w - Codes::kBytes / 4;
    if (g < 0) return Codes::word<Mxfp4Blocks>(tile, w);
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word |= exponent(tile, g + 8 * (i % 2), i / 2) << (8 * i);
    return word;
  }

 private:
  static constexpr int kMantissaBits = kKind == Half::kBF16 ? 7 : 10;

  __device__ __forceinline__ static uint32_t power(uint32_t exponents, int which) {
    return __byte_perm(exponents, 0, 0x4040 | which | which << 8) << kMantissaBits;
  }
  /// Half of a block's power of two, since int8_codes() gives twice the codes' numbers. From 2^104
  /// on products in int8 are NaN (kOriginNumber times a step is infinite).
  __device__ __forceinline__ static float half_power(uint32_t exponents, int which) {
    const uint32_t stored = __byte_perm(exponents, 0, 0x4440u | static_cast<uint32_t>(which));
    constexpr uint32_t kLess = kKind == Half::kBF16 ? 0 : 97;
    return __uint_as_float(stored == 0 ? 0 : (stored + kLess) << 23);
  }
  __device__ static uint32_t exponent(const RawTile& tile, int row, int index) {
    const uint8_t* const b = tile.block<Mxfp4Blocks>(row, index);
    if (b == nullptr) return 0;
    const int e = Mxfp4Blocks::exponent(b);
    const int stored = kKind == Half::kBF16 ? e - 1 : min(e - 98, 30);
    return static_cast<uint32_t>(max(stored, 0));
  }
};

/// Such a format in GEMMs that multiply its codes with inputs of 8 bits (linear/int8_gemm.h)
/// instead of its fragments with halves. The units are the same.
template <typename Format>
struct Int8Gemm : Format {
  static constexpr bool kIsInt8Gemm = true;
};

template <typename Format>
concept Int8GemmFormat = requires {
  requires Format::kIsInt8Gemm;
};
template <typename Format>
concept HasInt8Gemm = requires {
  requires Format::kHasInt8Gemm;
};

/// Whether this architecture's code has the GEMMs of a format: of the two ways to multiply it one
/// is compiled.
template <typename Format>
__device__ constexpr bool is_compiled() {
#ifdef __CUDA_ARCH__
  return !HasInt8Gemm<Format> || Int8GemmFormat<Format> == uses_int8_gemm(__CUDA_ARCH__ / 10);
#else
  return true;
#endif
}

/// Calls body(Format()) with the format that weights of this dtype are packed in; f32 has none.
/// Without bf16 tensor cores (GpuFacts::has_bf16_mma) the fragments of bf16 and mxfp4 are f16 and
/// saturate.
template <typename Body>
decltype(auto) with_format(DType dtype, bool has_bf16, Body&& body) {
  switch (dtype) {
    case DType::kF16:
      return body(HalvesFormat<Half::kF16>());
    case DType::kBF16:
      if (has_bf16) return body(HalvesFormat<Half::kBF16>());
      return body(HalvesFormat<Half::kF16>());
    case DType::kQ4_0:
      return body(Q4_0Format());
    case DType::kQ4_1:
      return body(Q4_1Format());
    case DType::kQ5_0:
      return body(Q5_0Format());
    case DType::kQ5_1:
      return body(Q5_1Format());
    case DType::kQ8_0:
      return body(Q8_0Format());
    case DType::kQ2_K:
      return body(Q2KFormat());
    case DType::kQ3_K:
      return body(Q3KFormat());
    case DType::kQ4_K:
      return body(Q4KFormat());
    case DType::kQ5_K:
      return body(Q5KFormat());
    case DType::kQ6_K:
      return body(Q6KFormat());
    case DType::kIQ4_NL:
      return body(Iq4NlFormat());
    case DType::kIQ4_XS:
      return body(Iq4XsFormat());
    case DType::kIQ2_XXS:
      return body(Iq2XxsFormat());
    case DType::kIQ2_XS:
      return body(Iq2XsFormat());
    case DType::kIQ2_S:
      return body(Iq2SFormat());
    case DType::kIQ3_XXS:
      return body(Iq3XxsFormat());
    case DType::kIQ3_S:
      return body(Iq3SFormat());
    case DType::kIQ1_S:
      return body(Iq1SFormat());
    case DType::kIQ1_M:
      return body(Iq1MFormat());
    case DType::kTQ1_0:
      return body(Tq1_0Format());
    case DType::kTQ2_0:
      return body(Tq2_0Format());
    case DType::kNVFP4:
      return body(Nvfp4Format());
    case DType::kQ1_0:
      return body(Q1_0Format());
    case DType::kQ2_0:
      return body(Q2_0Format());
    case DType::kI4_32:
      return body(Int4Format<32>());
    case DType::kI4_64:
      return body(Int4Format<64>());
    case DType::kI4_128:
      return body(Int4Format<128>());
    case DType::kI8_128:
      return body(Int8Format());
    case DType::kF8_128:
      return body(Fp8Format());
    case DType::kNF4_64:
      return body(Nf4Format());
    default:
      CHECK(dtype == DType::kMXFP4);
      if (has_bf16) return body(Mxfp4Format<Half::kBF16>());
      return body(Mxfp4Format<Half::kF16>());
  }
}

/// As with_format(), but with Int8Gemm on GPUs that use int8 GEMMs.
template <typename Body>
decltype(auto) with_gemm_format(DType dtype, const GpuFacts& facts, Body&& body) {
  return with_format(dtype, facts.has_bf16_mma, [&](auto format) {
    if constexpr (HasInt8Gemm<decltype(format)>) {
      if (facts.uses_int8_gemm) return body(Int8Gemm<decltype(format)>());
    }
    return body(format);
  });
}

}  // namespace quire::cuda
