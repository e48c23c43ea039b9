#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/quantize/block_writers.h"

namespace quire {

namespace {

/// A block of groups of G numbers: x = d * scale * code, scales whole numbers of kLow to kHigh.
template <typename Codes, int G, int kLow, int kHigh>
struct ScaledGroups {
  static constexpr int kGroups = kSuperBlock / G;

  float d = 0.0f;  ///< As stored.
  int scales[kGroups] = {};
  float codes[kSuperBlock] = {};
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
        lane_sum<kSuperBlock>([&](int i) { return load(weights + i) * load(x + i) * value(i); });
    const float vv =
        lane_sum<kSuperBlock>([&](int i) { return load(weights + i) * value(i) * value(i); });
    return vv > 0.0f ? xv / vv : 0.0f;
  }
};

}  // namespace

void write_q3_k(const float* x, const float* weights, uint8_t* out) {
  const auto block = ScaledGroups<IntegerCodes<-4, 3>, 16, -32, 31>::fit(x, weights);
  uint8_t codes[kSuperBlock], scales[16];
  to_bytes<kSuperBlock>(block.codes, -4, codes);
  for (int g = 0; g < 16; ++g) scales[g] = static_cast<uint8_t>(block.scales[g] + 32);
  pack_third_bits(codes, out);
  pack_two_bits(codes, out + 32);
  pack_q3_scales(scales, out + 96);
  store_u16(out + 108, f32_to_f16(block.d));
}

void write_q6_k(const float* x, const float* weights, uint8_t* out) {
  const auto block = ScaledGroups<IntegerCodes<-32, 31>, 16, -128, 127>::fit(x, weights);
  uint8_t codes[kSuperBlock];
  to_bytes<kSuperBlock>(block.codes, -32, codes);
  pack_q6(codes, out, out + 128);
  for (int g = 0; g < 16; ++g) out[192 + g] = static_cast<uint8_t>(block.scales[g]);
  store_u16(out + 208, f32_to_f16(block.d));
}

void write_iq4_xs(const float* x, const float* weights, uint8_t* out) {
  const auto block = ScaledGroups<Iq4Codes, 32, -32, 31>::fit(x, weights);
  uint8_t codes[kSuperBlock];
  to_iq4<kSuperBlock>(block.codes, codes);
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

namespace {

/// A block of groups of G numbers: x = d * scale * code - dmin * minimum, codes from 0 to kMax,
/// scales and minimums from 0 to kTop.
template <int kMax, int G, int kTop>
struct AffineGroups {
  static constexpr int kGroups = kSuperBlock / G;

  float d = 0.0f, dmin = 0.0f;  ///< As stored.
  uint8_t scales[kGroups] = {}, minimums[kGroups] = {};
  float codes[kSuperBlock] = {};
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
    const float vv = lane_sum<kSuperBlock>([&](int i) { return w(i) * v(i) * v(i); });
    const float mm = lane_sum<kSuperBlock>([&](int i) { return w(i) * m(i) * m(i); });
    const float vm = lane_sum<kSuperBlock>([&](int i) { return w(i) * v(i) * m(i); });
    const float xv = lane_sum<kSuperBlock>([&](int i) { return w(i) * load(x + i) * v(i); });
    const float xm = lane_sum<kSuperBlock>([&](int i) { return w(i) * load(x + i) * m(i); });
    const float determinant = vv * mm - vm * vm;
    if (!(determinant > 0.0f)) return {.scale = vv > 0.0f ? xv / vv : 0.0f, .offset = -dmin};
    return {.scale = (xv * mm - xm * vm) / determinant,
            .offset = (xm * vv - xv * vm) / determinant};
  }
};

}  // namespace

void write_q2_k(const float* x, const float* weights, uint8_t* out) {
  const auto block = AffineGroups<3, 16, 15>::fit(x, weights);
  uint8_t codes[kSuperBlock];
  to_bytes<kSuperBlock>(block.codes, 0, codes);
  for (int g = 0; g < 16; ++g) {
    out[g] = static_cast<uint8_t>(block.scales[g] | (block.minimums[g] << 4));
  }
  pack_two_bits(codes, out + 16);
  store_u16(out + 80, f32_to_f16(block.d));
  store_u16(out + 82, f32_to_f16(block.dmin));
}

namespace {

/// The head that Q4_K and Q5_K share; the codes' bytes.
template <int kMax>
void write_q4_head(const float* x, const float* weights, uint8_t* out, uint8_t* codes) {
  const auto block = AffineGroups<kMax, 32, 63>::fit(x, weights);
  to_bytes<kSuperBlock>(block.codes, 0, codes);
  store_u16(out, f32_to_f16(block.d));
  store_u16(out + 2, f32_to_f16(block.dmin));
  pack_q4_scales(block.scales, block.minimums, out + 4);
}

}  // namespace

void write_q4_k(const float* x, const float* weights, uint8_t* out) {
  uint8_t codes[kSuperBlock];
  write_q4_head<15>(x, weights, out, codes);
  pack_q4_nibbles(codes, out + 16);
}

void write_q5_k(const float* x, const float* weights, uint8_t* out) {
  uint8_t codes[kSuperBlock];
  write_q4_head<31>(x, weights, out, codes);
  pack_q5_high(codes, out + 16);
  pack_q4_nibbles(codes, out + 48);
}

}  // namespace quire
