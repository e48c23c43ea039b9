#include "engine/models/layers/alt_up.h"

namespace quire {

AltUp::AltUp(const ModelConfig& config, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size),
      m_num_streams(config.alt_up.num_streams),
      m_active(config.alt_up.active) {
  const int64_t count = m_num_streams;
  m_router_norm = tensors.scaled_norm("altup_router_norm.weight", m_hidden_size,
                                      1.0 / static_cast<double>(m_hidden_size), config.norm_eps);
  m_router = tensors.linear({{"altup_router", count}}, m_hidden_size, false);
  m_prediction = tensors.linear({{"altup_predict_coef", count * count}}, count, false);
  m_correction = tensors.linear({{"altup_correct_coef", count}}, count, false);
  m_correction.bias = tensors.filled(count, 1.0f);
  m_minus_one = tensors.filled(1, -1.0f);
  if (config.alt_up.scales_corrected) {
    m_scale = tensors.vector("altup_correct_scale.weight", m_hidden_size);
  }
}

/// tanh(router(norm(x) / C)).
void AltUp::route(Backend& backend, const Buffers& at, ConstTensorView x) const {
  m_router_norm.apply(backend, at.normed, x);
  m_router.apply(backend, at.modalities, at.normed);
  backend.soft_cap(at.modalities, 1.0f);
}

void AltUp::predict(Backend& backend, Workspace& work, TensorView predicted,
                    ConstTensorView streams) const {
  const Workspace::Scope scope(work);
  const int64_t num_tokens = streams.dim(0);
  const Buffers at = take(work, num_tokens);
  route(backend, at, streams.columns(m_active * m_hidden_size, m_hidden_size));
  m_prediction.apply(backend, at.coefficients, at.modalities);
  CHECK(streams.row_stride() == m_num_streams * m_hidden_size);
  const ConstTensorView rows(streams.data(), DType::kF32,
                             {num_tokens * m_num_streams, m_hidden_size});
  for (int i = 0; i < m_num_streams; ++i) {
    backend.mix_experts(stream(predicted, i), rows,
                        at.coefficients.columns(i * m_num_streams, m_num_streams));
  }
  backend.add(predicted, streams);
}

void AltUp::correct(Backend& backend, Workspace& work, TensorView streams,
                    TensorView activated) const {
  const Workspace::Scope scope(work);
  const int64_t num_tokens = streams.dim(0);
  const Buffers at = take(work, num_tokens);
  route(backend, at, activated);
  const TensorView coefficients = at.coefficients.columns(0, m_num_streams);
  m_correction.apply(backend, coefficients, at.modalities);
  // The active stream is subtracted as its product with -1.
  backend.mix_experts(at.change, active(streams), m_minus_one.view.repeated(num_tokens));
  backend.add(at.change, activated);
  for (int i = 0; i < m_num_streams; ++i) {
    backend.mix_experts(at.part, at.change, coefficients.columns(i, 1));
    backend.add(stream(streams, i), at.part);
  }
  // A copy: the product with 1.
  const ConstTensorView one = m_correction.bias.view.rows(0, 1);
  backend.mix_experts(activated, active(streams), one.repeated(num_tokens));
  if (!m_scale.view.empty()) backend.multiply(activated, m_scale.view.repeated(num_tokens));
}

void AltUp::measure(Workspace& work, int64_t max_tokens) const {
  const Workspace::Scope scope(work);
  take(work, max_tokens);
}

void AltUp::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
  limits.activations.push_back({max_tokens, m_num_streams});
}

size_t AltUp::size_bytes() const {
  return m_router_norm.size_bytes() + m_router.size_bytes() + m_prediction.size_bytes() +
         m_correction.size_bytes() + m_minus_one.size_bytes() + m_scale.size_bytes();
}

AltUp::Buffers AltUp::take(Workspace& work, int64_t num_tokens) const {
  return {.normed = work.take(num_tokens, m_hidden_size),
          .modalities = work.take(num_tokens, m_num_streams),
          .coefficients = work.take(num_tokens, int64_t{m_num_streams} * m_num_streams),
          .change = work.take(num_tokens, m_hidden_size),
          .part = work.take(num_tokens, m_hidden_size)};
}

namespace {

ExpertLinears load_projections(const ModelConfig& config, WeightLoader& loader, const char* name) {
  const WeightLoader::Part part[] = {{name, config.hidden_size}};
  return loader.experts(part, config.alt_up.num_streams - 1, config.hidden_size, false);
}

}  // namespace

void AltUpEnds::load_first(const ModelConfig& config, WeightLoader& loader) {
  m_hidden_size = config.hidden_size;
  m_first = load_projections(config, loader, "altup_proj");
}

void AltUpEnds::load_last(const ModelConfig& config, WeightLoader& loader) {
  m_hidden_size = config.hidden_size;
  m_last = load_projections(config, loader, "altup_unembd_proj");
}

void AltUpEnds::spread(Backend& backend, TensorView streams) const {
  const TensorView first = streams.columns(0, m_hidden_size);
  for (size_t i = 0; i < m_first.views.size(); ++i) {
    const TensorView other =
        streams.columns(static_cast<int64_t>(i + 1) * m_hidden_size, m_hidden_size);
    backend.linear(other, first, *m_first.views[i], {});
    backend.match_magnitude(other, first);
  }
}

void AltUpEnds::merge(Backend& backend, Workspace& work, TensorView out, TensorView streams) const {
  const Workspace::Scope scope(work);
  const TensorView first = streams.columns(0, m_hidden_size);
  const TensorView sum = work.take(out.dim(0), m_hidden_size);
  for (size_t i = 0; i < m_last.views.size(); ++i) {
    const TensorView to = i == 0 ? sum : out;
    backend.linear(to, streams.columns(static_cast<int64_t>(i + 1) * m_hidden_size, m_hidden_size),
                   *m_last.views[i], {});
    backend.match_magnitude(to, first);
    // The first stream comes first in the sum.
    backend.add(i == 0 ? to : sum, i == 0 ? first : out);
  }
  backend.scale(sum, 1.0f / static_cast<float>(m_last.views.size() + 1));
  backend.copy(out.data(), sum.data(), static_cast<size_t>(sum.num_elements()) * sizeof(float));
}

void AltUpEnds::measure(Workspace& work, int64_t max_tokens) const {
  if (m_last.views.empty()) return;
  const Workspace::Scope scope(work);
  work.take(max_tokens, m_hidden_size);
}

void AltUpEnds::add_limits(StepLimits& limits, int64_t max_tokens) const {
  if (m_hidden_size > 0) limits.activations.push_back({max_tokens, m_hidden_size});
}

}  // namespace quire
