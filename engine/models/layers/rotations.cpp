#include "engine/models/layers/rotations.h"

#include <algorithm>

#include "engine/models/rope.h"

namespace quire {

Result<Rotations> Rotations::create(Backend& backend, const ModelConfig& config) {
  Rotations rotations;
  for (const RopeConfig& rope : config.ropes) {
    const std::vector<float> inv_freq = rope_inv_freq(rope, config.head_dim);
    auto added = rotations.add(backend, inv_freq, rope_attention_factor(rope));
    if (!added) return added.error();
  }
  const auto does_not_rotate = [](const LayerConfig& layer) { return layer.rope < 0; };
  if (std::ranges::none_of(config.layers, does_not_rotate)) return rotations;
  // One pair of dimensions, by an angle of 0.
  if (auto added = rotations.add(backend, {0.0f}, 1.0f); !added) return added.error();
  return rotations;
}

Result<void> Rotations::add(Backend& backend, const std::vector<float>& inv_freq,
                            float attention_factor) {
  auto tensor = allocate_tensor(backend, DType::kF32, {static_cast<int64_t>(inv_freq.size())});
  if (!tensor) return tensor.error();
  backend.upload(tensor->view.data(), inv_freq.data(), inv_freq.size() * sizeof(float));
  m_rotations.push_back({.inv_freq = std::move(*tensor), .attention_factor = attention_factor});
  return backend.synchronize();
}

void Rotations::compute(Backend& backend, Workspace& work, ConstTensorView positions) {
  for (Rotation& rotation : m_rotations) {
    rotation.cos_sin = work.take(positions.dim(0), 2 * rotation.inv_freq.view.dim(0));
    backend.rope_cos_sin(rotation.cos_sin, positions, rotation.inv_freq.view,
                         rotation.attention_factor);
  }
}

void Rotations::measure(Workspace& work, int64_t max_tokens) const {
  for (const Rotation& rotation : m_rotations) {
    work.take(max_tokens, 2 * rotation.inv_freq.view.dim(0));
  }
}

ConstTensorView Rotations::cos_sin(int rope) const {
  return rope < 0 ? m_rotations.back().cos_sin : m_rotations.at(static_cast<size_t>(rope)).cos_sin;
}

}  // namespace quire
