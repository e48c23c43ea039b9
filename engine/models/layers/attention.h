#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// Grouped-query attention (arXiv:2305.13245) with rotary positions over paged keys and values. A
/// layer that reads another layer's pages has queries alone.
class Attention final : public Mixer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  Attention(const ModelConfig& config, int index, LayerTensors& tensors);

  static LayerCache cache_of(const ModelConfig& config, int index);

  DType input_dtype(const Backend& backend) const override;
  void forward(const Step& step, TensorView out, ConstTensorView in) const override;
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    /// (T, (H + 2 Hkv) D): queries, their gates if stored so, keys, values; Hkv is 0 for a layer
    /// that reads another layer's pages.
    TensorView qkv;
    /// (T, H D), maybe within qkv, or (T, H) of whole heads; empty without an output gate.
    TensorView gates;
    TensorView attended;  ///< (T, H D), in f32 or as quantised activations.
    TensorView wanted;    ///< (R, H D): the wanted rows of attended.
    TensorView scales;    ///< (T, 1): of the queries; empty if they are not scaled.
  };
  /// The queries, keys and values (T, heads, D) within qkv.
  struct Heads {
    TensorView queries, keys, values;
  };

  int64_t query_width() const { return int64_t{1} * m_num_heads * m_head_dim; }
  int64_t kv_width() const { return int64_t{1} * m_num_kv_heads * m_head_dim; }
  /// Where keys begin in qkv.
  int64_t kv_offset() const { return (m_gates_in_queries ? 2 : 1) * query_width(); }
  bool has_gate() const { return m_gates_in_queries || m_gate.weight != nullptr; }
  /// The numbers of a token's gate.
  int64_t gate_width() const { return m_gates_whole_heads ? m_num_heads : query_width(); }
  /// Columns of qkv that the projection fills: all, but for values that are keys.
  int64_t projected_width() const { return kv_offset() + (m_values_are_keys ? 1 : 2) * kv_width(); }
  std::vector<LayerTensors::Part> parts(const LayerTensors& tensors, int rotary_dim) const;
  DType attended_dtype(const Backend& backend) const;
  Buffers take(Workspace& work, const MaxRows& rows, DType attended) const;
  Heads split(TensorView qkv) const;
  void load_norms(const ModelConfig& config, LayerTensors& tensors);
  void norm_heads(Backend& backend, TensorView qkv) const;
  void gate(Backend& backend, const Buffers& at) const;
  void rotate_and_store(const Step& step, TensorView qkv, KvLayerView pages) const;

  int m_index;
  int m_num_heads, m_num_kv_heads, m_head_dim;  ///< Of KV heads: those that it projects.
  int64_t m_hidden_size;
  bool m_norms_whole_rows;
  bool m_gates_in_queries;
  bool m_gates_whole_heads;
  bool m_values_are_keys;
  bool m_norms_rotated;  ///< Queries and keys are normed once they are rotated.
  PositionScale m_query_scale;
  AttentionParams m_params;
  Linear m_qkv;          ///< ((H + 2 Hkv) D, C), or ((2 H + 2 Hkv) D, C) with gates.
  Linear m_gate;         ///< (H D, C) or (H, C): of the output, or empty.
  Norm m_q_norm;         ///< (D) or (H D).
  Norm m_k_norm;         ///< (D) or (Hkv D).
  Norm m_v_norm;         ///< (D), or empty.
  DeviceTensor m_sinks;  ///< (H) f32.
  Linear m_output;       ///< (C, H D).
};

}  // namespace quire
