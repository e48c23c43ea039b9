#include "engine/models/model_runner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <utility>
#include <vector>

#include "engine/models/decoder_weights.h"

namespace quire {
namespace {

/// Where each part of a batch lies in one array of i32, so that one upload moves all of it.
struct Parts {
  size_t ids, positions, slots, query_start, context_len, block_tables, logits_rows, end;
};

Parts parts_of(size_t num_tokens, size_t num_sequences, size_t max_blocks, size_t num_logits) {
  Parts at{};
  at.positions = at.ids + num_tokens;
  at.slots = at.positions + num_tokens;
  at.query_start = at.slots + num_tokens;
  at.context_len = at.query_start + num_sequences + 1;
  at.block_tables = at.context_len + num_sequences;
  at.logits_rows = at.block_tables + num_sequences * max_blocks;
  at.end = at.logits_rows + num_logits;
  return at;
}

void check_shapes(const ForwardBatch& batch, const ModelRunner::Limits& limits) {
  const size_t num_tokens = batch.ids.size(), num_sequences = batch.context_len.size();
  CHECK(batch.num_tokens() > 0 && batch.num_tokens() <= limits.max_tokens);
  CHECK(batch.num_sequences() > 0 && batch.num_sequences() <= limits.max_sequences);
  CHECK(batch.max_blocks > 0 && batch.max_blocks <= limits.max_blocks);
  CHECK(static_cast<int>(batch.logits_rows.size()) <= limits.max_logits);
  CHECK(batch.positions.size() == num_tokens && batch.slot_mapping.size() == num_tokens);
  CHECK(batch.query_start.size() == num_sequences + 1);
  CHECK(batch.query_start.front() == 0 && batch.query_start.back() == batch.num_tokens());
  CHECK(batch.block_tables.size() == num_sequences * static_cast<size_t>(batch.max_blocks));
}

StepLimits step_limits(const ModelConfig& config, const ModelRunner::Limits& limits) {
  const int64_t rows = limits.max_tokens;
  const ExpertsConfig& experts = config.experts;
  const int64_t experts_per_token = std::max(1, experts.experts_per_token);
  const int64_t expert_rows = rows * experts_per_token;
  StepLimits step = {
      .activations = {{rows, config.hidden_size, experts_per_token},
                      {rows, int64_t{config.num_heads} * config.head_dim},
                      {rows, config.intermediate_size}},
      .num_heads = config.num_heads,
      .num_kv_heads = config.num_kv_heads,
      .head_dim = config.head_dim,
      .max_context = int64_t{limits.max_blocks} * kBlockSize,
      .max_sequences = limits.max_sequences,
  };
  if (experts.num_experts > 0) {
    step.activations.push_back({expert_rows, experts.intermediate_size});
  }
  return step;
}

/// A step's key for Backend::launch_graph: its shapes, and the addresses that it works on.
uint64_t step_key(const ForwardBatch& batch, const void* device_batch, const void* pages) {
  uint64_t key = 0;
  for (const uint64_t part :
       {reinterpret_cast<uint64_t>(device_batch), reinterpret_cast<uint64_t>(pages),
        static_cast<uint64_t>(batch.num_tokens()), static_cast<uint64_t>(batch.max_blocks)}) {
    key = (std::rotl(key, 23) ^ part) * 0x9E3779B97F4A7C15u;
  }
  return key;
}

/// The views of a batch at `device`, laid out as Parts.
DeviceBatch views_of(const ForwardBatch& batch, const int32_t* device) {
  const int64_t num_tokens = batch.num_tokens(), num_sequences = batch.num_sequences();
  const auto num_logits = static_cast<int64_t>(batch.logits_rows.size());
  const Parts at = parts_of(num_tokens, num_sequences, batch.max_blocks, num_logits);
  const auto view = [&](size_t offset, int64_t count) {
    return ConstTensorView(device + offset, DType::kI32, {count});
  };
  return {.ids = view(at.ids, num_tokens),
          .positions = view(at.positions, num_tokens),
          .slot_mapping = view(at.slots, num_tokens),
          .attention = {.query_start = view(at.query_start, num_sequences + 1),
                        .context_len = view(at.context_len, num_sequences),
                        .block_tables = ConstTensorView(device + at.block_tables, DType::kI32,
                                                        {num_sequences, batch.max_blocks})},
          .logits_rows = view(at.logits_rows, num_logits)};
}

}  // namespace

/// A range of the decoder's layers, and the batch where they are computed.
struct ModelRunner::Stage {
  Backend* backend;
  DeviceTensor batch;  ///< i32, laid out by Parts.
};

struct ModelRunner::Buffers {
  std::vector<Stage> stages;  ///< As the decoder's placement.
  DeviceTensor logits;        ///< (max_logits, V) f32, on the last one's backend, as tokens.
  DeviceTensor tokens;        ///< (max_logits) i32.
  /// Used in turns: an upload may read its bytes until the step has run, and two may be submitted.
  std::array<std::vector<int32_t>, 2> host_batches;
  std::array<std::vector<int32_t>, 2> host_tokens;
  size_t num_steps = 0;
  struct Submitted {
    uint64_t mark;
    std::span<const int32_t> tokens;  ///< In host_tokens.
  };
  std::deque<Submitted> submitted;
  std::vector<float> host_logits;
  std::vector<float> host_residual;  ///< (T, C), between two stages.
};

ModelRunner::ModelRunner(Decoder& decoder, const Limits& limits, std::unique_ptr<Buffers> buffers)
    : m_decoder(&decoder), m_limits(limits), m_buffers(std::move(buffers)) {}
ModelRunner::ModelRunner(ModelRunner&&) noexcept = default;
ModelRunner& ModelRunner::operator=(ModelRunner&&) noexcept = default;

ModelRunner::~ModelRunner() {
  if (m_buffers) drop_submitted();
}

Backend& ModelRunner::last_backend() const {
  return *m_buffers->stages.back().backend;
}

bool ModelRunner::can_sample() const {
  return last_backend().can_sample();
}

Result<ModelRunner> ModelRunner::create(Decoder& decoder, const Limits& limits) {
  CHECK(limits.max_tokens > 0 && limits.max_sequences > 0 && limits.max_blocks > 0);
  Limits widened = limits;
  widened.max_logits = std::max(limits.max_logits, limits.max_sequences);
  if (auto reserved = decoder.reserve(widened.max_tokens, widened.max_logits); !reserved) {
    return reserved.error();
  }
  const StepLimits step = step_limits(decoder.config(), widened);
  for (const LayerRange& range : decoder.placement()) {
    if (auto reserved = range.backend->reserve_scratch(step); !reserved) return reserved.error();
  }
  auto buffers = make_buffers(decoder, widened);
  if (!buffers) return buffers.error();
  return ModelRunner(decoder, widened, std::move(*buffers));
}

Result<std::unique_ptr<ModelRunner::Buffers>> ModelRunner::make_buffers(const Decoder& decoder,
                                                                        const Limits& limits) {
  const Parts most =
      parts_of(limits.max_tokens, limits.max_sequences, limits.max_blocks, limits.max_logits);
  auto buffers = std::make_unique<Buffers>();
  for (const LayerRange& range : decoder.placement()) {
    auto batch = allocate_tensor(*range.backend, DType::kI32, {static_cast<int64_t>(most.end)});
    if (!batch) return batch.error();
    buffers->stages.push_back({range.backend, std::move(*batch)});
  }
  Backend& last = *buffers->stages.back().backend;
  const int64_t vocab_size = decoder.config().vocab_size;
  auto logits = allocate_tensor(last, DType::kF32, {limits.max_logits, vocab_size});
  if (!logits) return logits.error();
  auto tokens = allocate_tensor(last, DType::kI32, {limits.max_logits});
  if (!tokens) return tokens.error();
  buffers->logits = std::move(*logits);
  buffers->tokens = std::move(*tokens);
  for (auto& host_batch : buffers->host_batches) host_batch.reserve(most.end);
  for (auto& tokens_of_one : buffers->host_tokens) {
    tokens_of_one.resize(static_cast<size_t>(limits.max_logits));
  }
  buffers->host_logits.resize(limits.max_logits * vocab_size);
  return buffers;
}

/// Computes the batch; logits (R, V) on the last stage's device. Decode batches are padded to one
/// of few shapes where the devices capture graphs.
Result<void> ModelRunner::compute(const ForwardBatch& batch, const KvStorage& kv, bool follows) {
  if (!uses_graphs() || !is_decode_batch(batch)) {
    return compute_stages(batch, kv, /*as_graph=*/false, 0);
  }
  ForwardBatch padded = batch;
  pad_decode_batch(padded, m_limits.max_sequences, m_limits.max_blocks);
  return compute_stages(padded, kv, /*as_graph=*/true, follows ? batch.ids.size() : 0);
}

/// `num_followed`: so many leading ids are the tokens that the step before samples.
Result<void> ModelRunner::compute_stages(const ForwardBatch& batch, const KvStorage& kv,
                                         bool as_graph, size_t num_followed) {
  check_shapes(batch, m_limits);
  std::vector<int32_t>& host = m_buffers->host_batches[++m_buffers->num_steps % 2];
  host.clear();
  for (const auto* part : {&batch.ids, &batch.positions, &batch.slot_mapping, &batch.query_start,
                           &batch.context_len, &batch.block_tables, &batch.logits_rows}) {
    host.insert(host.end(), part->begin(), part->end());
  }
  for (size_t i = 0; i < m_buffers->stages.size(); ++i) {
    if (i > 0) {
      if (auto moved = move_residual(i, batch.num_tokens()); !moved) return moved;
    }
    const Stage& stage = m_buffers->stages[i];
    stage.backend->upload(stage.batch.view.data(), host.data(), host.size() * sizeof(int32_t));
    // A row that could not be sampled has -1, which is no embedding; its results are not used.
    if (num_followed > 0) {
      stage.backend->copy(stage.batch.view.data(), m_buffers->tokens.view.data(),
                          num_followed * sizeof(int32_t));
    }
    compute_stage(i, batch, kv, as_graph);
  }
  return {};
}

void ModelRunner::compute_stage(size_t index, const ForwardBatch& batch, const KvStorage& kv,
                                bool as_graph) {
  const Stage& stage = m_buffers->stages[index];
  const DeviceBatch on_device = views_of(batch, stage.batch.view.as<int32_t>());
  stage.backend->begin_attention(on_device.attention, {.query_start = batch.query_start,
                                                       .context_len = batch.context_len,
                                                       .block_tables = batch.block_tables});
  const TensorView logits =
      m_buffers->logits.view.rows(0, static_cast<int64_t>(batch.logits_rows.size()));
  const auto forward = [&] { m_decoder->forward(index, on_device, kv, logits); };
  if (!as_graph) return forward();
  const int first_layer = m_decoder->placement()[index].first;
  const void* const pages = kv.layer(first_layer).keys.data();
  stage.backend->launch_graph(step_key(batch, on_device.ids.data(), pages), forward);
}

/// Copies what the stage before computed to this one, through host memory.
Result<void> ModelRunner::move_residual(size_t stage, int num_tokens) {
  const TensorView from = m_decoder->residual(stage - 1, num_tokens);
  const TensorView to = m_decoder->residual(stage, num_tokens);
  std::vector<float>& host = m_buffers->host_residual;
  host.resize(static_cast<size_t>(from.num_elements()));
  Backend& source = *m_buffers->stages[stage - 1].backend;
  source.download(host.data(), from.data(), host.size() * sizeof(float));
  if (auto done = source.synchronize(); !done) return done;
  m_buffers->stages[stage].backend->upload(to.data(), host.data(), host.size() * sizeof(float));
  return {};
}

bool ModelRunner::uses_graphs() const {
  return std::ranges::all_of(m_buffers->stages,
                             [](const Stage& stage) { return stage.backend->captures_graphs(); });
}

bool ModelRunner::can_run_ahead() const {
  return m_buffers->stages.size() == 1 && uses_graphs() && can_sample();
}

Result<std::span<float>> ModelRunner::run(const ForwardBatch& batch, const KvStorage& kv) {
  if (auto computed = compute(batch, kv, /*follows=*/false); !computed) return computed.error();
  const TensorView logits =
      m_buffers->logits.view.rows(0, static_cast<int64_t>(batch.logits_rows.size()));
  const std::span out(m_buffers->host_logits.data(), logits.num_elements());
  if (!out.empty()) last_backend().download(out.data(), logits.data(), out.size_bytes());
  if (auto done = last_backend().synchronize(); !done) return done.error();
  return out;
}

Result<void> ModelRunner::submit(const ForwardBatch& batch, const KvStorage& kv,
                                 const SampleBatch& rows, bool follows) {
  CHECK(can_sample() && rows.rows.size() == batch.logits_rows.size());
  CHECK(m_buffers->submitted.size() < 2);
  CHECK(!follows || (can_run_ahead() && is_decode_batch(batch)));
  if (auto computed = compute(batch, kv, follows); !computed) return computed;
  Backend& backend = last_backend();
  auto& host_tokens = m_buffers->host_tokens[m_buffers->num_steps % 2];
  const std::span<int32_t> out(host_tokens.data(), rows.rows.size());
  if (!out.empty()) {
    const auto count = static_cast<int64_t>(out.size());
    const TensorView tokens = m_buffers->tokens.view.rows(0, count);
    backend.sample(tokens, m_buffers->logits.view.rows(0, count), rows);
    backend.download(out.data(), tokens.data(), out.size_bytes());
  }
  m_buffers->submitted.push_back({backend.mark(), out});
  return {};
}

Result<std::span<const int32_t>> ModelRunner::wait() {
  CHECK(!m_buffers->submitted.empty());
  const Buffers::Submitted first = m_buffers->submitted.front();
  m_buffers->submitted.pop_front();
  if (auto done = last_backend().wait_for(first.mark); !done) return done.error();
  return first.tokens;
}

void ModelRunner::drop_submitted() {
  if (m_buffers->submitted.empty()) return;
  // Downloads go to memory of this runner; a failure here was reported where they were submitted.
  static_cast<void>(last_backend().synchronize());
  m_buffers->submitted.clear();
}

}  // namespace quire
