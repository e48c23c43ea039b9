#include "kernels/base/dequantize.h"

#include <bit>
#include <cstring>
#include <iterator>

#include "kernels/base/check.h"
#include "kernels/base/quant_blocks.h"

// One function for each format: it reads the bytes of a block and writes its values. Blocks have
// any alignment (that of the mapped file), so numbers are read byte by byte or copied.

namespace quire {
namespace {

uint16_t read_u16(const uint8_t* p) {
  return static_cast<uint16_t>(p[0] | (p[1] << 8));
}

float read_f16(const uint8_t* p) {
  return f16_to_f32(read_u16(p));
}

/// The low (which = 0) or high (1) four bits.
int nibble(uint8_t byte, int which) {
  return (byte >> (4 * which)) & 15;
}

int bit(const uint8_t* bits, int i) {
  return (bits[i / 8] >> (i % 8)) & 1;
}

/// Element i of the 32 whose low halves come first: byte i % 16, the low nibbles before the high.
int nibble_of_32(const uint8_t* qs, int i) {
  return nibble(qs[i % 16], i / 16);
}

// Blocks of 32 -----------------------------------------------------------------------------------

void q4_0(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(b + 2, i) - 8);
}

void q4_1(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  const float m = read_f16(b + 2);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(b + 4, i)) + m;
}

void q5_0(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  for (int i = 0; i < 32; ++i) {
    const int q = nibble_of_32(b + 6, i) | (bit(b + 2, i) << 4);
    out[i] = d * static_cast<float>(q - 16);
  }
}

void q5_1(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  const float m = read_f16(b + 2);
  for (int i = 0; i < 32; ++i) {
    const int q = nibble_of_32(b + 8, i) | (bit(b + 4, i) << 4);
    out[i] = d * static_cast<float>(q) + m;
  }
}

void q8_0(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(b[2 + i]));
}

void iq4_nl(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(kIq4Values[nibble_of_32(b + 2, i)]);
}

/// 2^(e - 128), which may be subnormal: half of the scale, because the table holds doubled values.
float half_power(uint8_t e) {
  const uint32_t bits = e < 2 ? 0x00200000u << e : static_cast<uint32_t>(e - 1) << 23;
  return std::bit_cast<float>(bits);
}

void mxfp4(const uint8_t* b, float* out) {
  const float d = half_power(b[0]);
  for (int i = 0; i < 32; ++i)
    out[i] = d * static_cast<float>(kMxfp4Values[nibble_of_32(b + 1, i)]);
}

// Blocks of 256 ----------------------------------------------------------------------------------

void q2_k(const uint8_t* b, float* out) {
  const uint8_t* const scales = b;
  const uint8_t* const qs = b + 16;
  const float d = read_f16(b + 80);
  const float dmin = read_f16(b + 82);
  for (int i = 0; i < 256; ++i) {
    const uint8_t scale = scales[i / 16];
    const int q = (qs[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
    const float step = d * static_cast<float>(scale & 15);
    out[i] = step * static_cast<float>(q) - dmin * static_cast<float>(scale >> 4);
  }
}

/// Scale g of 16: four bits of the first eight bytes, two of the last four.
int q3_k_scale(const uint8_t* scales, int g) {
  const int high = (scales[8 + g % 4] >> (g / 4 * 2)) & 3;
  return (nibble(scales[g % 8], g / 8) | (high << 4)) - 32;
}

void q3_k(const uint8_t* b, float* out) {
  const uint8_t* const hmask = b;
  const uint8_t* const qs = b + 32;
  const float d = read_f16(b + 108);
  for (int i = 0; i < 256; ++i) {
    const int low = (qs[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
    const int high = (hmask[i % 32] >> (i / 32)) & 1;
    const float step = d * static_cast<float>(q3_k_scale(b + 96, i / 16));
    out[i] = step * static_cast<float>((low | (high << 2)) - 4);
  }
}

/// Scale and minimum g of 8, six bits each, of Q4_K and Q5_K.
void q4_k_scale(const uint8_t* scales, int g, int& scale, int& minimum) {
  if (g < 4) {
    scale = scales[g] & 63;
    minimum = scales[g + 4] & 63;
  } else {
    scale = (scales[g + 4] & 15) | ((scales[g - 4] >> 6) << 4);
    minimum = (scales[g + 4] >> 4) | ((scales[g] >> 6) << 4);
  }
}

/// Q4_K and Q5_K: nibbles qs, and the fifth bits of the codes, or null.
void with_minimums(const uint8_t* b, const uint8_t* qs, const uint8_t* fifth_bits, float* out) {
  const float d = read_f16(b);
  const float dmin = read_f16(b + 2);
  for (int g = 0; g < 8; ++g) {
    int scale = 0;
    int minimum = 0;
    q4_k_scale(b + 4, g, scale, minimum);
    const float step = d * static_cast<float>(scale);
    const float offset = dmin * static_cast<float>(minimum);
    for (int i = 0; i < 32; ++i) {
      const int high = fifth_bits == nullptr ? 0 : (fifth_bits[i] >> g) & 1;
      const int q = nibble(qs[g / 2 * 32 + i], g % 2) | (high << 4);
      out[g * 32 + i] = step * static_cast<float>(q) - offset;
    }
  }
}

void q4_k(const uint8_t* b, float* out) {
  with_minimums(b, b + 16, nullptr, out);
}

void q5_k(const uint8_t* b, float* out) {
  with_minimums(b, b + 48, b + 16, out);
}

void q6_k(const uint8_t* b, float* out) {
  const uint8_t* const qh = b + 128;
  const float d = read_f16(b + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const int low = nibble(b[half * 64 + quarter % 2 * 32 + i % 32], quarter / 2);
    const int high = (qh[half * 32 + i % 32] >> (quarter * 2)) & 3;
    const float step = d * static_cast<float>(static_cast<int8_t>(b[192 + i / 16]));
    out[i] = step * static_cast<float>((low | (high << 4)) - 32);
  }
}

void iq4_xs(const uint8_t* b, float* out) {
  const float d = read_f16(b);
  const int scales_high = read_u16(b + 2);
  for (int g = 0; g < 8; ++g) {
    const int scale = nibble(b[4 + g / 2], g % 2) | (((scales_high >> (2 * g)) & 3) << 4);
    const float step = d * static_cast<float>(scale - 32);
    for (int i = 0; i < 32; ++i) {
      out[g * 32 + i] = step * static_cast<float>(kIq4Values[nibble_of_32(b + 8 + g * 16, i)]);
    }
  }
}

// Blocks of quant_blocks.h -----------------------------------------------------------------------

template <class Blocks>
void of_codes(const uint8_t* b, float* out) {
  const float scale = f16_to_f32(static_cast<uint16_t>(Blocks::scale(b)));
  for (int g = 0; g < Blocks::kElements / 16; ++g) {
    const float step = scale * Blocks::factor(b, g);
    for (int i = 16 * g; i < 16 * g + 16; ++i) {
      out[i] = step * blocks::number<Blocks>(b, i);
    }
  }
}

// Blocks of one value ----------------------------------------------------------------------------

void f32(const uint8_t* b, float* out) {
  std::memcpy(out, b, sizeof(float));
}

void f16(const uint8_t* b, float* out) {
  *out = read_f16(b);
}

void bf16(const uint8_t* b, float* out) {
  *out = bf16_to_f32(read_u16(b));
}

using DequantizeBlock = void (*)(const uint8_t* block, float* out);

/// Indexed by DType; null for dtypes that weights cannot have.
constexpr DequantizeBlock kFunctions[] = {
    f32,
    f16,
    bf16,
    nullptr,
    nullptr,
    nullptr,
    q4_0,
    q4_1,
    q5_0,
    q5_1,
    q8_0,
    q2_k,
    q3_k,
    q4_k,
    q5_k,
    q6_k,
    iq4_nl,
    iq4_xs,
    mxfp4,
    of_codes<blocks::Iq2Xxs>,
    of_codes<blocks::Iq2Xs>,
    of_codes<blocks::Iq2S>,
    of_codes<blocks::Iq3Xxs>,
    of_codes<blocks::Iq3S>,
    of_codes<blocks::Iq1S>,
    of_codes<blocks::Iq1M>,
    of_codes<blocks::Tq1_0>,
    of_codes<blocks::Tq2_0>,
    of_codes<blocks::Nvfp4>,
    of_codes<blocks::Q1_0>,
    of_codes<blocks::Q2_0>,
    of_codes<blocks::Int4<32>>,
    of_codes<blocks::Int4<64>>,
    of_codes<blocks::Int4<128>>,
    of_codes<blocks::Int8>,
    of_codes<blocks::Fp8>,
    of_codes<blocks::Nf4>,
};
static_assert(std::size(kFunctions) == static_cast<size_t>(kLastDType) + 1);

}  // namespace

void dequantize_row(DType dtype, const void* row, float* out, int64_t n) {
  const int64_t elements = dtype_block_elements(dtype);
  const int64_t bytes = dtype_block_bytes(dtype);
  CHECK(n >= 0 && n % elements == 0 && is_weight_dtype(dtype));
  const DequantizeBlock dequantize = kFunctions[static_cast<size_t>(dtype)];
  const auto* block = static_cast<const uint8_t*>(row);
  for (int64_t i = 0; i < n; i += elements, block += bytes) dequantize(block, out + i);
}

}  // namespace quire
