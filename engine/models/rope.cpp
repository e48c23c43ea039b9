#include "engine/models/rope.h"

#include <cmath>
#include <numbers>

namespace quire {
namespace {

/// Llama 3.1: long wavelengths are stretched, short ones kept, those between blended.
float scale_llama3(float inv_freq, const RopeConfig& rope) {
  const auto original = static_cast<double>(rope.original_max_positions);
  const auto low_freq_wavelen = static_cast<float>(original / rope.low_freq_factor);
  const auto high_freq_wavelen = static_cast<float>(original / rope.high_freq_factor);
  const float wavelen = static_cast<float>(2.0 * std::numbers::pi) / inv_freq;
  if (wavelen > low_freq_wavelen) return inv_freq / rope.factor;
  if (wavelen < high_freq_wavelen) return inv_freq;
  const float smooth = (static_cast<float>(original) / wavelen - rope.low_freq_factor) /
                       (rope.high_freq_factor - rope.low_freq_factor);
  return (1.0f - smooth) * inv_freq / rope.factor + smooth * inv_freq;
}

}  // namespace

std::vector<float> rope_inv_freq(const RopeConfig& rope, int head_dim) {
  const int rotary_dim = rope.rotary_dim > 0 ? rope.rotary_dim : head_dim;
  std::vector<float> frequencies;
  for (int i = 0; i < rotary_dim; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(rotary_dim);
    float inv_freq = 1.0f / std::pow(rope.theta, exponent);
    if (rope.scaling == RopeConfig::Scaling::kLinear) inv_freq /= rope.factor;
    if (rope.scaling == RopeConfig::Scaling::kLlama3) inv_freq = scale_llama3(inv_freq, rope);
    frequencies.push_back(inv_freq);
  }
  return frequencies;
}

}  // namespace quire
