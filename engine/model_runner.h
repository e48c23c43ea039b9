#pragma once

#include <memory>
#include <span>

#include "engine/models/decoder.h"
#include "engine/models/forward_batch.h"

namespace quire {

/// A scheduled batch in, logits out: moves the batch to the device, runs the model, moves the
/// logits back. Owns the step's device buffers, allocated once for the largest step.
/// Thread: the engine's.
class ModelRunner {
 public:
  /// Batches hold at most max_tokens rows, max_sequences sequences (and as many logits rows, unless
  /// max_logits asks for more) and block tables of max_blocks.
  struct Limits {
    int max_tokens = 512;
    int max_sequences = 64;
    int max_blocks = 0;
    int max_logits = 64;
  };
  /// Each range of the decoder's layers runs where it was placed. Errors: kOutOfMemory.
  static Result<ModelRunner> create(Decoder& decoder, const Limits& limits);

  /// Logits (R, V) of batch.logits_rows in host memory, valid (and writable) until the next call.
  Result<std::span<float>> run(const ForwardBatch& batch, const KvStorage& kv);

  /// Whether tokens can be drawn where their logits are.
  bool can_sample() const;
  /// The tokens (R) drawn from the logits of batch.logits_rows, -1 for logits that are no numbers;
  /// valid until the next call. Only tokens come back from the device.
  Result<std::span<const int32_t>> run_and_sample(const ForwardBatch& batch, const KvStorage& kv,
                                                  const SampleBatch& rows);

  /// Whether decodes can be submitted before the ones before them have finished.
  bool can_run_ahead() const;
  /// Submits a decode batch and the drawing of its tokens. `follows`: its ids are the tokens that
  /// the decode before it, of the same sequences, draws. At most two are under way.
  Result<void> start_decode(const ForwardBatch& batch, const KvStorage& kv, const SampleBatch& rows,
                            bool follows);
  /// Waits for the first that is under way: its tokens, as run_and_sample gives them.
  Result<std::span<const int32_t>> finish_decode();
  /// Waits for what is under way and forgets it.
  void give_up();

  ModelRunner(ModelRunner&&) noexcept;
  ModelRunner& operator=(ModelRunner&&) noexcept;
  ~ModelRunner();

 private:
  struct Stage;
  struct Buffers;
  ModelRunner(Decoder& decoder, const Limits& limits, std::unique_ptr<Buffers> buffers);
  static Result<std::unique_ptr<Buffers>> make_buffers(const Decoder& decoder,
                                                       const Limits& limits);
  Backend& last_backend() const;
  bool keeps_steps() const;
  void list_batch(const ForwardBatch& batch);
  Result<void> submit(const ForwardBatch& batch, const KvStorage& kv, bool keep);
  Result<void> submit_padded(const ForwardBatch& batch, const KvStorage& kv);
  DeviceBatch upload(size_t stage, const ForwardBatch& batch);
  void draw(const SampleBatch& rows, std::span<int32_t> out);
  void submit_stage(size_t index, const ForwardBatch& batch, const DeviceBatch& on_device,
                    const KvStorage& kv, bool keep);
  Result<void> move_residual(size_t stage, int num_tokens);

  Decoder* m_decoder;
  Limits m_limits;
  std::unique_ptr<Buffers> m_buffers;
};

}  // namespace quire
