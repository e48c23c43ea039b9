#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/models/decoder.h"
#include "engine/models/draft_layers.h"
#include "engine/models/forward_batch.h"

namespace quire {

/// Runs a decoder's draft layers, and keeps the hidden states that they read from step to step: on
/// the device, of each row of the last step, and of each sequence the one before its next row. A
/// state that is not known, after a preemption or behind what was found in the cache, is zeros: the
/// next guess is then likely wrong, and answers do not change.
///
/// All states lie in one tensor, so that one gather finds them wherever they are: a row of zeros,
/// those carried from earlier steps, those of the last step's rows, and those of the last guesses.
/// Thread: the engine's.
class DraftRunner {
 public:
  struct Limits {
    int max_tokens, max_sequences, max_blocks, max_logits;
  };
  /// The decoder has draft layers, and outlives the runner. Errors: kOutOfMemory.
  static Result<std::unique_ptr<DraftRunner>> create(Decoder& decoder, const Limits& limits);

  int max_guesses() const { return m_decoder->draft_layers()->max_guesses(); }

  /// Before a batch is computed: carries the states that it, or a later one, reads.
  void begin_step(const ForwardBatch& batch);
  /// Where Decoder::forward keeps the batch's states.
  TensorView kept(const ForwardBatch& batch) const;
  /// After it was computed: extends the draft layer's cache.
  void end_step(const DeviceBatch& batch, const CacheStorage& kv);

  /// What is sampled from, and to; on the device of the last layers.
  struct Results {
    TensorView logits;  ///< (S, V) f32.
    TensorView tokens;  ///< (S) i32.
    SampleBatch rows;   ///< (S).
  };
  /// Guess `number` of the batch's sequences, one row each: its token is the one before the guess.
  /// No logits rows are wanted of it. Guesses of a sequence are made in order, without a step
  /// between them. The tokens are valid until the next call. Errors: the device's.
  Result<std::span<const int32_t>> guess(int number, const ForwardBatch& batch,
                                         const CacheStorage& kv, const Results& results);

 private:
  /// Where the states after some tokens of a sequence are.
  struct Kept {
    int row = 0;    ///< Of m_states.
    int first = 0;  ///< The position of the token that the first of them follows.
    int count = 0;
    uint64_t step = 0;  ///< The last one with rows of the sequence.
  };
  /// Steps after which a sequence without rows in them is forgotten.
  static constexpr uint64_t kMaxIdleSteps = 64;

  DraftRunner(Decoder& decoder, const Limits& limits) : m_decoder(&decoder), m_limits(limits) {}
  Result<void> allocate();
  Backend& backend() const { return *m_decoder->placement().back().backend; }
  bool keeps_all() const { return m_decoder->draft_layers()->has_cache(); }
  int first_of_step() const { return 1 + m_limits.max_sequences; }
  int first_of_guesses() const {
    return first_of_step() + (keeps_all() ? m_limits.max_tokens : m_limits.max_logits);
  }
  int row_after(uint64_t sequence, int position) const;
  std::vector<int32_t> carry(const ForwardBatch& batch);
  void note_step(const ForwardBatch& batch);
  void note_logits(const ForwardBatch& batch);
  void find_previous(const ForwardBatch& batch, std::vector<int32_t>& rows) const;
  std::vector<int32_t> states_before(int number, const ForwardBatch& batch) const;
  TensorView gather(ConstTensorView rows);

  Decoder* m_decoder;
  Limits m_limits;
  DeviceTensor m_states;   ///< (1 + S + T or R + S, C) f32, as described above.
  DeviceTensor m_carried;  ///< (S, C) f32.
  DeviceTensor m_inputs;   ///< (T or S, C) f32: states before rows.
  DeviceTensor m_rows;     ///< (S + T) i32: rows of m_states, to carry and before the batch's rows.
  DeviceTensor m_batch;    ///< i32: the batch of a guess, and rows of m_states.
  /// Used in turns, as ModelRunner's.
  std::array<std::vector<int32_t>, 2> m_host_rows;
  std::vector<int32_t> m_host_batch;
  std::vector<int32_t> m_host_tokens;
  std::map<uint64_t, Kept> m_kept;           ///< By sequence.
  std::map<uint64_t, int32_t> m_guess_rows;  ///< Rows of m_states, of the last guesses.
  uint64_t m_num_steps = 0;
  int64_t m_num_carried = 0;  ///< In this step.
};

}  // namespace quire
