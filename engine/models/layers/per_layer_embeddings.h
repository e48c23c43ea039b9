#pragma once

#include <memory>

#include "engine/models/layers/workspace.h"
#include "engine/models/model_config.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// The rows that per-layer embeddings give a step's tokens (Gemma 3n and 4), for all layers at
/// once. The table is often most of a model: it stays in its file's type, and rows of it are looked
/// up.
class PerLayerEmbeddings {
 public:
  /// Of a model without.
  PerLayerEmbeddings() = default;
  /// Errors stay in the loader.
  PerLayerEmbeddings(const ModelConfig& config, WeightLoader& loader);

  /// out = (norm(W x / sqrt(C)) + table[ids] sqrt(P)) / sqrt(2), normed by layer. out: (T, L P)
  /// f32; x: (T, C), the tokens' scaled embeddings; ids: (T) i32.
  void compute(Backend& backend, Workspace& work, TensorView out, ConstTensorView x,
               ConstTensorView ids) const;
  /// As Mixer.
  void measure(Workspace& work, int64_t max_tokens) const;
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t size_bytes() const;

 private:
  int64_t m_hidden_size = 0, m_width = 0;
  std::unique_ptr<LinearWeight> m_table;       ///< (V, L P), or null.
  std::unique_ptr<LinearWeight> m_projection;  ///< (L P, C).
  Norm m_norm;                                 ///< (P).
};

}  // namespace quire
