#pragma once

#include <bit>
#include <cstdint>

namespace quire {

/// exp(x) for x <= 0 to about 1e-7 relative, 0 below -87 (and for -inf). Written so that compilers
/// vectorise it, and from IEEE operations alone, so that it gives the same bits in every build.
/// Polynomial: Cephes expf (S. Moshier).
inline float exp_nonpositive(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer.
  const float shifted = x * 1.44269504f + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float poly = 1.9875691500e-4f;
  poly = poly * r + 1.3981999507e-3f;
  poly = poly * r + 8.3334519073e-3f;
  poly = poly * r + 4.1665795894e-2f;
  poly = poly * r + 1.6666665459e-1f;
  poly = poly * r + 5.0000001201e-1f;
  poly = poly * r * r + r + 1.0f;
  const uint32_t exponent = std::bit_cast<uint32_t>(shifted) << 23;
  // Below -87 all of the above is meaningless. A mask and not a choice, which would be a branch.
  const uint32_t kept = 0u - static_cast<uint32_t>(x >= -87.0f);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(poly) + exponent) & kept);
}

/// A token's probability times a constant: 1 for the likeliest. The arguments are logits.
struct SoftmaxWeight {
  float max = 0.0f;
  float inverse_temperature = 1.0f;  ///< Finite.

  float operator()(float logit) const {
    return exp_nonpositive((logit - max) * inverse_temperature);
  }
};

}  // namespace quire
