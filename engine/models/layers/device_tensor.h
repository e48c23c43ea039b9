#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "engine/models/layers/adapters.h"
#include "kernels/backend.h"

namespace quire {

/// A tensor in the backend's memory together with that memory. Empty by default.
struct DeviceTensor {
  std::unique_ptr<DeviceBuffer> buffer;
  TensorView view;

  size_t size_bytes() const { return buffer ? buffer->size_bytes() : 0; }
};

/// Errors: kOutOfMemory.
inline Result<DeviceTensor> allocate_tensor(Backend& backend, DType dtype,
                                            std::initializer_list<int64_t> shape) {
  int64_t count = 1;
  for (int64_t n : shape) count *= n;
  auto buffer = backend.allocate(static_cast<size_t>(dtype_span_bytes(dtype, count)));
  if (!buffer) return buffer.error();
  const TensorView view((*buffer)->data(), dtype, shape);
  return DeviceTensor{std::move(*buffer), view};
}

/// y = x W^T + bias; an empty bias adds nothing.
struct Linear {
  std::unique_ptr<LinearWeight> weight;
  DeviceTensor bias;                         ///< (N) f32.
  std::shared_ptr<LinearAdapters> adapters;  ///< Null where none can be added.

  /// Adds what adapters change. out: (T, N); x: (T, K). No aliasing.
  void apply(Backend& backend, TensorView out, ConstTensorView x) const {
    backend.linear(out, x, *weight, bias.view);
    if (adapters) adapters->apply(backend, out, x);
  }
  /// apply() and then Backend::glu, with their bits. The weight has 2 F outputs. out: (T, F) f32 or
  /// quantised activations; gate_up: (T, 2 F) f32 scratch, undefined afterwards. No aliasing.
  void apply_glu(Backend& backend, TensorView out, TensorView gate_up, ConstTensorView x,
                 const GluParams& params) const {
    if (!is_adapted()) return backend.linear_glu(out, gate_up, x, {*weight, bias.view, params});
    apply(backend, gate_up, x);
    backend.glu(out, gate_up, params);
  }
  /// The dtype in which x is read: as Backend::input_dtype, but f32 where adapters read it too.
  DType input_dtype(const Backend& backend) const {
    return is_adapted() ? DType::kF32 : backend.input_dtype(*weight);
  }
  bool is_adapted() const { return adapters && !adapters->updates().empty(); }
  size_t size_bytes() const { return (weight ? weight->size_bytes() : 0) + bias.size_bytes(); }
};

/// One projection of all experts of a layer.
struct ExpertLinears {
  std::vector<std::unique_ptr<LinearWeight>> weights;  ///< E of (N, K).
  std::vector<const LinearWeight*> views;              ///< The same, as Backend takes them.
  DeviceTensor biases;                                 ///< (E, N) f32; empty adds nothing.

  /// The dtype in which all of them read x; f32 if they differ.
  DType input_dtype(const Backend& backend) const {
    const DType first = backend.input_dtype(*views.front());
    for (const LinearWeight* weight : views) {
      if (backend.input_dtype(*weight) != first) return DType::kF32;
    }
    return first;
  }
  size_t size_bytes() const {
    size_t total = biases.size_bytes();
    for (const auto& weight : weights) total += weight->size_bytes();
    return total;
  }
};

}  // namespace quire
