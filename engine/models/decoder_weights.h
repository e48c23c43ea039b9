#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

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
  DeviceTensor bias;  ///< (N) f32.

  size_t size_bytes() const { return (weight ? weight->size_bytes() : 0) + bias.size_bytes(); }
};

/// One projection of all experts of a layer.
struct ExpertLinears {
  std::vector<std::unique_ptr<LinearWeight>> weights;  ///< E of (N, K).
  std::vector<const LinearWeight*> views;              ///< The same, as Backend takes them.
  DeviceTensor biases;                                 ///< (E, N) f32; empty adds nothing.

  size_t size_bytes() const;
};

/// A mixture of experts.
struct ExpertWeights {
  Linear router;          ///< (E, C).
  ExpertLinears gate_up;  ///< (2 F, C): the gate first.
  ExpertLinears down;     ///< (C, F).
};

/// One layer's weights. Those that a layer lacks are empty: ModelConfig::norm_placement says which
/// norms it has, and it has either experts or an MLP.
struct LayerWeights {
  DeviceTensor attention_norm;       ///< (C) f32, of what enters attention.
  Linear qkv;                        ///< ((H + 2 Hkv) D, C): queries, keys, values.
  DeviceTensor query_norm;           ///< (D) or (H D) f32.
  DeviceTensor key_norm;             ///< (D) or (Hkv D) f32.
  DeviceTensor sinks;                ///< (H) f32.
  Linear output;                     ///< (C, H D).
  DeviceTensor post_attention_norm;  ///< (C) f32, of what leaves attention.
  DeviceTensor mlp_norm;             ///< (C) f32, of what enters the MLP.
  Linear gate_up;                    ///< (2 F, C): the gate first.
  Linear down;                       ///< (C, F).
  ExpertWeights experts;
  DeviceTensor post_mlp_norm;  ///< (C) f32, of what leaves the MLP.

  size_t size_bytes() const;
};

/// The weights of a decoder-only transformer with gated MLPs, in the backend's memory.
struct DecoderWeights {
  std::unique_ptr<LinearWeight> embedding;  ///< (V, C).
  std::unique_ptr<LinearWeight> lm_head;    ///< (V, C); null with tied embeddings.
  std::vector<LayerWeights> layers;
  DeviceTensor final_norm;  ///< (C) f32.

  /// The projection of hidden states to logits.
  const LinearWeight& head() const { return lm_head ? *lm_head : *embedding; }

  size_t size_bytes() const;
};

}  // namespace quire
