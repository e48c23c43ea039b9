#pragma once

#include "engine/models/layers/device_tensor.h"

namespace quire {

/// A root mean square norm (arXiv:1910.07467) with its weight; one without a weight does not exist
/// and does nothing.
class Norm {
 public:
  Norm() = default;
  Norm(DeviceTensor weight, float eps) : m_weight(std::move(weight)), m_eps(eps) {}

  bool exists() const { return !m_weight.view.empty(); }
  /// out, x: (T, C), or (T, H, D) with a weight (D); may alias.
  void apply(Backend& backend, TensorView out, ConstTensorView x) const {
    if (exists()) backend.rms_norm(out, x, m_weight.view, m_eps);
  }
  /// residual += delta, then out = the norm of it; out stays as it is if there is no norm. All
  /// (T, C); out may alias delta.
  void add_and_apply(Backend& backend, TensorView out, TensorView residual,
                     ConstTensorView delta) const {
    if (!exists()) return backend.add(residual, delta);
    backend.add_rms_norm(out, residual, delta, m_weight.view, m_eps);
  }
  size_t size_bytes() const { return m_weight.size_bytes(); }

 private:
  DeviceTensor m_weight;  ///< (C), or (D) for heads; f32.
  float m_eps = 0.0f;
};

}  // namespace quire
