#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/weight_grids.h"

/// GGUF's blocks of tables, ternary numbers and NVFP4, for processors and GPUs. Element i is
/// scale * factor of its group of 16 * code, each product rounded to f32, which gives the bits of
/// the `gguf` package (Q1_0 and Q2_0: of ggml's dequantize_row_q1_0 and dequantize_row_q2_0). A
/// type of blocks defines:
///   kElements, kBytes   of a block
///   scale(b)            the bits of the block's f16 scale; those of 1 if it has none
///   factor(b, g)        of the 16 elements from 16 g on
///   code(b, i)          of element i, a signed byte; or number(b, i), a float instead
/// b is a const uint8_t* of any alignment, or a type with + and [] like it and a u16_at() of its
/// own in its namespace.
#if defined(__CUDACC__)
#define QUIRE_BLOCK_FUNCTION __device__
#else
#define QUIRE_BLOCK_FUNCTION
#endif

namespace quire::blocks {

QUIRE_BLOCK_FUNCTION inline uint32_t u16_at(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8;
}
QUIRE_BLOCK_FUNCTION inline uint32_t u32_at(auto p) {
  return u16_at(p) | u16_at(p + 2) << 16;
}
QUIRE_BLOCK_FUNCTION inline float odd_factor(uint32_t scale, float unit) {
  return static_cast<float>(2 * scale + 1) * unit;
}
QUIRE_BLOCK_FUNCTION inline uint32_t nibble_at(auto p, int i) {
  return (static_cast<uint32_t>(p[i / 2]) >> (i % 2 * 4)) & 15u;
}
QUIRE_BLOCK_FUNCTION inline int signed_code(uint32_t magnitude, uint32_t sign) {
  return (sign & 1u) != 0 ? -static_cast<int>(magnitude) : static_cast<int>(magnitude);
}
/// Element j of an entry of the IQ2 grids, of kIq3XxsGrid and of kIq3SGrid.
QUIRE_BLOCK_FUNCTION constexpr uint32_t iq2_element(uint32_t entry, int j) {
  return (0x2b1908u >> (8 * ((entry >> (2 * j)) & 3u))) & 255u;
}
QUIRE_BLOCK_FUNCTION constexpr uint32_t iq3_xxs_element(uint32_t entry, int j) {
  const uint32_t code = (entry >> (4 * j)) & 7u;
  return code == 7 ? 62 : 4 + 8 * code;
}
QUIRE_BLOCK_FUNCTION constexpr uint32_t iq3_s_element(uint32_t entry, int j) {
  return 2 * (entry >> (4 * j) & 7u) + 1;
}
/// Sign j of eight, of which seven bits are stored: the number of minus signs is even.
QUIRE_BLOCK_FUNCTION inline uint32_t sign_of_seven(uint32_t bits, int j) {
  uint32_t parity = bits ^ bits >> 4;
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return (bits | (parity & 1u) << 7) >> j & 1u;
}

/// For each 32 elements four table indices, then 28 bits of signs and four of the scale.
struct Iq2Xxs {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 66;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(u32_at(b + 6 + g / 2 * 8) >> 28, 0.125f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const auto group = b + 2 + i / 32 * 8;
    const uint32_t signs = u32_at(group + 4) >> (i % 32 / 8 * 7) & 127u;
    return signed_code(iq2_element(kIq2XxsGrid[group[i % 32 / 8]], i % 8),
                       sign_of_seven(signs, i % 8));
  }
};

/// For each eight elements nine bits of a table index and seven of signs.
struct Iq2Xs {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 74;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(nibble_at(b + 66, g), 0.125f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t bits = u16_at(b + 2 + i / 8 * 2);
    return signed_code(iq2_element(kIq2XsGrid[bits & 511u], i % 8),
                       sign_of_seven(bits >> 9, i % 8));
  }
};

struct Iq2S {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 82;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(nibble_at(b + 74, g), 0.125f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t high = static_cast<uint32_t>(b[66 + i / 32]) >> (i % 32 / 8 * 2) & 3u;
    return signed_code(iq2_element(kIq2SGrid[b[2 + i / 8] | high << 8], i % 8),
                       static_cast<uint32_t>(b[34 + i / 8]) >> (i % 8));
  }
};

/// A table index for each four elements; for each 32 of them 28 bits of signs and four of the
/// scale.
struct Iq3Xxs {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 98;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(u32_at(b + 66 + g / 2 * 4) >> 28, 0.25f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t signs = u32_at(b + 66 + i / 32 * 4) >> (i % 32 / 8 * 7) & 127u;
    return signed_code(iq3_xxs_element(kIq3XxsGrid[b[2 + i / 4]], i % 4),
                       sign_of_seven(signs, i % 8));
  }
};

struct Iq3S {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 110;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(nibble_at(b + 106, g / 2), 1.0f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t high = static_cast<uint32_t>(b[66 + i / 32]) >> (i % 32 / 4) & 1u;
    const uint32_t entry = kIq3SGrid[b[2 + i / 4] | high << 8];
    return signed_code(iq3_s_element(entry, i % 4),
                       static_cast<uint32_t>(b[74 + i / 8]) >> (i % 8));
  }
};

/// Elements of IQ1 are -1, 0 or 1 plus or minus an eighth. A code is eight times that.
QUIRE_BLOCK_FUNCTION inline int iq1_code(uint32_t index, int j, bool is_less) {
  return 8 * (static_cast<int>(kIq1Grid[index] >> (2 * j) & 3) - 1) + (is_less ? -1 : 1);
}

struct Iq1S {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 50;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(u16_at(b + 34 + g / 2 * 2) >> 12 & 7u, 0.125f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t bits = u16_at(b + 34 + i / 32 * 2);
    const uint32_t high = bits >> (i % 32 / 8 * 3) & 7u;
    return iq1_code(b[2 + i / 8] | high << 8, i % 8, (bits & 0x8000u) != 0);
  }
};

/// The four upper bits of each of four 16-bit words are the scale's; below, three bits a group.
struct Iq1M {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 56;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) {
    return static_cast<uint32_t>(b[49]) >> 4 | (b[51] & 0xf0u) | (b[53] & 0xf0u) << 4 |
           (b[55] & 0xf0u) << 8;
  }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    return odd_factor(u16_at(b + 48 + g / 4 * 2) >> (g % 4 * 3) & 7u, 0.125f);
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t bits = nibble_at(b + 32, i / 8);
    return iq1_code(b[i / 8] | (bits & 7u) << 8, i % 8, (bits & 8u) != 0);
  }
};

/// Five elements in a byte: the first digits after the point of byte / 256 in base 3.
struct Tq1_0 {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 54;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b + 52); }
  QUIRE_BLOCK_FUNCTION static float factor(auto, int) { return 1.0f; }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    if (i < 160) return digit(b[i % 32], i / 32);
    if (i < 240) return digit(b[32 + i % 16], (i - 160) / 16);
    return digit(b[48 + i % 4], (i - 240) / 4);
  }

 private:
  QUIRE_BLOCK_FUNCTION static int digit(uint32_t byte, int place) {
    constexpr uint64_t kPowersOf3 = 0x51'1b'09'03'01;  // A byte each, the lowest first.
    const auto power = static_cast<uint32_t>(kPowersOf3 >> (8 * place)) & 255u;
    return static_cast<int>((byte * power & 255u) * 3 >> 8) - 1;
  }
};

struct Tq2_0 {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 66;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b + 64); }
  QUIRE_BLOCK_FUNCTION static float factor(auto, int) { return 1.0f; }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    return (b[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3) - 1;
  }
};

/// Four groups of 16 with an unsigned E4M3 scale each, which is halved because codes are twice the
/// E2M1 numbers.
struct Nvfp4 {
  static constexpr int kElements = 64;
  static constexpr int kBytes = 36;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto) { return 0x3c00; }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int g) {
    const int exponent = b[g] >> 3 & 15;
    const int mantissa = b[g] & 7;
    if (b[g] == 0x7f) return 0.0f;  // NaN in E4M3; ggml takes it as zero.
    if (exponent == 0) return static_cast<float>(mantissa) * 0x1p-10f;
    const auto power = static_cast<float>(1 << exponent);
    return static_cast<float>(8 + mantissa) * power * 0x1p-11f;
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    const uint32_t bits = static_cast<uint32_t>(b[4 + i / 16 * 8 + i % 8]) >> (i % 16 / 8 * 4);
    return signed_code(0xc8643210u >> ((bits & 7u) * 4) & 15u, bits >> 3);
  }
};

struct Q1_0 {
  static constexpr int kElements = 128;
  static constexpr int kBytes = 18;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto, int) { return 1.0f; }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    return (b[2 + i / 8] >> (i % 8) & 1) != 0 ? 1 : -1;
  }
};

struct Q2_0 {
  static constexpr int kElements = 64;
  static constexpr int kBytes = 18;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) { return u16_at(b); }
  QUIRE_BLOCK_FUNCTION static float factor(auto, int) { return 1.0f; }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    return (b[2 + i / 4] >> (i % 4 * 2) & 3) - 1;
  }
};

// Blocks that Hugging Face folders are read into, with a scale in front ---------------------------

QUIRE_BLOCK_FUNCTION inline float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Four bits minus a zero point of five. The scale is f16, or bf16 if bit 7 of byte 2 is set. Of
/// each 32 elements byte j holds elements j and j + 16.
template <int kGroup>
struct Int4 {
  static constexpr int kElements = kGroup;
  static constexpr int kBytes = 3 + kGroup / 2;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto b) {
    return (b[2] & 128) != 0 ? 0x3c00 : u16_at(b);
  }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int) {
    return (b[2] & 128) != 0 ? float_of(u16_at(b) << 16) : 1.0f;
  }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) {
    return (b[3 + i / 32 * 16 + i % 16] >> (i % 32 / 16 * 4) & 15) - (b[2] & 31);
  }
};

/// 128 signed bytes with an f32 scale.
struct Int8 {
  static constexpr int kElements = 128;
  static constexpr int kBytes = 132;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto) { return 0x3c00; }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int) { return float_of(u32_at(b)); }
  QUIRE_BLOCK_FUNCTION static int code(auto b, int i) { return static_cast<int8_t>(b[4 + i]); }
};

/// 128 numbers in E4M3 (arXiv:2209.05433) with an f32 scale.
struct Fp8 {
  static constexpr int kElements = 128;
  static constexpr int kBytes = 132;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto) { return 0x3c00; }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int) { return float_of(u32_at(b)); }
  QUIRE_BLOCK_FUNCTION static float number(auto b, int i) {
    const uint32_t bits = b[4 + i];
    const uint32_t sign = (bits & 128u) << 24;
    const uint32_t exponent = bits >> 3 & 15u;
    const uint32_t mantissa = bits & 7u;
    if ((bits & 127u) == 127u) return float_of(0x7fc00000u);
    if (exponent == 0) {
      const float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
      return sign != 0 ? -magnitude : magnitude;
    }
    return float_of(sign | (exponent + 120) << 23 | mantissa << 20);
  }
};

/// The number of a code of NF4 (arXiv:2305.14314, appendix E).
QUIRE_BLOCK_FUNCTION inline float nf4_number(uint32_t code) {
  constexpr float kNumbers[16] = {-1.0f,
                                  -0.6961928009986877f,
                                  -0.5250730514526367f,
                                  -0.39491748809814453f,
                                  -0.28444138169288635f,
                                  -0.18477343022823334f,
                                  -0.09105003625154495f,
                                  0.0f,
                                  0.07958029955625534f,
                                  0.16093020141124725f,
                                  0.24611230194568634f,
                                  0.33791524171829224f,
                                  0.44070982933044434f,
                                  0.5626170039176941f,
                                  0.7229568362236023f,
                                  1.0f};
  return kNumbers[code];
}

/// 64 codes of NF4 with an f32 scale, in the order of Int4.
struct Nf4 {
  static constexpr int kElements = 64;
  static constexpr int kBytes = 36;
  QUIRE_BLOCK_FUNCTION static uint32_t scale(auto) { return 0x3c00; }
  QUIRE_BLOCK_FUNCTION static float factor(auto b, int) { return float_of(u32_at(b)); }
  QUIRE_BLOCK_FUNCTION static float number(auto b, int i) {
    return nf4_number(b[4 + i / 32 * 16 + i % 16] >> (i % 32 / 16 * 4) & 15);
  }
};

/// Element i before it is scaled.
template <class Blocks>
QUIRE_BLOCK_FUNCTION inline float number(auto b, int i) {
  if constexpr (requires { Blocks::number(b, i); }) {
    return Blocks::number(b, i);
  } else {
    return static_cast<float>(Blocks::code(b, i));
  }
}

}  // namespace quire::blocks

#undef QUIRE_BLOCK_FUNCTION
