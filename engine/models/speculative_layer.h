#pragma once

#include <memory>

#include "engine/io/weights.h"
#include "engine/models/layers/decoder_layer.h"
#include "engine/models/layers/norm.h"
#include "engine/models/model_config.h"

namespace quire {

class TensorNames;
class WeightLoader;

/// A layer for multi-token prediction (arXiv:2412.19437, section 2.2), with its weights: it reads
/// the decoder's last hidden state and the next token, and predicts the token after that one. Its
/// decoder layer is of the kind of the model's last layer that attends. Nothing computes it yet.
class SpeculativeLayer {
 public:
  /// Loads the layer `index`, counted behind the decoder's own. Errors stay in the loader.
  SpeculativeLayer(const ModelConfig& config, int index, WeightLoader& loader);
  size_t size_bytes() const;

 private:
  Norm m_token_norm;                           ///< (C): of the next token's embedding.
  Norm m_hidden_norm;                          ///< (C): of the decoder's last hidden state.
  std::unique_ptr<LinearWeight> m_projection;  ///< (C, 2C): of both, the embedding's first.
  DecoderLayer m_layer;
  Norm m_final_norm;                          ///< (C); none: the decoder's.
  std::unique_ptr<LinearWeight> m_embedding;  ///< (V, C); null: the decoder's.
  std::unique_ptr<LinearWeight> m_head;       ///< (V, C); null: the decoder's.
};

/// How many layers for speculation the files hold. A configuration may count some that a
/// conversion left out, and that of Qwen 3 Next counts none.
int count_speculative_layers(const ModelConfig& config, TensorNames names,
                             const WeightSource& weights);

}  // namespace quire
