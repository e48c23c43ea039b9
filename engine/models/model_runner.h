#pragma once

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "engine/models/decoder.h"
#include "engine/models/draft_runner.h"
#include "engine/models/forward_batch.h"

namespace quire {

/// What was sampled from rows of logits.
struct SampledRows {
  std::span<const int32_t> tokens;  ///< (R), -1 for logits that are not numbers.
  std::span<const float> logits;    ///< (R, V) before penalties if they were wanted, else empty.

  SampledRows rows(size_t first, size_t count) const {
    const size_t vocab = tokens.empty() ? 0 : logits.size() / tokens.size();
    return {tokens.subspan(first, count), logits.subspan(first * vocab, count * vocab)};
  }
};

/// Turns a scheduled batch into logits or tokens: moves the batch to the devices, runs the model,
/// moves the results back. Owns the step's device buffers, allocated once for the largest step.
///
/// Decodes can run ahead on an asynchronous device: a step may be submitted before the host knows
/// the previous step's tokens, since it reads them where they were sampled.
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
    bool gives_states = false;  ///< run() gives what enters the head, (R, C), in place of logits.
    /// Whether the decoder's draft layers, if it has any, are used; the kv argument of all
    /// functions then has their layer.
    bool drafts = false;
  };
  /// Each range of the decoder's layers runs where it was placed. Errors: kOutOfMemory.
  static Result<ModelRunner> create(Decoder& decoder, const Limits& limits);

  /// After an adapter was added to the decoder: allocates what steps with it need. Errors:
  /// kOutOfMemory.
  Result<void> reserve();

  /// Logits (R, V) of batch.logits_rows in host memory, valid (and writable) until the next call.
  Result<std::span<float>> run(const ForwardBatch& batch, const CacheStorage& kv);

  /// How a batch's tokens are sampled.
  struct Sampling {
    SampleBatch rows;           ///< (R)
    bool wants_logits = false;  ///< Not before a batch that follows.
    /// With can_run_ahead(): the batch's ids are the tokens that the decode submitted before it, of
    /// the same sequences, samples.
    bool follows = false;
  };
  /// Submits a batch and the sampling of its tokens. At most two batches are submitted and not
  /// waited for.
  Result<void> submit(const ForwardBatch& batch, const CacheStorage& kv, const Sampling& sampling);
  /// Waits for the batch that was submitted first. Tokens are valid until the next but one
  /// submit(), logits until the next.
  Result<SampledRows> wait();
  /// Whether a decode can be submitted before the one before it has finished.
  bool can_run_ahead() const;
  /// The most tokens in a row that the decoder's draft layers guess; 0: there are none.
  int max_guesses() const { return m_drafts ? m_drafts->max_guesses() : 0; }
  /// As DraftRunner::guess. All submitted batches must have been waited for.
  Result<std::span<const int32_t>> guess(int number, const ForwardBatch& batch,
                                         const CacheStorage& kv, const SampleBatch& rows);
  /// Waits for all submitted batches and drops their tokens.
  void drop_submitted();

  ModelRunner(ModelRunner&&) noexcept = default;
  ModelRunner& operator=(ModelRunner&&) noexcept = default;
  ~ModelRunner();

 private:
  /// A range of the decoder's layers, and the batch where they are computed.
  struct Stage {
    Backend* backend;
    DeviceTensor batch;  ///< i32, all parts of a batch one after the other.
  };
  struct Submitted {
    uint64_t mark;
    SampledRows sampled;  ///< In m_host_tokens and m_host_logits.
  };
  ModelRunner(Decoder& decoder, const Limits& limits) : m_decoder(&decoder), m_limits(limits) {}
  Result<void> allocate();
  Result<void> allocate_drafts();
  TensorView results(size_t num_rows) const;
  Backend& last_backend() const { return *m_stages.back().backend; }
  bool uses_graphs() const;
  Result<void> compute(const ForwardBatch& batch, const CacheStorage& kv, bool follows);
  Result<void> compute_stages(const ForwardBatch& batch, const CacheStorage& kv, bool as_graph,
                              size_t num_followed);
  void compute_stage(size_t index, const ForwardBatch& batch, const CacheStorage& kv,
                     bool as_graph);
  Result<void> move_carried(size_t stage, int num_tokens);

  Decoder* m_decoder;
  Limits m_limits;
  std::vector<Stage> m_stages;  ///< As the decoder's placement.
  DeviceTensor m_logits;        ///< (max_logits, V) f32, on the last stage's backend, as m_tokens.
  DeviceTensor m_tokens;        ///< (max_logits) i32.
  /// Used in turns: an upload may read its bytes until the step has run, and two steps may be
  /// submitted.
  std::array<std::vector<int32_t>, 2> m_host_batches;
  std::array<std::vector<int32_t>, 2> m_host_tokens;
  size_t m_num_steps = 0;
  std::deque<Submitted> m_submitted;
  std::unique_ptr<DraftRunner> m_drafts;  ///< Null: nothing guesses.
  AdapterRows m_adapter_rows;             ///< Of the step being submitted.
  std::vector<float> m_host_logits;
  std::vector<std::vector<float>> m_host_carried;  ///< Between two stages (Decoder::carried).
};

}  // namespace quire
