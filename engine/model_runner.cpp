#include "engine/model_runner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <utility>
#include <vector>

#include "engine/batch_padding.h"
#include "engine/models/device_tensor.h"

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

void append(std::vector<int32_t>& to, const std::vector<int32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
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
    step.expert_outputs =
        expert_rows * std::max<int64_t>(2 * experts.intermediate_size, config.hidden_size);
  }
  return step;
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
  /// In turns: an upload may read its bytes until the step has run, and two may be under way.
  std::array<std::vector<int32_t>, 2> host_batches;
  size_t num_listed = 0;
  std::array<std::vector<int32_t>, 2> host_tokens;  ///< In turns, of decodes under way.
  struct UnderWay {
    uint64_t mark;
    size_t num_tokens;
    size_t place;  ///< Of host_tokens.
  };
  std::deque<UnderWay> under_way;
  std::vector<float> host_logits;
  std::vector<float> host_residual;  ///< (T, C), on its way from one stage to the next.
};

ModelRunner::ModelRunner(Decoder& decoder, const Limits& limits, std::unique_ptr<Buffers> buffers)
    : m_decoder(&decoder), m_limits(limits), m_buffers(std::move(buffers)) {}
ModelRunner::ModelRunner(ModelRunner&&) noexcept = default;
ModelRunner& ModelRunner::operator=(ModelRunner&&) noexcept = default;

ModelRunner::~ModelRunner() {
  if (m_buffers) give_up();
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

namespace {

/// A step's key for Backend::launch_graph: its shapes, and where the memory that it works on lies.
uint64_t step_key(const ForwardBatch& batch, const void* device_batch, const void* pages) {
  uint64_t key = 0;
  for (const uint64_t part :
       {reinterpret_cast<uint64_t>(device_batch), reinterpret_cast<uint64_t>(pages),
        static_cast<uint64_t>(batch.num_tokens()), static_cast<uint64_t>(batch.max_blocks)}) {
    key = (std::rotl(key, 23) ^ part) * 0x9E3779B97F4A7C15u;
  }
  return key;
}

/// The views of a batch that lies at `device`, as Parts says.
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

/// The batch's parts one after the other, as Parts says.
void ModelRunner::list_batch(const ForwardBatch& batch) {
  check_shapes(batch, m_limits);
  std::vector<int32_t>& host = m_buffers->host_batches[++m_buffers->num_listed % 2];
  host.clear();
  for (const auto* part : {&batch.ids, &batch.positions, &batch.slot_mapping, &batch.query_start,
                           &batch.context_len, &batch.block_tables, &batch.logits_rows}) {
    append(host, *part);
  }
}

/// Computes all stages; logits (R, V) on the last one's device. `keep`: the same shapes come again.
Result<void> ModelRunner::submit(const ForwardBatch& batch, const KvStorage& kv, bool keep) {
  list_batch(batch);
  for (size_t stage = 0; stage < m_buffers->stages.size(); ++stage) {
    if (stage > 0) {
      if (auto moved = move_residual(stage, batch.num_tokens()); !moved) return moved;
    }
    submit_stage(stage, batch, upload(stage, batch), kv, keep);
  }
  return {};
}

DeviceBatch ModelRunner::upload(size_t index, const ForwardBatch& batch) {
  const Stage& stage = m_buffers->stages[index];
  const std::vector<int32_t>& host = m_buffers->host_batches[m_buffers->num_listed % 2];
  int32_t* const device = stage.batch.view.as<int32_t>();
  stage.backend->upload(device, host.data(), host.size() * sizeof(int32_t));
  return views_of(batch, device);
}

void ModelRunner::submit_stage(size_t index, const ForwardBatch& batch,
                               const DeviceBatch& on_device, const KvStorage& kv, bool keep) {
  Backend& backend = *m_buffers->stages[index].backend;
  backend.begin_attention(on_device.attention, {.query_start = batch.query_start,
                                                .context_len = batch.context_len,
                                                .block_tables = batch.block_tables});
  const TensorView logits =
      m_buffers->logits.view.rows(0, static_cast<int64_t>(batch.logits_rows.size()));
  const auto forward = [&] { m_decoder->forward(index, on_device, kv, logits); };
  if (keep) {
    const int first_layer = m_decoder->placement()[index].first;
    backend.launch_graph(step_key(batch, on_device.ids.data(), kv.layer(first_layer).keys.data()),
                         forward);
  } else {
    forward();
  }
}

/// What the stage before left goes to this one through host memory.
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

bool ModelRunner::keeps_steps() const {
  return std::ranges::all_of(m_buffers->stages,
                             [](const Stage& stage) { return stage.backend->captures_graphs(); });
}

/// A decode batch in one of few shapes, if the devices keep steps.
Result<void> ModelRunner::submit_padded(const ForwardBatch& batch, const KvStorage& kv) {
  if (!keeps_steps() || !is_decode_batch(batch)) return submit(batch, kv, /*keep=*/false);
  ForwardBatch padded = batch;
  pad_decode_batch(padded, m_limits.max_sequences, m_limits.max_blocks);
  return submit(padded, kv, /*keep=*/true);
}

Result<std::span<float>> ModelRunner::run(const ForwardBatch& batch, const KvStorage& kv) {
  if (auto submitted = submit_padded(batch, kv); !submitted) return submitted.error();
  const TensorView logits =
      m_buffers->logits.view.rows(0, static_cast<int64_t>(batch.logits_rows.size()));
  const std::span out(m_buffers->host_logits.data(), logits.num_elements());
  if (!out.empty()) last_backend().download(out.data(), logits.data(), out.size_bytes());
  if (auto done = last_backend().synchronize(); !done) return done.error();
  return out;
}

/// Submits the drawing of the rows' tokens from the logits, and their way to `out`.
void ModelRunner::draw(const SampleBatch& rows, std::span<int32_t> out) {
  const auto count = static_cast<int64_t>(out.size());
  const TensorView tokens = m_buffers->tokens.view.rows(0, count);
  last_backend().sample(tokens, m_buffers->logits.view.rows(0, count), rows);
  last_backend().download(out.data(), tokens.data(), out.size_bytes());
}

Result<std::span<const int32_t>> ModelRunner::run_and_sample(const ForwardBatch& batch,
                                                             const KvStorage& kv,
                                                             const SampleBatch& rows) {
  CHECK(can_sample() && rows.rows.size() == batch.logits_rows.size());
  if (auto submitted = submit_padded(batch, kv); !submitted) return submitted.error();
  const std::span out(m_buffers->host_tokens[0].data(), rows.rows.size());
  if (!out.empty()) draw(rows, out);
  if (auto done = last_backend().synchronize(); !done) return done.error();
  return std::span<const int32_t>(out);
}

bool ModelRunner::can_run_ahead() const {
  return m_buffers->stages.size() == 1 && keeps_steps() && can_sample();
}

Result<void> ModelRunner::start_decode(const ForwardBatch& batch, const KvStorage& kv,
                                       const SampleBatch& rows, bool follows) {
  CHECK(can_run_ahead() && is_decode_batch(batch) && m_buffers->under_way.size() < 2);
  CHECK(rows.rows.size() == batch.logits_rows.size());
  ForwardBatch padded = batch;
  pad_decode_batch(padded, m_limits.max_sequences, m_limits.max_blocks);
  list_batch(padded);
  Backend& backend = last_backend();
  const size_t count = rows.rows.size();
  const DeviceBatch on_device = upload(0, padded);
  if (follows) {
    // A row that could not be drawn has -1, which no embedding has; what comes of it is not used.
    backend.copy(const_cast<void*>(on_device.ids.data()), m_buffers->tokens.view.data(),
                 count * sizeof(int32_t));
  }
  submit_stage(0, padded, on_device, kv, /*keep=*/true);
  auto& under_way = m_buffers->under_way;
  const size_t place = under_way.empty() ? 0 : 1 - under_way.back().place;
  draw(rows, {m_buffers->host_tokens[place].data(), count});
  under_way.push_back({backend.mark(), count, place});
  return {};
}

Result<std::span<const int32_t>> ModelRunner::finish_decode() {
  CHECK(!m_buffers->under_way.empty());
  const Buffers::UnderWay first = m_buffers->under_way.front();
  m_buffers->under_way.pop_front();
  if (auto done = last_backend().wait_for(first.mark); !done) return done.error();
  return std::span<const int32_t>(m_buffers->host_tokens[first.place].data(), first.num_tokens);
}

void ModelRunner::give_up() {
  if (m_buffers->under_way.empty()) return;
  // Downloads go to memory of this runner; a failure here was noticed where they were submitted.
  static_cast<void>(last_backend().synchronize());
  m_buffers->under_way.clear();
}

}  // namespace quire
