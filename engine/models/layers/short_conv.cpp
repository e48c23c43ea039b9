#include "engine/models/layers/short_conv.h"

namespace quire {

ShortConv::ShortConv(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_index(index), m_hidden_size(config.hidden_size) {
  const RecurrentConfig& recurrent = config.recurrent;
  const int64_t C = m_hidden_size;
  m_input = tensors.linear({{"shortconv.in_proj", 3 * C}}, C, recurrent.has_bias);
  m_taps = tensors.parameters("shortconv.conv.weight", C, recurrent.conv_taps);
  if (recurrent.has_conv_bias) m_bias = tensors.vector("shortconv.conv.bias", C);
  m_output = tensors.linear({{"shortconv.out_proj", C}}, C, recurrent.has_bias);
}

LayerCache ShortConv::cache_of(const ModelConfig& config, int /*index*/) {
  return {.pages = {},
          .state = StateShape{.conv_rows = config.recurrent.conv_taps - 1,
                              .conv_width = config.hidden_size}};
}

void ShortConv::forward(const Step& step, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const Buffers at = take(step.work, in.dim(0), step.rows ? step.rows->dim(0) : 0);
  m_input.apply(backend, at.projected, in);
  const auto part = [&](int64_t index) {
    return at.projected.columns(index * m_hidden_size, m_hidden_size);
  };
  backend.multiply(part(2), part(0));
  backend.causal_conv(at.mixed, part(2), m_taps.view, m_bias.view, step.kv.state(m_index).conv,
                      step.batch.states, /*silu=*/false);
  backend.multiply(at.mixed, part(1));
  project(step, m_output, out, at.mixed, at.wanted);
}

void ShortConv::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  take(work, most.tokens, most.logits);
}

void ShortConv::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
}

size_t ShortConv::size_bytes() const {
  return m_input.size_bytes() + m_taps.size_bytes() + m_bias.size_bytes() + m_output.size_bytes();
}

ShortConv::Buffers ShortConv::take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const {
  return {.projected = work.take(num_tokens, 3 * m_hidden_size),
          .mixed = work.take(num_tokens, m_hidden_size),
          .wanted = work.take(num_wanted, m_hidden_size)};
}

}  // namespace quire
