#pragma once

#include "engine/models/layers/decoder_layer.h"
#include "engine/models/layers/norm.h"

namespace quire {

/// The parts of a decoder that its draft layers may share.
struct DecoderEnds {
  const LinearWeight* embedding;  ///< (V, C); null if other layers' backend has it.
  float embedding_scale;
  const Norm& final_norm;  ///< (C).
};

/// What guesses a decoder's next tokens from its hidden states: a layer for multi-token prediction,
/// or Medusa heads. A hidden state is what enters the decoder's head, behind its last norm. With
/// it, the tokens up to the next one are known; the guesses, numbered from 0, follow these. Owns
/// its weights. Thread: the engine's.
class DraftLayers {
 public:
  virtual ~DraftLayers() = default;

  /// Guesses in a row, at most.
  virtual int max_guesses() const = 0;
  /// Whether it keeps keys and values of every token, as a layer of the decoder behind its last,
  /// and computes a guess from the one before it. Otherwise all guesses come from the decoder's
  /// state alone.
  virtual bool has_cache() const = 0;

  /// With a cache: keeps keys and values of every row of a decoder's step. previous: (T, C), the
  /// decoder's state before each row, or zeros.
  virtual void extend(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers,
                      ConstTensorView previous) const = 0;
  /// Computes the state (S, C) that guess `number` is made from, one row a sequence, with the token
  /// before the guess. previous: (S, C), the state before that token: the decoder's, or what this
  /// function computed for the guess before; without a cache always the decoder's.
  virtual void guess(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers,
                     int number, ConstTensorView previous, TensorView out) const = 0;
  /// The head (V, C) of guess `number`; null: the decoder's.
  virtual const LinearWeight* head(int number) const = 0;

  virtual void measure(Workspace& work, const MaxRows& most) const = 0;
  virtual void add_limits(StepLimits& limits, int64_t max_tokens) const = 0;
  virtual size_t size_bytes() const = 0;
};

}  // namespace quire
