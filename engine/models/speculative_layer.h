#pragma once

#include <limits>
#include <memory>

#include "engine/io/weights.h"
#include "engine/models/draft_layers.h"
#include "engine/models/model_config.h"

namespace quire {

class TensorNames;
class WeightLoader;

/// A layer for multi-token prediction (arXiv:2412.19437, section 2.2): it reads the decoder's last
/// hidden state and the next token, and predicts the token after that one. Its decoder layer is of
/// the kind of the model's last layer that attends.
///
/// In the paper a row has the position of its hidden state; here it has the position of its token,
/// so that what is kept of a token depends on that token and those before it, as in every layer.
/// All rotations are then by one position more, which does not change the products of queries and
/// keys.
///
/// Choices that the paper leaves open are those of vLLM (deepseek_mtp.py, glm4_moe_mtp.py,
/// qwen3_next_mtp.py): the hidden state is taken after the decoder's last norm, the embedding's
/// columns of the projection come first, and later guesses read the state that the guess before was
/// made from.
class SpeculativeLayer final : public DraftLayers {
 public:
  /// Loads layer `index`, counted from the first after the decoder's own. Errors stay in the
  /// loader.
  SpeculativeLayer(const ModelConfig& config, int index, WeightLoader& loader);

  int max_guesses() const override { return std::numeric_limits<int>::max(); }
  bool has_cache() const override { return true; }
  void extend(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers,
              ConstTensorView previous) const override;
  void guess(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers, int number,
             ConstTensorView previous, TensorView out) const override;
  const LinearWeight* head(int /*number*/) const override { return m_head.get(); }
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  Stream begin(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers,
               ConstTensorView previous) const;

  int64_t m_hidden_size;
  Norm m_token_norm;                           ///< (C): of the next token's embedding.
  Norm m_hidden_norm;                          ///< (C): of the decoder's last hidden state.
  std::unique_ptr<LinearWeight> m_projection;  ///< (C, 2C): of both, the embedding's first.
  DecoderLayer m_layer;
  Norm m_final_norm;                          ///< (C); none: the decoder's.
  std::unique_ptr<LinearWeight> m_embedding;  ///< (V, C); null: the decoder's.
  std::unique_ptr<LinearWeight> m_head;       ///< (V, C); null: the decoder's.
};

/// The configuration with its layer for speculation after the decoder's own, if Quire computes
/// that: if there is exactly one, without a window, of an architecture whose definition is known.
/// Otherwise the configuration as it is.
ModelConfig with_computed_layer(const ModelConfig& config, const WeightLoader& loader);

/// How many layers for speculation the files hold. A configuration may count some that a
/// conversion left out, or none although there is one (Qwen 3 Next, and files whose count was set
/// to 0 to leave the layer out).
int count_speculative_layers(const ModelConfig& config, TensorNames names,
                             const WeightSource& weights);

}  // namespace quire
