#include "engine/models/layers/per_layer_embeddings.h"

#include <algorithm>
#include <cmath>

namespace quire {

PerLayerEmbeddings::PerLayerEmbeddings(const ModelConfig& config, WeightLoader& loader)
    : m_hidden_size(config.hidden_size), m_width(config.per_layer.width) {
  const int64_t columns = int64_t{config.num_layers} * m_width;
  m_table = loader.padded_table("per_layer_token_embd.weight", config.per_layer.table_rows,
                                config.vocab_size, columns);
  const WeightLoader::Part projection[] = {{"per_layer_model_proj.weight", columns}};
  m_projection = loader.linear(projection, m_hidden_size);
  m_norm = loader.norm("per_layer_proj_norm", m_width, NormKind::kRms, config.norm_eps);
}

void PerLayerEmbeddings::compute(Backend& backend, Workspace& work, TensorView out,
                                 ConstTensorView x, ConstTensorView ids) const {
  const Workspace::Scope scope(work);
  const TensorView rows = work.take(out.dim(0), out.dim(1));
  const auto root = [](int64_t n) { return std::sqrt(static_cast<double>(n)); };
  backend.linear(out, x, *m_projection, {});
  backend.scale(out, static_cast<float>(1.0 / root(m_hidden_size)));
  m_norm.apply(backend, out.split_columns(m_width), out.split_columns(m_width));
  backend.embed(rows, *m_table, ids, static_cast<float>(root(m_width)));
  backend.add(out, rows);
  backend.scale(out, static_cast<float>(1.0 / root(2)));
}

void PerLayerEmbeddings::measure(Workspace& work, int64_t max_tokens) const {
  if (!m_table) return;
  const Workspace::Scope scope(work);
  work.take(max_tokens, m_table->num_inputs());
}

void PerLayerEmbeddings::add_limits(StepLimits& limits, int64_t max_tokens) const {
  if (m_projection) limits.activations.push_back({max_tokens, m_hidden_size});
}

size_t PerLayerEmbeddings::size_bytes() const {
  if (!m_table) return 0;
  return m_table->size_bytes() + m_projection->size_bytes() + m_norm.size_bytes();
}

}  // namespace quire
