#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/dequantize.h"

namespace quire {

// Weighted least squares for the scales of block formats. A group is G consecutive numbers x that
// share a scale, approximated by scale * code; every function minimises
//   sum over i of weights[i] * (x[i] - scale * code[i])^2
// over the codes of a format. Vectors have four lanes and two accumulators on every processor, so
// that sums are added in the same order everywhere.

typedef float Lanes __attribute__((vector_size(16)));

inline Lanes load(const float* p) {
  Lanes lanes;
  std::memcpy(&lanes, p, sizeof lanes);
  return lanes;
}
inline void store(float* p, Lanes lanes) {
  std::memcpy(p, &lanes, sizeof lanes);
}
inline Lanes all(float value) {
  return Lanes{value, value, value, value};
}

inline float sum_of(Lanes lanes) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/// The sum over i of the lanes f(i), f(i + 4), ...
template <int G, typename F>
inline float lane_sum(F f) {
  static_assert(G % 8 == 0);
  Lanes even = {}, odd = {};
  for (int i = 0; i < G; i += 8) {
    even += f(i);
    odd += f(i + 4);
  }
  return sum_of(even + odd);
}

inline Lanes clamp_to(Lanes x, float low, float high) {
  const Lanes above = x > all(low) ? x : all(low);
  return above < all(high) ? above : all(high);
}

/// Rounds to nearest, ties to even, for |x| < 2^22.
inline Lanes round_nearest(Lanes x) {
  const Lanes shift = all(12582912.0f);  // 1.5 * 2^23
  return (x + shift) - shift;
}

/// The whole number from `low` to `high` that is nearest.
inline int nearest_whole(float x, int low, int high) {
  const float clamped = std::clamp(x, static_cast<float>(low), static_cast<float>(high));
  return static_cast<int>(round_nearest(all(clamped))[0]);
}

/// The whole numbers from kLow to kHigh as codes.
template <int kLow, int kHigh>
struct IntegerCodes {
  static constexpr float kMin = kLow, kMax = kHigh;
  static Lanes nearest(Lanes x) { return round_nearest(clamp_to(x, kMin, kMax)); }
};

/// The 16 values of IQ4_NL and IQ4_XS as codes.
struct Iq4Codes {
  static constexpr float kMin = -127, kMax = 113;
  static Lanes nearest(Lanes x) {
    Lanes code = all(kIq4Values[0]);
    for (int i = 1; i < 16; ++i) {
      const float low = kIq4Values[i - 1], high = kIq4Values[i];
      code += x > all(0.5f * (low + high)) ? all(high - low) : Lanes{};
    }
    return code;
  }
};

/// codes = the nearest to x / scale; returns the weighted squared error. With a scale of 0 (or one
/// too small to be divided by) all codes are the nearest to 0.
template <typename Codes, int G>
float assign_codes(const float* x, const float* weights, float scale, float* codes) {
  const float inverse = std::fabs(scale) > 1e-30f ? 1.0f / scale : 0.0f;
  return lane_sum<G>([&](int i) {
    const Lanes number = load(x + i), code = Codes::nearest(number * all(inverse));
    store(codes + i, code);
    const Lanes error = number - all(scale) * code;
    return load(weights + i) * error * error;
  });
}

/// The scale that serves given codes best; 0 if all are 0.
template <int G>
float scale_for(const float* x, const float* weights, const float* codes) {
  const float xc =
      lane_sum<G>([&](int i) { return load(weights + i) * load(x + i) * load(codes + i); });
  const float cc =
      lane_sum<G>([&](int i) { return load(weights + i) * load(codes + i) * load(codes + i); });
  return cc > 0.0f ? xc / cc : 0.0f;
}

/// The number farthest from 0, with its sign.
template <int G>
float extreme(const float* x) {
  float most = 0.0f;
  for (int i = 0; i < G; ++i) most = std::fabs(x[i]) > std::fabs(most) ? x[i] : most;
  return most;
}

/// The best scale of a group: the number farthest from 0 is mapped to places around both ends of
/// the codes, each set of codes gets its own best scale, and the best of these is refined.
template <typename Codes, int G>
float search_scale(const float* x, const float* weights) {
  constexpr int kSteps = 8;  // On either side of an end.
  constexpr float kStep = Codes::kMax - Codes::kMin > 100.0f ? 3.0f : 0.1f;
  const float most = extreme<G>(x);
  if (std::fabs(most) < 1e-30f) return 0.0f;
  float weighted[G];
  for (int i = 0; i < G; ++i) weighted[i] = weights[i] * x[i];
  float best = 0.0f, best_scale = most / Codes::kMin;
  // With the codes' best scale, xc / cc, the error is less than that of zeros by xc^2 / cc.
  const auto consider = [&](float inverse) {
    Lanes xc_lanes = {}, cc_lanes = {};
    for (int i = 0; i < G; i += 4) {
      const Lanes code = Codes::nearest(load(x + i) * all(inverse));
      xc_lanes += load(weighted + i) * code;
      cc_lanes += load(weights + i) * code * code;
    }
    const float xc = sum_of(xc_lanes), cc = sum_of(cc_lanes);
    if (!(xc * xc > best * cc)) return false;
    best = xc * xc / cc;
    best_scale = xc / cc;
    return true;
  };
  for (const float end : {Codes::kMin, Codes::kMax}) {
    for (int i = -kSteps; i <= kSteps; ++i) {
      const float place = end + kStep * static_cast<float>(i);
      consider(place / most);
    }
  }
  for (int i = 0; i < 4 && consider(1.0f / best_scale); ++i) {
  }
  return best_scale;
}

/// x = scale * code + offset, codes from 0 to `kMax`.
struct Affine {
  float scale = 0.0f;
  float offset = 0.0f;
};

template <int kMax, int G>
float assign_affine(const float* x, const float* weights, Affine fit, float* codes) {
  const float inverse = fit.scale > 1e-30f ? 1.0f / fit.scale : 0.0f;
  return lane_sum<G>([&](int i) {
    const Lanes number = load(x + i);
    const Lanes code = IntegerCodes<0, kMax>::nearest((number - all(fit.offset)) * all(inverse));
    store(codes + i, code);
    const Lanes error = number - (all(fit.scale) * code + all(fit.offset));
    return load(weights + i) * error * error;
  });
}

/// The best scale and offset of a group, searched as search_scale does: codes reach from a step
/// short of the range to one and a half beyond it. With `only_negative` the offset is at most 0.
template <int kMax, int G>
Affine search_affine(const float* x, const float* weights, bool only_negative) {
  constexpr int kSteps = 20;
  constexpr float kReach = kMax < 4 ? 1.5f : 2.5f, kShort = kMax < 4 ? 0.5f : 1.0f;
  float low = x[0], high = x[0];
  for (int i = 1; i < G; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  if (only_negative && low > 0.0f) low = 0.0f;
  if (high - low < 1e-30f) return {.scale = 0.0f, .offset = low};
  float weighted[G];
  for (int i = 0; i < G; ++i) weighted[i] = weights[i] * x[i];
  const float w = lane_sum<G>([&](int i) { return load(weights + i); });
  const float wx = lane_sum<G>([&](int i) { return load(weighted + i); });
  Affine best{.scale = (high - low) / kMax, .offset = low};
  float most = 0.0f;
  // With the codes' best scale and offset, the error is less than that of zeros by their products
  // with wxc and wx.
  const auto consider = [&](float inverse, float offset) {
    Lanes wc_lanes = {}, wcc_lanes = {}, wxc_lanes = {};
    for (int i = 0; i < G; i += 4) {
      const Lanes code = IntegerCodes<0, kMax>::nearest((load(x + i) - all(offset)) * all(inverse));
      const Lanes scaled = load(weights + i) * code;
      wc_lanes += scaled;
      wcc_lanes += scaled * code;
      wxc_lanes += load(weighted + i) * code;
    }
    const float wc = sum_of(wc_lanes), wcc = sum_of(wcc_lanes), wxc = sum_of(wxc_lanes);
    const float determinant = w * wcc - wc * wc;
    if (!(determinant > 0.0f)) return false;
    Affine fit{.scale = (w * wxc - wx * wc) / determinant,
               .offset = (wcc * wx - wc * wxc) / determinant};
    if (only_negative && fit.offset > 0.0f) fit = {.scale = wxc / wcc, .offset = 0.0f};
    const float gain = fit.scale * wxc + fit.offset * wx;
    if (!(fit.scale > 0.0f && gain > most)) return false;
    most = gain;
    best = fit;
    return true;
  };
  for (int i = 0; i <= kSteps; ++i) {
    const float reach = static_cast<float>(kMax) - kShort + kReach * static_cast<float>(i) / kSteps;
    consider(reach / (high - low), low);
  }
  for (int i = 0; i < 4 && consider(1.0f / best.scale, best.offset); ++i) {
  }
  return best;
}

}  // namespace quire
