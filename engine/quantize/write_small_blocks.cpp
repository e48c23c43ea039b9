#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/quantize/block_writers.h"

namespace quire {

namespace {

/// The scale as it is stored, and the codes for it. The reference's own scale is tried as well, so
/// that the result is never worse than its.
template <typename Codes>
uint16_t fit_block(const float* x, const float* weights, float* codes) {
  const float fitted = rounded_f16(search_scale<Codes, 32>(x, weights));
  const float plain = rounded_f16(extreme<32>(x) / Codes::kMin);
  const float plain_error = assign_codes<Codes, 32>(x, weights, plain, codes);
  const float error = assign_codes<Codes, 32>(x, weights, fitted, codes);
  if (error <= plain_error) return f32_to_f16(fitted);
  assign_codes<Codes, 32>(x, weights, plain, codes);
  return f32_to_f16(plain);
}

}  // namespace

void write_q4_0(const float* x, const float* weights, uint8_t* out) {
  float codes[32];
  uint8_t bytes[32];
  store_u16(out, fit_block<IntegerCodes<-8, 7>>(x, weights, codes));
  to_bytes<32>(codes, -8, bytes);
  pack_nibbles(bytes, out + 2);
}

void write_q5_0(const float* x, const float* weights, uint8_t* out) {
  float codes[32];
  uint8_t bytes[32];
  store_u16(out, fit_block<IntegerCodes<-16, 15>>(x, weights, codes));
  to_bytes<32>(codes, -16, bytes);
  pack_five_bits(bytes, out + 2);
}

void write_iq4_nl(const float* x, const float* weights, uint8_t* out) {
  float codes[32];
  uint8_t bytes[32];
  store_u16(out, fit_block<Iq4Codes>(x, weights, codes));
  to_iq4<32>(codes, bytes);
  pack_nibbles(bytes, out + 2);
}

/// Eight bits leave nothing to search for: the plain scale, or what fits its codes best.
void write_q8_0(const float* x, const float* weights, uint8_t* out) {
  using Codes = IntegerCodes<-127, 127>;
  float codes[32];
  const float plain = rounded_f16(std::fabs(extreme<32>(x)) / Codes::kMax);
  const float plain_error = assign_codes<Codes, 32>(x, weights, plain, codes);
  float scale = rounded_f16(scale_for<32>(x, weights, codes));
  if (assign_codes<Codes, 32>(x, weights, scale, codes) > plain_error) {
    scale = plain;
    assign_codes<Codes, 32>(x, weights, scale, codes);
  }
  store_u16(out, f32_to_f16(scale));
  for (int i = 0; i < 32; ++i) {
    out[2 + i] = static_cast<uint8_t>(static_cast<int8_t>(codes[i]));
  }
}

namespace {

/// Scale and offset as they are stored.
template <int kMax>
Affine fit_affine_block(const float* x, const float* weights, float* codes) {
  const auto stored = [](Affine fit) {
    return Affine{.scale = rounded_f16(fit.scale), .offset = rounded_f16(fit.offset)};
  };
  const auto [low, high] = std::minmax_element(x, x + 32);
  const Affine plain = stored({.scale = (*high - *low) / kMax, .offset = *low});
  const Affine fitted = stored(search_affine<kMax, 32>(x, weights, /*only_negative=*/false));
  const float plain_error = assign_affine<kMax, 32>(x, weights, plain, codes);
  if (assign_affine<kMax, 32>(x, weights, fitted, codes) <= plain_error) return fitted;
  assign_affine<kMax, 32>(x, weights, plain, codes);
  return plain;
}

template <int kMax>
uint8_t* write_affine(const float* x, const float* weights, uint8_t* out, uint8_t* bytes) {
  float codes[32];
  const Affine fit = fit_affine_block<kMax>(x, weights, codes);
  store_u16(out, f32_to_f16(fit.scale));
  store_u16(out + 2, f32_to_f16(fit.offset));
  to_bytes<32>(codes, 0, bytes);
  return out + 4;
}

}  // namespace

void write_q4_1(const float* x, const float* weights, uint8_t* out) {
  uint8_t bytes[32];
  pack_nibbles(bytes, write_affine<15>(x, weights, out, bytes));
}

void write_q5_1(const float* x, const float* weights, uint8_t* out) {
  uint8_t bytes[32];
  pack_five_bits(bytes, write_affine<31>(x, weights, out, bytes));
}

namespace {

/// MXFP4's codes at a scale of 1, doubled as in kMxfp4Values; the nearest code's place.
int nearest_mxfp4(float x) {
  const float size = std::fabs(x);
  int place = 0;
  while (place < 7 &&
         size > 0.5f * static_cast<float>(kMxfp4Values[place] + kMxfp4Values[place + 1])) {
    ++place;
  }
  return place > 0 && x < 0.0f ? place + 8 : place;
}

}  // namespace

/// Scales are powers of two: the largest number's, one less and one more are tried.
void write_mxfp4(const float* x, const float* weights, uint8_t* out) {
  const float most = std::fabs(extreme<32>(x));
  int exponent = 0;
  std::frexp(most, &exponent);
  const int middle = std::clamp(exponent - 3 + 127, 1, 253);
  float least = std::numeric_limits<float>::infinity();
  for (int e = middle - 1; e <= middle + 1; ++e) {
    const float scale = std::ldexp(1.0f, e - 128);  // Of doubled values.
    uint8_t codes[32];
    float error = 0.0f;
    for (int i = 0; i < 32; ++i) {
      codes[i] = static_cast<uint8_t>(nearest_mxfp4(x[i] / scale));
      const float difference = x[i] - scale * static_cast<float>(kMxfp4Values[codes[i]]);
      error += weights[i] * difference * difference;
    }
    if (!(error < least)) continue;
    least = error;
    out[0] = static_cast<uint8_t>(e);
    pack_nibbles(codes, out + 1);
  }
}

}  // namespace quire
