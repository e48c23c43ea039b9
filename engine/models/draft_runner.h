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

/// Runs a decoder's draft layers, and keeps the hidden states that they read on the device from
/// step to step: those of each row of the last step, and for each sequence the one before its next
/// row. A state that is not known (after a preemption, or after a prefix that was found in the
/// cache) is replaced by zeros: the next guess is then likely wrong, and answers do not change.
///
/// All states are rows of one tensor, so that one gather reads them: a row of zeros, those carried
/// from earlier steps, those of the last step's rows, and those of the last guesses.
/// Thread: the engine's.
class DraftRunner {
 public:
  struct Limits {
    int max_tokens, max_sequences, max_blocks, max_logits;
  };
  /// The decoder has draft layers, and outlives the runner. Errors: kOutOfMemory.
  static Result<std::unique_ptr<DraftRunner>> create(Decoder& decoder, const Limits& limits);

  int max_guesses() const { return m_decoder->draft_layers()->max_guesses(); }

  /// Before a batch is computed: moves the states that it or a later batch reads to where this
  /// batch does not overwrite them.
  void begin_step(const ForwardBatch& batch);
  /// Where Decoder::forward writes the batch's states (its argument `kept`).
  TensorView kept(const ForwardBatch& batch) const;
  /// After the batch was computed: writes the draft layer's keys and values of its rows.
  void end_step(const DeviceBatch& batch, const CacheStorage& kv);

  /// What a guess is sampled from, and where to; on the device of the last layers.
  struct Results {
    TensorView logits;  ///< (S, V) f32.
    TensorView tokens;  ///< (S) i32.
    SampleBatch rows;   ///< (S).
  };
  /// Makes guess `number` of the batch's sequences. The batch has one row a sequence, the token
  /// before the guess, and no logits_rows. Guesses of a sequence are made in order, without a step
  /// between them. Returns (S) tokens, which are valid until the next call. Errors: the device's.
  Result<std::span<const int32_t>> guess(int number, const ForwardBatch& batch,
                                         const CacheStorage& kv, const Results& results);

 private:
  /// Where the states after some tokens of a sequence are.
  struct Kept {
    int row = 0;    ///< Of m_states.
    int first = 0;  ///< The position of the token that the first of them follows.
    int count = 0;
    uint64_t step = 0;  ///< The last step with rows of the sequence.
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
  DeviceTensor m_states;   ///< (1 + S + (T or R) + S, C) f32, as described above.
  DeviceTensor m_carried;  ///< (S, C) f32.
  DeviceTensor m_inputs;   ///< (T or S, C) f32: states before rows.
  DeviceTensor m_rows;     ///< (S + T) i32: rows of m_states, those to carry first.
  DeviceTensor m_batch;    ///< i32: the batch of a guess, and rows of m_states.
  /// Used alternately, because the last upload may still read one (as ModelRunner's).
  std::array<std::vector<int32_t>, 2> m_host_rows;
  std::vector<int32_t> m_host_batch;
  std::vector<int32_t> m_host_tokens;
  std::map<uint64_t, Kept> m_kept;           ///< By sequence.
  std::map<uint64_t, int32_t> m_guess_rows;  ///< Rows of m_states, of the last guesses.
  uint64_t m_num_steps = 0;
  int64_t m_num_carried = 0;  ///< In this step.
};

}  // namespace quire
