#include "engine/models/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace quire {
namespace {

using Scaling = RopeConfig::Scaling;

/// theta^(2i / 2R), whose reciprocals are the frequencies.
std::vector<float> base_wavelengths(float theta, int rotary_dim) {
  std::vector<float> wavelengths;
  for (int i = 0; i < rotary_dim; i += 2) {
    wavelengths.push_back(std::pow(theta, static_cast<float>(i) / static_cast<float>(rotary_dim)));
  }
  return wavelengths;
}

/// Llama 3.1: long wavelengths are stretched, short ones kept, those between blended.
float scale_llama3(float inv_freq, const RopeConfig& rope) {
  const auto original = static_cast<double>(rope.original_max_positions);
  const auto low_freq_wavelen = static_cast<float>(original / rope.low_freq_factor);
  const auto high_freq_wavelen = static_cast<float>(original / rope.high_freq_factor);
  const float wavelen = static_cast<float>(2.0 * std::numbers::pi) / inv_freq;
  if (wavelen > low_freq_wavelen) return inv_freq / rope.factor;
  if (wavelen < high_freq_wavelen || high_freq_wavelen == low_freq_wavelen) return inv_freq;
  const float smooth = (static_cast<float>(original) / wavelen - rope.low_freq_factor) /
                       (rope.high_freq_factor - rope.low_freq_factor);
  return (1.0f - smooth) * inv_freq / rope.factor + smooth * inv_freq;
}

/// theta for a served context beyond the original one.
float dynamic_theta(const RopeConfig& rope, int rotary_dim) {
  if (rope.served_context <= rope.original_max_positions || rotary_dim <= 2) return rope.theta;
  const float stretch = rope.factor * static_cast<float>(rope.served_context) /
                            static_cast<float>(rope.original_max_positions) -
                        (rope.factor - 1.0f);
  const double exponent = rotary_dim / static_cast<double>(rotary_dim - 2);
  return rope.theta * std::pow(stretch, static_cast<float>(exponent));
}

/// The dimension that turns `num_rotations` times over the original context (arXiv:2309.00071).
double yarn_dimension(const RopeConfig& rope, int rotary_dim, double num_rotations) {
  const double turns = rope.original_max_positions / (num_rotations * 2.0 * std::numbers::pi);
  return rotary_dim * std::log(turns) / (2.0 * std::log(static_cast<double>(rope.theta)));
}

/// YaRN: dimensions that turn often keep their frequency, those that turn seldom are interpolated,
/// with a ramp between them.
void scale_yarn(std::vector<float>& inv_freq, const std::vector<float>& wavelengths,
                const RopeConfig& rope, int rotary_dim) {
  double low = yarn_dimension(rope, rotary_dim, rope.beta_fast);
  double high = yarn_dimension(rope, rotary_dim, rope.beta_slow);
  if (rope.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, rotary_dim - 1.0);
  if (low == high) high += 0.001;  // As transformers avoids the division by zero.
  for (size_t i = 0; i < inv_freq.size(); ++i) {
    const float ramp =
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1.0f - std::clamp(ramp, 0.0f, 1.0f);
    const float interpolated = 1.0f / (rope.factor * wavelengths[i]);
    inv_freq[i] = interpolated * (1.0f - kept) + inv_freq[i] * kept;
  }
}

/// The divisor of each frequency; empty for kinds without divisors.
const std::vector<float>& divisors(const RopeConfig& rope) {
  if (rope.scaling != Scaling::kLongRope) return rope.divisors;
  return rope.served_context > rope.original_max_positions ? rope.long_factors : rope.short_factors;
}

/// LongRoPE's short factors are only valid within the original context.
void limit_to_short_factors(ModelConfig& config, int max_context) {
  for (const RopeConfig& rope : config.ropes) {
    if (rope.scaling != Scaling::kLongRope || max_context > rope.original_max_positions) continue;
    config.max_positions = std::min(config.max_positions, rope.original_max_positions);
  }
}

}  // namespace

void serve_context(ModelConfig& config, int max_context) {
  limit_to_short_factors(config, max_context);
  if (max_context <= 0) max_context = config.max_positions;
  for (const RopeConfig& rope : config.ropes) {
    if (rope.scaling != Scaling::kDynamic || config.num_learned_positions > 0) continue;
    const double longest = static_cast<double>(rope.factor) * rope.original_max_positions;
    const auto served = static_cast<int>(std::min<double>(max_context, longest));
    config.max_positions = std::max(config.max_positions, served);
  }
  max_context = std::min(max_context, config.max_positions);
  for (RopeConfig& rope : config.ropes) {
    if (rope.scaling == Scaling::kDynamic || rope.scaling == Scaling::kLongRope) {
      rope.served_context = max_context;
    }
  }
}

std::vector<float> rope_inv_freq(const RopeConfig& rope, int head_dim) {
  const int rotary_dim = rope.rotary_dim > 0 ? rope.rotary_dim : head_dim;
  const bool is_dynamic = rope.scaling == Scaling::kDynamic;
  const std::vector<float> wavelengths =
      base_wavelengths(is_dynamic ? dynamic_theta(rope, rotary_dim) : rope.theta, rotary_dim);
  const std::vector<float>& factors = divisors(rope);
  std::vector<float> frequencies;
  for (size_t i = 0; i < wavelengths.size(); ++i) {
    const float divisor = factors.empty() ? 1.0f : factors.at(i);
    float inv_freq = 1.0f / (divisor * wavelengths[i]);
    const bool is_divided =
        rope.scaling == Scaling::kLinear || rope.scaling == Scaling::kProportional;
    if (is_divided) inv_freq /= rope.factor;
    if (rope.scaling == Scaling::kLlama3) inv_freq = scale_llama3(inv_freq, rope);
    frequencies.push_back(inv_freq);
  }
  if (rope.scaling == Scaling::kYarn) scale_yarn(frequencies, wavelengths, rope, rotary_dim);
  return frequencies;
}

float rope_attention_factor(const RopeConfig& rope) {
  const bool is_yarn = rope.scaling == Scaling::kYarn;
  if (!is_yarn && rope.scaling != Scaling::kLongRope) return 1.0f;
  if (rope.attention_factor > 0.0f) return rope.attention_factor;
  if (rope.factor <= 1.0f) return 1.0f;
  const double stretch = std::log(static_cast<double>(rope.factor));
  if (is_yarn) return static_cast<float>(0.1 * stretch + 1.0);
  return static_cast<float>(std::sqrt(1.0 + stretch / std::log(rope.original_max_positions)));
}

}  // namespace quire
