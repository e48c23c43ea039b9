#pragma once

#include "engine/models/layers/layer_tensors.h"
#include "engine/models/layers/workspace.h"
#include "engine/models/model_config.h"

namespace quire {

/// One layer's alternating updates (AltUp, arXiv:2301.13310; Gemma 3n): of N streams the layer
/// computes the active one. Before it all streams are predicted from all, after it they are
/// corrected by what it added to its own.
class AltUp {
 public:
  /// Errors stay in the tensors' loader.
  AltUp(const ModelConfig& config, LayerTensors& tensors);

  /// predicted = streams + coefficients streams. Both (T, N C) f32, dense; no aliasing.
  void predict(Backend& backend, Workspace& work, TensorView predicted,
               ConstTensorView streams) const;
  /// Adds (activated - the active stream) times a coefficient of each stream to it. streams:
  /// (T, N C) f32; activated: (T, C), becomes the active stream after its correction, scaled.
  void correct(Backend& backend, Workspace& work, TensorView streams, TensorView activated) const;
  /// One of the streams: columns of (T, N C).
  TensorView stream(TensorView streams, int index) const {
    return streams.columns(int64_t{index} * m_hidden_size, m_hidden_size);
  }
  TensorView active(TensorView streams) const { return stream(streams, m_active); }

  void measure(Workspace& work, int64_t max_tokens) const;
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t size_bytes() const;

 private:
  struct Buffers {
    TensorView normed;        ///< (T, C).
    TensorView modalities;    ///< (T, N).
    TensorView coefficients;  ///< (T, N N), or its first N columns.
    TensorView change;        ///< (T, C).
    TensorView part;          ///< (T, C).
  };
  Buffers take(Workspace& work, int64_t num_tokens) const;
  void route(Backend& backend, const Buffers& at, ConstTensorView x) const;

  int64_t m_hidden_size;
  int m_num_streams, m_active;
  Norm m_router_norm;   ///< (C).
  Linear m_router;      ///< (N, C).
  Linear m_prediction;  ///< (N N, N).
  Linear m_correction;  ///< (N, N), and a bias of ones.
  DeviceTensor m_minus_one;
  DeviceTensor m_scale;  ///< (C) f32, or empty.
};

/// The first and the last step of a model with AltUp: streams from embeddings, and their mean.
class AltUpEnds {
 public:
  /// Of a model without.
  AltUpEnds() = default;
  /// Loads what the stages need of the two. Errors stay in the loader.
  void load_first(const ModelConfig& config, WeightLoader& loader);
  void load_last(const ModelConfig& config, WeightLoader& loader);

  /// Fills the other streams from the first. streams: (T, N C) f32, dense.
  void spread(Backend& backend, TensorView streams) const;
  /// out = the mean of all streams, projected and as large as the first. out: (T, C) f32.
  void merge(Backend& backend, Workspace& work, TensorView out, TensorView streams) const;

  void measure(Workspace& work, int64_t max_tokens) const;
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t size_bytes() const { return m_first.size_bytes() + m_last.size_bytes(); }

 private:
  int64_t m_hidden_size = 0;
  ExpertLinears m_first, m_last;  ///< N - 1 of (C, C).
};

}  // namespace quire
