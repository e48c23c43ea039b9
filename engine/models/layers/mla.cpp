#include "engine/models/layers/mla.h"

#include <algorithm>

namespace quire {

Mla::Mla(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_index(index),
      m_num_heads(config.num_heads),
      m_hidden_size(config.hidden_size),
      m_config(config.mla),
      m_params({.scale = config.attention_scale, .sliding_window = kept_window(config, index)}) {
  CHECK(config.attention_scale > 0.0f);
  if (config.layers[static_cast<size_t>(index)].scales_queries) m_query_scale = config.query_scale;
  load_queries(config, tensors);
  m_keys = tensors.linear({{.name = "attn_kv_a_mqa",
                            .num_outputs = key_dim(),
                            .head_dim = static_cast<int>(key_dim()),
                            .rotary_dim = m_config.rope_dim,
                            .rotated_last = true,
                            .rotated_in_pairs = m_config.rotates_pairs}},
                          m_hidden_size, config.qkv_bias);
  m_latent_norm =
      tensors.norm("attn_kv_a_norm", m_config.kv_rank, NormKind::kRms, m_config.norm_eps);
  load_heads(tensors);
  m_output = tensors.linear({{"attn_output", m_hidden_size}}, value_width(), config.output_bias);
}

void Mla::load_queries(const ModelConfig& config, LayerTensors& tensors) {
  const bool has_latent = m_config.q_rank > 0;
  if (has_latent) {
    m_query_latent =
        tensors.linear({{"attn_q_a", m_config.q_rank}}, m_hidden_size, config.qkv_bias);
    m_query_latent_norm =
        tensors.norm("attn_q_a_norm", m_config.q_rank, NormKind::kRms, m_config.norm_eps);
  }
  m_queries = tensors.linear({{.name = has_latent ? "attn_q_b" : "attn_q",
                               .num_outputs = m_num_heads * query_dim(),
                               .head_dim = static_cast<int>(query_dim()),
                               .rotary_dim = m_config.rope_dim,
                               .rotated_last = true,
                               .rotated_in_pairs = m_config.rotates_pairs}},
                             has_latent ? m_config.q_rank : m_hidden_size, false);
}

/// From a tensor of each projection with its heads' matrices, the keys' transposed already, or from
/// one tensor whose rows are each head's keys and values.
void Mla::load_heads(LayerTensors& tensors) {
  const auto heads = static_cast<int>(m_num_heads);
  const int64_t nope = m_config.nope_dim, value = m_config.value_dim, latent = m_config.kv_rank;
  if (tensors.has("attn_k_b")) {
    m_to_latent = tensors.experts({{"attn_k_b", latent}}, heads, nope, false);
    m_to_values = tensors.experts({{"attn_v_b", value}}, heads, latent, false);
    return;
  }
  WeightLoader::HeadRows rows = {
      .num_heads = heads, .rows_per_head = nope + value, .first = 0, .count = nope};
  rows.transposed = true;
  m_to_latent = tensors.heads("attn_kv_b", rows, latent);
  rows = {.num_heads = heads, .rows_per_head = nope + value, .first = nope, .count = value};
  m_to_values = tensors.heads("attn_kv_b", rows, latent);
}

LayerCache Mla::cache_of(const ModelConfig& config, int /*index*/) {
  const MlaConfig& mla = config.mla;
  return {.pages = PagesShape{.num_kv_heads = 1,
                              .head_dim = mla.rope_dim + mla.kv_rank,
                              .value_dim = mla.kv_rank},
          .state = {}};
}

DType Mla::input_dtype(const Backend& backend) const {
  const Linear& queries = m_config.q_rank > 0 ? m_query_latent : m_queries;
  const DType dtype = m_keys.input_dtype(backend);
  return queries.input_dtype(backend) == dtype ? dtype : DType::kF32;
}

void Mla::forward(const Step& step, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const int64_t num_wanted = step.rows ? step.rows->dim(0) : 0;
  const Buffers at = take(step.work, in.dim(0), num_wanted);
  const int64_t latent_dim = m_config.kv_rank;
  m_keys.apply(backend, at.keys, in);
  const TensorView latent = at.keys.columns(m_config.rope_dim, latent_dim);
  m_latent_norm.apply(backend, latent, latent);
  compute_queries(backend, at, in);
  const TensorView queries = at.absorbed.split_columns(key_dim());
  const KvLayerView pages = step.kv.layer(m_index);
  backend.rope_and_store(queries, at.keys.split_columns(key_dim()),
                         latent.split_columns(latent_dim), step.cos_sin, step.slot_mapping(m_index),
                         pages);
  if (step.rows && num_wanted == 0) return;
  if (!at.scales.empty()) {
    backend.position_scales(at.scales, step.batch.positions, m_query_scale);
    backend.multiply(at.absorbed, at.scales);
  }
  backend.attention(at.attended.split_columns(latent_dim), queries, pages, step.attention(m_index),
                    m_params);
  if (step.rows) backend.gather_rows(at.wanted, at.attended, *step.rows);
  const TensorView attended = step.rows ? at.wanted : at.attended;
  const TensorView values = at.values.rows(0, attended.dim(0));
  backend.linear_heads(values.split_columns(m_config.value_dim), attended.split_columns(latent_dim),
                       m_to_values.views);
  m_output.apply(backend, out, values);
}

/// Fills at.absorbed, not rotated yet.
void Mla::compute_queries(Backend& backend, const Buffers& at, ConstTensorView in) const {
  if (m_config.q_rank > 0) {
    m_query_latent.apply(backend, at.query_latent, in);
    m_query_latent_norm.apply(backend, at.query_latent, at.query_latent);
    m_queries.apply(backend, at.queries, at.query_latent);
  } else {
    m_queries.apply(backend, at.queries, in);
  }
  backend.linear_heads(at.absorbed.split_columns(key_dim()), at.queries.split_columns(query_dim()),
                       m_to_latent.views);
}

void Mla::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  take(work, most.tokens, most.logits);
}

void Mla::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.num_heads = m_num_heads;
  limits.num_kv_heads = 1;
  limits.head_dim = key_dim();
  limits.value_dim = m_config.kv_rank;
  const int64_t of_heads = max_tokens * m_num_heads;
  for (const auto& [rows, inputs] :
       {std::pair{max_tokens, m_hidden_size}, std::pair{max_tokens, int64_t{m_config.q_rank}},
        std::pair{of_heads, int64_t{m_config.nope_dim}},
        std::pair{of_heads, int64_t{m_config.kv_rank}}, std::pair{max_tokens, value_width()}}) {
    limits.activations.push_back({rows, inputs});
  }
}

size_t Mla::size_bytes() const {
  return m_query_latent.size_bytes() + m_query_latent_norm.size_bytes() + m_queries.size_bytes() +
         m_keys.size_bytes() + m_latent_norm.size_bytes() + m_to_latent.size_bytes() +
         m_to_values.size_bytes() + m_output.size_bytes();
}

Mla::Buffers Mla::take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const {
  const int64_t latents = m_num_heads * m_config.kv_rank;
  return {
      .query_latent = m_config.q_rank > 0 ? work.take(num_tokens, m_config.q_rank) : TensorView(),
      .queries = work.take(num_tokens, m_num_heads * query_dim()),
      .keys = work.take(num_tokens, key_dim()),
      .absorbed = work.take(num_tokens, m_num_heads * key_dim()),
      .attended = work.take(num_tokens, latents),
      .wanted = work.take(num_wanted, latents),
      .values = work.take(std::max(num_tokens, num_wanted), value_width()),
      .scales = m_query_scale.beta != 0.0f ? work.take(num_tokens, 1) : TensorView()};
}

}  // namespace quire
