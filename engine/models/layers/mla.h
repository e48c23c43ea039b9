#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// Multi-head latent attention (arXiv:2405.04434, section 2.1). The cache keeps of each token one
/// latent row (L) and one rotated key part (R), which all heads share: pages of one KV head whose
/// keys are [rotated part, latent] and whose values are the latent.
///
/// Computed in its absorbed form alone (appendix C of the same paper), so that decode and prefill
/// give a row the same bits: a query's part without rotation goes through its head's key projection
/// once, instead of every latent, and what is attended goes through the value projection.
class Mla final : public Mixer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  Mla(const ModelConfig& config, int index, LayerTensors& tensors);

  static LayerCache cache_of(const ModelConfig& config, int index);

  DType input_dtype(const Backend& backend) const override;
  void forward(const Step& step, TensorView out, ConstTensorView in) const override;
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView query_latent;  ///< (T, Q); empty if queries have none.
    TensorView queries;       ///< (T, H (R + Dn)): each head's rotated part, then the other one.
    TensorView keys;          ///< (T, R + L): the rotated part, then the latent.
    TensorView absorbed;      ///< (T, H (R + L)): the queries that meet keys.
    TensorView attended;      ///< (T, H L).
    TensorView wanted;        ///< (W, H L): the wanted rows of attended.
    TensorView values;        ///< (T or W, H Dv).
    TensorView scales;        ///< (T, 1): of the queries; empty if they are not scaled.
  };

  int64_t query_dim() const { return m_config.rope_dim + m_config.nope_dim; }
  int64_t key_dim() const { return m_config.rope_dim + m_config.kv_rank; }
  int64_t value_width() const { return m_num_heads * m_config.value_dim; }
  Buffers take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const;
  void load_queries(const ModelConfig& config, LayerTensors& tensors);
  void load_heads(LayerTensors& tensors);
  void compute_queries(Backend& backend, const Buffers& at, ConstTensorView in) const;

  int m_index;
  int64_t m_num_heads, m_hidden_size;
  MlaConfig m_config;
  AttentionParams m_params;
  PositionScale m_query_scale;
  Linear m_query_latent;      ///< (Q, C), or empty.
  Norm m_query_latent_norm;   ///< (Q), or empty.
  Linear m_queries;           ///< (H (R + Dn), Q or C).
  Linear m_keys;              ///< (R + L, C).
  Norm m_latent_norm;         ///< (L).
  ExpertLinears m_to_latent;  ///< H of (L, Dn): a head's key projection, transposed.
  ExpertLinears m_to_values;  ///< H of (Dv, L).
  Linear m_output;            ///< (C, H Dv).
};

}  // namespace quire
