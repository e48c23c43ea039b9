#include "engine/quantize/quantize_row.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/quantize/block_packing.h"
#include "engine/quantize/scale_search.h"
#include "kernels/base/check.h"

// One function for each format: it reads the numbers of a block and their weights, and writes the
// block's bytes.

namespace quire {
namespace {

constexpr int kSuper = 256;  // Numbers of a block with scales of its groups.

float rounded_f16(float value) {
  return f16_to_f32(f32_to_f16(value));
}

template <int G>
void to_bytes(const float* codes, int low, uint8_t* out) {
  for (int i = 0; i < G; ++i) out[i] = static_cast<uint8_t>(static_cast<int>(codes[i]) - low);
}

/// The places of values of kIq4Values.
template <int G>
void to_iq4(const float* values, uint8_t* out) {
  for (int i = 0; i < G; ++i) {
    int place = 0;
    while (place < 15 && static_cast<float>(kIq4Values[place]) < values[i]) ++place;
    out[i] = static_cast<uint8_t>(place);
  }
}

// Blocks of 32 -----------------------------------------------------------------------------------

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

void write_q4_1(const float* x, const float* weights, uint8_t* out) {
  uint8_t bytes[32];
  pack_nibbles(bytes, write_affine<15>(x, weights, out, bytes));
}

void write_q5_1(const float* x, const float* weights, uint8_t* out) {
  uint8_t bytes[32];
  pack_five_bits(bytes, write_affine<31>(x, weights, out, bytes));
}

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

// Blocks of 256 ----------------------------------------------------------------------------------

/// A block of groups of G numbers: x = d * scale * code, scales whole numbers of kLow to kHigh.
template <typename Codes, int G, int kLow, int kHigh>
struct ScaledGroups {
  static constexpr int kGroups = kSuper / G;

  float d = 0.0f;  ///< As stored.
  int scales[kGroups] = {};
  float codes[kSuper] = {};
  float error = 0.0f;

  /// The best scales and codes for a given d: each scale is the nearest one or a neighbour.
  static ScaledGroups with_d(const float* x, const float* weights, const float* wanted, float d) {
    ScaledGroups block;
    block.d = rounded_f16(d);
    for (int g = 0; g < kGroups; ++g) {
      const float ratio = std::fabs(block.d) > 0.0f ? wanted[g] / block.d : 0.0f;
      const int middle = nearest_whole(ratio, kLow, kHigh);
      float least = std::numeric_limits<float>::infinity();
      for (int scale = std::max(middle - 1, kLow); scale <= std::min(middle + 1, kHigh); ++scale) {
        float codes[G];
        const float error = assign_codes<Codes, G>(x + g * G, weights + g * G,
                                                   block.d * static_cast<float>(scale), codes);
        if (!(error < least)) continue;
        least = error;
        block.scales[g] = scale;
        std::copy(codes, codes + G, block.codes + g * G);
      }
      block.error += least;
    }
    return block;
  }

  static ScaledGroups fit(const float* x, const float* weights) {
    float wanted[kGroups];
    float most = 0.0f;
    for (int g = 0; g < kGroups; ++g) {
      wanted[g] = search_scale<Codes, G>(x + g * G, weights + g * G);
      if (std::fabs(wanted[g]) > std::fabs(most)) most = wanted[g];
    }
    ScaledGroups best = with_d(x, weights, wanted, most / kLow);
    for (const float end : {kLow + 0.5f, static_cast<float>(kHigh)}) {
      best.improve(with_d(x, weights, wanted, most / end));
    }
    for (int round = 0; round < 2; ++round) {
      if (!best.improve(with_d(x, weights, wanted, best.fitted_d(x, weights)))) break;
    }
    return best;
  }

  bool improve(const ScaledGroups& other) {
    if (!(other.error < error)) return false;
    *this = other;
    return true;
  }

  /// The d that serves the scales and codes best.
  float fitted_d(const float* x, const float* weights) const {
    const auto value = [&](int i) {
      return all(static_cast<float>(scales[i / G])) * load(codes + i);
    };
    const float xv =
        lane_sum<kSuper>([&](int i) { return load(weights + i) * load(x + i) * value(i); });
    const float vv =
        lane_sum<kSuper>([&](int i) { return load(weights + i) * value(i) * value(i); });
    return vv > 0.0f ? xv / vv : 0.0f;
  }
};

void write_q3_k(const float* x, const float* weights, uint8_t* out) {
  const auto block = ScaledGroups<IntegerCodes<-4, 3>, 16, -32, 31>::fit(x, weights);
  uint8_t codes[kSuper], scales[16];
  to_bytes<kSuper>(block.codes, -4, codes);
  for (int g = 0; g < 16; ++g) scales[g] = static_cast<uint8_t>(block.scales[g] + 32);
  pack_third_bits(codes, out);
  pack_two_bits(codes, out + 32);
  pack_q3_scales(scales, out + 96);
  store_u16(out + 108, f32_to_f16(block.d));
}

void write_q6_k(const float* x, const float* weights, uint8_t* out) {
  const auto block = ScaledGroups<IntegerCodes<-32, 31>, 16, -128, 127>::fit(x, weights);
  uint8_t codes[kSuper];
  to_bytes<kSuper>(block.codes, -32, codes);
  pack_q6(codes, out, out + 128);
  for (int g = 0; g < 16; ++g) out[192 + g] = static_cast<uint8_t>(block.scales[g]);
  store_u16(out + 208, f32_to_f16(block.d));
}

void write_iq4_xs(const float* x, const float* weights, uint8_t* out) {
  const auto block = ScaledGroups<Iq4Codes, 32, -32, 31>::fit(x, weights);
  uint8_t codes[kSuper];
  to_iq4<kSuper>(block.codes, codes);
  std::memset(out + 4, 0, 4);
  unsigned high = 0;
  for (int g = 0; g < 8; ++g) {
    const auto scale = static_cast<unsigned>(block.scales[g] + 32);
    out[4 + g / 2] |= static_cast<uint8_t>((scale & 15) << (4 * (g % 2)));
    high |= (scale >> 4) << (2 * g);
    pack_nibbles(codes + 32 * g, out + 8 + 16 * g);
  }
  store_u16(out, f32_to_f16(block.d));
  store_u16(out + 2, static_cast<uint16_t>(high));
}

/// A block of groups of G numbers: x = d * scale * code - dmin * minimum, codes from 0 to kMax,
/// scales and minimums from 0 to kTop.
template <int kMax, int G, int kTop>
struct AffineGroups {
  static constexpr int kGroups = kSuper / G;

  float d = 0.0f, dmin = 0.0f;  ///< As stored.
  uint8_t scales[kGroups] = {}, minimums[kGroups] = {};
  float codes[kSuper] = {};
  float error = 0.0f;

  static int nearest_step(float value, float step) {
    return step > 0.0f ? nearest_whole(value / step, 0, kTop) : 0;
  }

  /// The best scales, minimums and codes for given steps.
  static AffineGroups with_steps(const float* x, const float* weights, const Affine* wanted,
                                 float d, float dmin) {
    AffineGroups block;
    block.d = rounded_f16(std::max(d, 0.0f));
    block.dmin = rounded_f16(std::max(dmin, 0.0f));
    for (int g = 0; g < kGroups; ++g) block.fit_group(x, weights, wanted[g], g);
    return block;
  }

  /// The nearest scale and minimum, or their neighbours.
  void fit_group(const float* x, const float* weights, Affine wanted, int g) {
    const int scale = nearest_step(wanted.scale, d), minimum = nearest_step(-wanted.offset, dmin);
    float least = std::numeric_limits<float>::infinity();
    const auto consider = [&](int s, int m) {
      float tried[G];
      const Affine fit{.scale = d * static_cast<float>(s),
                       .offset = -(dmin * static_cast<float>(m))};
      const float group_error = assign_affine<kMax, G>(x + g * G, weights + g * G, fit, tried);
      if (!(group_error < least)) return;
      least = group_error;
      scales[g] = static_cast<uint8_t>(s);
      minimums[g] = static_cast<uint8_t>(m);
      std::copy(tried, tried + G, codes + g * G);
    };
    for (int s = std::max(scale - 1, 0); s <= std::min(scale + 1, kTop); ++s) {
      for (int m = std::max(minimum - 1, 0); m <= std::min(minimum + 1, kTop); ++m) {
        consider(s, m);
      }
    }
    // Steps that nearly underflow may be far too large.
    consider(0, 0);
    error += least;
  }

  static AffineGroups fit(const float* x, const float* weights) {
    Affine wanted[kGroups];
    float scale = 0.0f, minimum = 0.0f;
    for (int g = 0; g < kGroups; ++g) {
      wanted[g] = search_affine<kMax, G>(x + g * G, weights + g * G, /*only_negative=*/true);
      scale = std::max(scale, wanted[g].scale);
      minimum = std::max(minimum, -wanted[g].offset);
    }
    AffineGroups best = with_steps(x, weights, wanted, scale / kTop, minimum / kTop);
    for (int round = 0; round < 3; ++round) {
      const Affine steps = best.fitted_steps(x, weights);
      if (!best.improve(with_steps(x, weights, wanted, steps.scale, -steps.offset))) break;
    }
    return best;
  }

  bool improve(const AffineGroups& other) {
    if (!(other.error < error)) return false;
    *this = other;
    return true;
  }

  /// The steps d and -dmin that serve all scales, minimums and codes best.
  Affine fitted_steps(const float* x, const float* weights) const {
    const auto w = [&](int i) { return load(weights + i); };
    const auto v = [&](int i) { return all(static_cast<float>(scales[i / G])) * load(codes + i); };
    const auto m = [&](int i) { return all(static_cast<float>(minimums[i / G])); };
    const float vv = lane_sum<kSuper>([&](int i) { return w(i) * v(i) * v(i); });
    const float mm = lane_sum<kSuper>([&](int i) { return w(i) * m(i) * m(i); });
    const float vm = lane_sum<kSuper>([&](int i) { return w(i) * v(i) * m(i); });
    const float xv = lane_sum<kSuper>([&](int i) { return w(i) * load(x + i) * v(i); });
    const float xm = lane_sum<kSuper>([&](int i) { return w(i) * load(x + i) * m(i); });
    const float determinant = vv * mm - vm * vm;
    if (!(determinant > 0.0f)) return {.scale = vv > 0.0f ? xv / vv : 0.0f, .offset = -dmin};
    return {.scale = (xv * mm - xm * vm) / determinant,
            .offset = (xm * vv - xv * vm) / determinant};
  }
};

void write_q2_k(const float* x, const float* weights, uint8_t* out) {
  const auto block = AffineGroups<3, 16, 15>::fit(x, weights);
  uint8_t codes[kSuper];
  to_bytes<kSuper>(block.codes, 0, codes);
  for (int g = 0; g < 16; ++g) {
    out[g] = static_cast<uint8_t>(block.scales[g] | (block.minimums[g] << 4));
  }
  pack_two_bits(codes, out + 16);
  store_u16(out + 80, f32_to_f16(block.d));
  store_u16(out + 82, f32_to_f16(block.dmin));
}

/// The head that Q4_K and Q5_K share; the codes' bytes.
template <int kMax>
void write_q4_head(const float* x, const float* weights, uint8_t* out, uint8_t* codes) {
  const auto block = AffineGroups<kMax, 32, 63>::fit(x, weights);
  to_bytes<kSuper>(block.codes, 0, codes);
  store_u16(out, f32_to_f16(block.d));
  store_u16(out + 2, f32_to_f16(block.dmin));
  pack_q4_scales(block.scales, block.minimums, out + 4);
}

void write_q4_k(const float* x, const float* weights, uint8_t* out) {
  uint8_t codes[kSuper];
  write_q4_head<15>(x, weights, out, codes);
  pack_q4_nibbles(codes, out + 16);
}

void write_q5_k(const float* x, const float* weights, uint8_t* out) {
  uint8_t codes[kSuper];
  write_q4_head<31>(x, weights, out, codes);
  pack_q5_high(codes, out + 16);
  pack_q4_nibbles(codes, out + 48);
}

// All formats ------------------------------------------------------------------------------------

using WriteBlock = void (*)(const float* x, const float* weights, uint8_t* out);

WriteBlock writer_of(DType dtype) {
  switch (dtype) {
    case DType::kQ4_0:
      return write_q4_0;
    case DType::kQ4_1:
      return write_q4_1;
    case DType::kQ5_0:
      return write_q5_0;
    case DType::kQ5_1:
      return write_q5_1;
    case DType::kQ8_0:
      return write_q8_0;
    case DType::kQ2_K:
      return write_q2_k;
    case DType::kQ3_K:
      return write_q3_k;
    case DType::kQ4_K:
      return write_q4_k;
    case DType::kQ5_K:
      return write_q5_k;
    case DType::kQ6_K:
      return write_q6_k;
    case DType::kIQ4_NL:
      return write_iq4_nl;
    case DType::kIQ4_XS:
      return write_iq4_xs;
    case DType::kMXFP4:
      return write_mxfp4;
    default:
      return nullptr;
  }
}

/// The weights of a block's errors. Without importance, large numbers count more, because they lie
/// in columns that matter more often than not.
void block_weights(const float* x, const float* importance, int64_t n, float* weights) {
  float squares = 0.0f;
  for (int64_t i = 0; i < n; ++i) squares += x[i] * x[i];
  const float mean = squares / static_cast<float>(n);
  for (int64_t i = 0; i < n; ++i) {
    weights[i] = importance == nullptr ? std::sqrt(mean + x[i] * x[i]) : importance[i];
  }
}

void write_16_bits(DType dtype, const float* x, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    store_u16(out + 2 * i, dtype == DType::kF16 ? f32_to_f16(x[i]) : f32_to_bf16(x[i]));
  }
}

}  // namespace

bool can_quantize(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 ||
         writer_of(dtype) != nullptr;
}

float largest_quantizable(DType dtype) {
  if (dtype == DType::kF32) return std::numeric_limits<float>::max();
  // What rounds to infinity in bf16, and what 6 * 2^126 is to MXFP4.
  if (dtype == DType::kBF16 || dtype == DType::kMXFP4) return 3e38f;
  return 65504.0f;
}

void quantize_row(DType dtype, const float* x, const float* importance, int64_t n, void* out) {
  auto* bytes = static_cast<uint8_t*>(out);
  if (dtype == DType::kF32) {
    std::memcpy(out, x, static_cast<size_t>(n) * sizeof(float));
    return;
  }
  if (dtype == DType::kF16 || dtype == DType::kBF16) return write_16_bits(dtype, x, n, bytes);
  const WriteBlock write = writer_of(dtype);
  const int64_t size = dtype_block_elements(dtype), stride = dtype_block_bytes(dtype);
  CHECK(write != nullptr && n % size == 0);
  float weights[kSuper];
  for (int64_t i = 0; i < n; i += size, bytes += stride) {
    block_weights(x + i, importance == nullptr ? nullptr : importance + i, size, weights);
    write(x + i, weights, bytes);
  }
}

}  // namespace quire
