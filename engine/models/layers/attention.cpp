#include "engine/models/layers/attention.h"

#include <cmath>

namespace quire {
namespace {

AttentionParams params_of(const ModelConfig& config, int index) {
  const int head_dim = head_dim_of(config, index);
  const float scale = config.attention_scale > 0.0f
                          ? config.attention_scale
                          : 1.0f / std::sqrt(static_cast<float>(head_dim));
  return {.scale = scale,
          .sliding_window = kept_window(config, index),
          .chunk_size = config.layers[static_cast<size_t>(index)].chunk_size,
          .soft_cap = config.attention_soft_cap};
}

/// Rows without gaps (T, H D) as (T H, D).
TensorView head_rows(TensorView x, int64_t head_dim) {
  CHECK(x.row_stride() == x.dim(1) && x.dim(1) % head_dim == 0);
  return {x.data(), x.dtype(), {x.num_elements() / head_dim, head_dim}};
}

bool has_own_cache(const ModelConfig& config, int index) {
  return config.layers[static_cast<size_t>(index)].cache_layer < 0;
}

}  // namespace

Attention::Attention(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_index(index),
      m_num_heads(config.num_heads),
      m_num_kv_heads(has_own_cache(config, index) ? num_kv_heads_of(config, index) : 0),
      m_head_dim(head_dim_of(config, index)),
      m_hidden_size(config.hidden_size),
      m_norms_whole_rows(config.qk_norm == QkNorm::kWhole),
      m_gates_in_queries(config.gates_in_queries),
      m_gates_whole_heads(config.gates_whole_heads),
      m_values_are_keys(config.layers[static_cast<size_t>(index)].values_are_keys),
      m_norms_rotated(config.norms_after_rotation),
      m_params(params_of(config, index)) {
  const LayerConfig& layer = config.layers[static_cast<size_t>(index)];
  if (layer.scales_queries) m_query_scale = config.query_scale;
  const int64_t q = query_width();
  const int rotary =
      layer.rope < 0 ? 0 : config.ropes.at(static_cast<size_t>(layer.rope)).rotary_dim;
  m_qkv = tensors.linear(parts(tensors, rotary), m_hidden_size, config.qkv_bias);
  if (config.has_output_gate && !m_gates_in_queries)
    m_gate = tensors.linear({{"attn_gate", gate_width()}}, m_hidden_size, false);
  m_output = tensors.linear({{"attn_output", m_hidden_size}}, q, config.output_bias);
  if (config.has_sinks) m_sinks = tensors.vector("attn_sinks.weight", m_num_heads);
  m_params.sinks = m_sinks.view;
  if (layer.rope >= 0 || !m_norms_rotated) load_norms(config, tensors);
  // The norm of values is what copies them from the keys, before those are normed or rotated.
  CHECK(!m_values_are_keys || (config.norms_values && !m_norms_rotated));
}

/// The rows of m_qkv.
std::vector<LayerTensors::Part> Attention::parts(const LayerTensors& tensors,
                                                 int rotary_dim) const {
  const int64_t q = query_width(), kv = kv_width();
  if (tensors.has("attn_qkv") && m_num_kv_heads > 0 && !m_values_are_keys) {
    return {{.name = "attn_qkv",
             .num_outputs = q + 2 * kv,
             .head_dim = m_head_dim,
             .is_fused_qkv = true}};
  }
  LayerTensors::Part queries = {"attn_q", q, m_head_dim, rotary_dim};
  if (m_gates_in_queries) {
    queries.num_outputs = 2 * q;
    queries.group_widths = {m_head_dim, m_head_dim};
  }
  std::vector<LayerTensors::Part> list = {queries};
  if (m_num_kv_heads == 0) return list;
  list.push_back({"attn_k", kv, m_head_dim, rotary_dim});
  if (!m_values_are_keys) list.push_back({"attn_v", kv});
  return list;
}

LayerCache Attention::cache_of(const ModelConfig& config, int index) {
  const int other = config.layers[static_cast<size_t>(index)].cache_layer;
  if (other >= 0) return {.pages = {}, .state = {}, .reads = other};
  return {.pages = PagesShape{num_kv_heads_of(config, index), head_dim_of(config, index)},
          .state = {}};
}

void Attention::load_norms(const ModelConfig& config, LayerTensors& tensors) {
  const float eps = config.norm_eps;
  const bool has_keys = m_num_kv_heads > 0;
  if (config.norms_values && has_keys) m_v_norm = tensors.unweighted_norm(m_head_dim, eps);
  if (config.qk_norm == QkNorm::kNone) return;
  if (config.qk_norm == QkNorm::kUnweighted) {
    m_q_norm = tensors.unweighted_norm(m_head_dim, eps);
    if (has_keys) m_k_norm = tensors.unweighted_norm(m_head_dim, eps);
    return;
  }
  const NormKind kind = config.norm == NormKind::kRms ? NormKind::kRms : NormKind::kLayer;
  m_q_norm =
      tensors.norm("attn_q_norm", m_norms_whole_rows ? query_width() : m_head_dim, kind, eps);
  if (!has_keys) return;
  m_k_norm = tensors.norm("attn_k_norm", m_norms_whole_rows ? kv_width() : m_head_dim, kind, eps);
}

DType Attention::input_dtype(const Backend& backend) const {
  const DType dtype = m_qkv.input_dtype(backend);
  if (m_gate.weight && m_gate.input_dtype(backend) != dtype) return DType::kF32;
  return dtype;
}

void Attention::forward(const Step& step, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const MaxRows rows = {in.dim(0), step.rows ? step.rows->dim(0) : 0};
  const Buffers at = take(step.work, rows, attended_dtype(backend));
  m_qkv.apply(backend, at.qkv.columns(0, projected_width()), in);
  if (!m_norms_rotated) norm_heads(backend, at.qkv);
  const KvLayerView pages = step.kv.layer(m_index);
  rotate_and_store(step, at.qkv, pages);
  if (step.rows && step.rows->dim(0) == 0) return;
  if (m_gate.weight) m_gate.apply(backend, at.gates, in);
  if (!at.scales.empty()) {
    backend.position_scales(at.scales, step.batch.positions, m_query_scale);
    backend.multiply(at.qkv.columns(0, query_width()), at.scales);
  }
  backend.attention(at.attended.split_columns(m_head_dim), split(at.qkv).queries, pages,
                    step.attention(m_index), m_params);
  if (has_gate()) gate(backend, at);
  project(step, m_output, out, at.attended, at.wanted);
}

void Attention::gate(Backend& backend, const Buffers& at) const {
  if (!m_gates_whole_heads) return backend.gate(at.attended, at.gates);
  backend.gate(head_rows(at.attended, m_head_dim), head_rows(at.gates, 1));
}

void Attention::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  take(work, most, DType::kF32);
}

void Attention::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, query_width()});
}

size_t Attention::size_bytes() const {
  return m_qkv.size_bytes() + m_gate.size_bytes() + m_q_norm.size_bytes() + m_k_norm.size_bytes() +
         m_v_norm.size_bytes() + m_sinks.size_bytes() + m_output.size_bytes();
}

/// A gate reads what was attended to, and attention writes i8 only of heads of whole groups.
DType Attention::attended_dtype(const Backend& backend) const {
  const DType dtype = m_output.input_dtype(backend);
  const bool has_groups = m_head_dim % kQuantizedRowGroup == 0;
  return has_gate() || (dtype == DType::kI8 && !has_groups) ? DType::kF32 : dtype;
}

Attention::Buffers Attention::take(Workspace& work, const MaxRows& rows, DType attended) const {
  const int64_t num_tokens = rows.tokens;
  const int64_t q = query_width();
  const TensorView qkv = work.take(num_tokens, kv_offset() + 2 * kv_width());
  TensorView gates;
  if (m_gates_in_queries) gates = qkv.columns(q, q);
  if (m_gate.weight) gates = work.take(num_tokens, gate_width());
  return {.qkv = qkv,
          .gates = gates,
          .attended = work.take_input(num_tokens, query_width(), attended),
          .wanted = work.take_input(rows.logits, query_width(), attended),
          .scales = m_query_scale.beta != 0.0f ? work.take(num_tokens, 1) : TensorView()};
}

void Attention::rotate_and_store(const Step& step, TensorView qkv, KvLayerView pages) const {
  Backend& backend = step.backend;
  const Heads heads = split(qkv);
  ConstTensorView cos_sin = step.cos_sin;
  if (m_norms_rotated) {
    backend.rope_and_store(heads.queries, heads.keys, heads.values, cos_sin, {}, pages);
    norm_heads(backend, qkv);
    cos_sin = cos_sin.columns(0, 0);
  }
  backend.rope_and_store(heads.queries, heads.keys, heads.values, cos_sin,
                         step.slot_mapping(m_index), pages);
}

Attention::Heads Attention::split(TensorView qkv) const {
  const auto heads = [&](int64_t begin, int64_t count) {
    return qkv.columns(begin, count).split_columns(m_head_dim);
  };
  const int64_t keys = kv_offset(), kv = kv_width();
  return {heads(0, query_width()), heads(keys, kv), heads(keys + kv, kv)};
}

/// Norms the values first, because values that are keys are those before the norm of the keys.
void Attention::norm_heads(Backend& backend, TensorView qkv) const {
  const Heads heads = split(qkv);
  const TensorView queries = m_norms_whole_rows ? qkv.columns(0, query_width()) : heads.queries;
  const TensorView keys = m_norms_whole_rows ? qkv.columns(kv_offset(), kv_width()) : heads.keys;
  m_v_norm.apply(backend, heads.values, m_values_are_keys ? heads.keys : heads.values);
  m_q_norm.apply(backend, queries, queries);
  m_k_norm.apply(backend, keys, keys);
}

}  // namespace quire
