#pragma once

#include "engine/models/layers/decoder_layer.h"
#include "engine/models/layers/norm.h"

namespace quire {

/// The parts of a decoder that its draft layers may use.
struct DecoderEnds {
  const LinearWeight* embedding;  ///< (V, C); null if it is on another backend.
  float embedding_scale;
  const Norm& final_norm;  ///< (C).
};

/// Layers that guess a decoder's next tokens from its hidden states: a layer for multi-token
/// prediction, or Medusa heads. A hidden state is what enters the decoder's head, after its last
/// norm. The state after token p - 1 gives token p, which is known when guesses are made; guess 0
/// is for token p + 1, guess 1 for token p + 2, and so on. Owns its weights. Thread: the engine's.
class DraftLayers {
 public:
  virtual ~DraftLayers() = default;

  /// The most guesses in a row.
  virtual int max_guesses() const = 0;
  /// Whether it keeps keys and values of every token, as one more layer after the decoder's last,
  /// and computes a guess from the state of the guess before it. Otherwise all guesses are made
  /// from the decoder's state alone.
  virtual bool has_cache() const = 0;

  /// With a cache: writes keys and values of every row of a decoder's step; otherwise does nothing.
  /// previous: (T, C) f32, the decoder's state after the token before each row, or zeros where it
  /// is not known. buffers: work space of at least T rows.
  virtual void extend(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers,
                      ConstTensorView previous) const = 0;
  /// Computes the states `out` (S, C) f32 that guess `number` of each sequence is made from. The
  /// step has one row a sequence, the token before the guess. previous: (S, C) f32, the state
  /// before that token: the decoder's for guess 0, and for later ones what this function computed
  /// for the guess before; without a cache always the decoder's.
  virtual void guess(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers,
                     int number, ConstTensorView previous, TensorView out) const = 0;
  /// The head (V, C) of guess `number`; null: the decoder's head.
  virtual const LinearWeight* head(int number) const = 0;

  /// As those of DecoderLayer.
  virtual void measure(Workspace& work, const MaxRows& most) const = 0;
  virtual void add_limits(StepLimits& limits, int64_t max_tokens) const = 0;
  virtual size_t size_bytes() const = 0;
};

}  // namespace quire
