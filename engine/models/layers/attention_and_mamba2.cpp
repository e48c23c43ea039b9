#include "engine/models/layers/attention_and_mamba2.h"

namespace quire {

AttentionAndMamba2::AttentionAndMamba2(const ModelConfig& config, int index, LayerTensors& tensors)
    : m_hidden_size(config.hidden_size),
      m_scales(config.block_scales),
      m_attention(config, index, tensors),
      m_mamba2(config, index, tensors) {}

LayerCache AttentionAndMamba2::cache_of(const ModelConfig& config, int index) {
  return {.pages = Attention::cache_of(config, index).pages,
          .state = Mamba2::cache_of(config, index).state};
}

DType AttentionAndMamba2::input_dtype(const Backend& backend) const {
  const DType dtype = m_attention.input_dtype(backend);
  return m_mamba2.input_dtype(backend) == dtype ? dtype : DType::kF32;
}

void AttentionAndMamba2::forward(const Step& step, TensorView out, ConstTensorView in) const {
  const Workspace::Scope scope(step.work);
  Backend& backend = step.backend;
  const TensorView attended = step.work.take(out.dim(0), m_hidden_size);
  // Attention runs first because out may alias in.
  m_attention.forward(step, attended, in);
  m_mamba2.forward(step, out, in);
  if (out.dim(0) == 0) return;
  if (m_scales.attention != 1.0f) backend.scale(attended, m_scales.attention);
  if (m_scales.mamba2 != 1.0f) backend.scale(out, m_scales.mamba2);
  backend.add(out, attended);
}

void AttentionAndMamba2::measure(Workspace& work, const MaxRows& most) const {
  const Workspace::Scope scope(work);
  work.take(most.tokens, m_hidden_size);
  m_attention.measure(work, most);
  m_mamba2.measure(work, most);
}

void AttentionAndMamba2::add_limits(StepLimits& limits, int64_t max_tokens) const {
  m_attention.add_limits(limits, max_tokens);
  m_mamba2.add_limits(limits, max_tokens);
}

}  // namespace quire
