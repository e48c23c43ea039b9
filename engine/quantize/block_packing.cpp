#include "engine/quantize/block_packing.h"

#include <cstring>

namespace quire {
namespace {

uint8_t shifted(int bits, int by) {
  return static_cast<uint8_t>(bits << by);
}

}  // namespace

void store_u16(uint8_t* out, uint16_t value) {
  out[0] = static_cast<uint8_t>(value & 0xff);
  out[1] = static_cast<uint8_t>(value >> 8);
}

void pack_nibbles(const uint8_t* codes, uint8_t* out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<uint8_t>((codes[i] & 15) | shifted(codes[i + 16] & 15, 4));
  }
}

void pack_five_bits(const uint8_t* codes, uint8_t* out) {
  std::memset(out, 0, 4);
  for (int i = 0; i < 32; ++i) out[i / 8] |= shifted(codes[i] >> 4, i % 8);
  pack_nibbles(codes, out + 4);
}

void pack_two_bits(const uint8_t* codes, uint8_t* out) {
  std::memset(out, 0, 64);
  for (int i = 0; i < 256; ++i) {
    out[i / 128 * 32 + i % 32] |= shifted(codes[i] & 3, i % 128 / 32 * 2);
  }
}

void pack_third_bits(const uint8_t* codes, uint8_t* out) {
  std::memset(out, 0, 32);
  for (int i = 0; i < 256; ++i) out[i % 32] |= shifted(codes[i] >> 2 & 1, i / 32);
}

void pack_q3_scales(const uint8_t* scales, uint8_t* out) {
  std::memset(out, 0, 12);
  for (int g = 0; g < 16; ++g) {
    out[g % 8] |= shifted(scales[g] & 15, 4 * (g / 8));
    out[8 + g % 4] |= shifted(scales[g] >> 4, g / 4 * 2);
  }
}

void pack_q4_scales(const uint8_t* scales, const uint8_t* minimums, uint8_t* out) {
  for (int g = 0; g < 4; ++g) {
    out[g] = static_cast<uint8_t>(scales[g] | shifted(scales[g + 4] >> 4, 6));
    out[g + 4] = static_cast<uint8_t>(minimums[g] | shifted(minimums[g + 4] >> 4, 6));
    out[g + 8] = static_cast<uint8_t>((scales[g + 4] & 15) | shifted(minimums[g + 4] & 15, 4));
  }
}

void pack_q4_nibbles(const uint8_t* codes, uint8_t* out) {
  for (int i = 0; i < 128; ++i) {
    const uint8_t* const pair = codes + i / 32 * 64 + i % 32;
    out[i] = static_cast<uint8_t>((pair[0] & 15) | shifted(pair[32] & 15, 4));
  }
}

void pack_q5_high(const uint8_t* codes, uint8_t* out) {
  std::memset(out, 0, 32);
  for (int i = 0; i < 256; ++i) out[i % 32] |= shifted(codes[i] >> 4, i / 32);
}

void pack_q6(const uint8_t* codes, uint8_t* low, uint8_t* high) {
  std::memset(low, 0, 128);
  std::memset(high, 0, 64);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32;
    low[half * 64 + quarter % 2 * 32 + i % 32] |= shifted(codes[i] & 15, quarter / 2 * 4);
    high[half * 32 + i % 32] |= shifted(codes[i] >> 4, quarter * 2);
  }
}

}  // namespace quire
