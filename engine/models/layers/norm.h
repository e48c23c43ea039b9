#pragma once

#include <utility>

#include "engine/models/layers/device_tensor.h"

namespace quire {

/// A norm of rows with its weight: RMSNorm, or LayerNorm with or without a bias. One without a
/// weight does not exist and does nothing.
class Norm {
 public:
  Norm() = default;
  /// RMSNorm.
  Norm(DeviceTensor weight, float eps) : m_weight(std::move(weight)), m_eps(eps) {}
  /// LayerNorm; the bias may be empty.
  Norm(DeviceTensor weight, DeviceTensor bias, float eps)
      : m_weight(std::move(weight)), m_bias(std::move(bias)), m_eps(eps), m_subtracts_mean(true) {}

  bool exists() const { return !m_weight.view.empty(); }
  /// out, x: (T, C), or (T, H, D) with a weight (D); may alias. Or out: quantised activations (T,
  /// C) that do not.
  void apply(Backend& backend, TensorView out, ConstTensorView x) const {
    if (!exists()) return;
    if (m_subtracts_mean) return backend.layer_norm(out, x, m_weight.view, m_bias.view, m_eps);
    backend.rms_norm(out, x, m_weight.view, m_eps);
  }
  /// residual += delta, then out = the norm of it; out stays as it is if there is no norm. All
  /// (T, C); out may alias delta, or is quantised activations that do not.
  void add_and_apply(Backend& backend, TensorView out, TensorView residual,
                     ConstTensorView delta) const {
    if (exists() && !m_subtracts_mean) {
      return backend.add_rms_norm(out, residual, delta, m_weight.view, m_eps);
    }
    backend.add(residual, delta);
    apply(backend, out, residual);
  }
  size_t size_bytes() const { return m_weight.size_bytes() + m_bias.size_bytes(); }

 private:
  DeviceTensor m_weight;  ///< (C), or (D) for heads; f32.
  DeviceTensor m_bias;    ///< As m_weight, or empty.
  float m_eps = 0.0f;
  bool m_subtracts_mean = false;
};

}  // namespace quire
