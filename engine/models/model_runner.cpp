#include "engine/models/model_runner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/models/batch_upload.h"

namespace quire {
namespace {

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
  CHECK(batch.segment_end.size() <=
        num_tokens / kBlockSize + 2 * num_sequences + batch.logits_rows.size());
  CHECK(!batch.has_states() || batch.states_in.size() == num_sequences);
  CHECK(!batch.has_windows() || (batch.window_slots.size() == num_tokens &&
                                 batch.window_tables.size() == batch.block_tables.size()));
  CHECK(batch.adapters.empty() || batch.adapters.size() == num_sequences);
}

StepLimits step_limits(const Decoder& decoder, const ModelRunner::Limits& limits) {
  const ModelConfig& config = decoder.config();
  StepLimits step = {
      .num_heads = config.num_heads,
      .num_kv_heads = config.num_kv_heads,
      .head_dim = config.head_dim,
      .max_context = int64_t{limits.max_blocks} * kBlockSize,
      .max_sequences = limits.max_sequences,
  };
  for (int i = 0; i < config.num_layers; ++i) {
    step.head_dim = std::max<int64_t>(step.head_dim, head_dim_of(config, i));
  }
  decoder.add_limits(step, limits.max_tokens);
  step.activations.push_back({limits.max_logits, config.hidden_size});
  return step;
}

/// The key of a step for Backend::launch_graph: its shapes and the addresses of its buffers.
uint64_t step_key(const ForwardBatch& batch, const void* device_batch, const void* cache) {
  uint64_t key = 0;
  for (const uint64_t part :
       {reinterpret_cast<uint64_t>(device_batch), reinterpret_cast<uint64_t>(cache),
        static_cast<uint64_t>(batch.num_tokens()), static_cast<uint64_t>(batch.max_blocks)}) {
    key = (std::rotl(key, 23) ^ part) * 0x9E3779B97F4A7C15u;
  }
  return key;
}

}  // namespace

ModelRunner::~ModelRunner() {
  drop_submitted();
}

Result<ModelRunner> ModelRunner::create(Decoder& decoder, const Limits& limits) {
  CHECK(limits.max_tokens > 0 && limits.max_sequences > 0 && limits.max_blocks > 0);
  Limits widened = limits;
  widened.max_logits = std::max(limits.max_logits, limits.max_sequences);
  ModelRunner runner(decoder, widened);
  if (auto reserved = runner.reserve(); !reserved) return reserved.error();
  if (auto allocated = runner.allocate(); !allocated) return allocated.error();
  return runner;
}

Result<void> ModelRunner::reserve() {
  auto reserved = m_decoder->reserve(m_limits.max_tokens, m_limits.max_logits);
  const StepLimits step = step_limits(*m_decoder, m_limits);
  for (const LayerRange& range : m_decoder->placement()) {
    if (reserved) reserved = range.backend->reserve_scratch(step);
  }
  return reserved;
}

Result<void> ModelRunner::allocate() {
  const auto max_tokens = static_cast<size_t>(m_limits.max_tokens);
  const auto sequences = static_cast<size_t>(m_limits.max_sequences);
  const bool has_windows = cache_layout(m_decoder->config(), DType::kF32).window() > 0;
  // Segments end at ends of blocks within a sequence's rows, with its last row, and with each row
  // of a draft.
  const size_t most = batch_size({.tokens = max_tokens,
                                  .sequences = sequences,
                                  .blocks = static_cast<size_t>(m_limits.max_blocks),
                                  .logits = static_cast<size_t>(m_limits.max_logits),
                                  .segments = max_tokens / kBlockSize + 2 * sequences +
                                              static_cast<size_t>(m_limits.max_logits),
                                  .has_windows = has_windows});
  for (const LayerRange& range : m_decoder->placement()) {
    auto batch = allocate_tensor(*range.backend, DType::kI32, {static_cast<int64_t>(most)});
    if (!batch) return batch.error();
    m_stages.push_back({range.backend, std::move(*batch)});
  }
  for (auto& host : m_host_batches) host.reserve(most);
  if (m_limits.gives_states) {
    m_host_logits.resize(static_cast<size_t>(m_limits.max_logits) *
                         static_cast<size_t>(m_decoder->config().hidden_size));
    return {};
  }
  const int64_t vocab_size = m_decoder->config().vocab_size;
  auto logits = allocate_tensor(last_backend(), DType::kF32, {m_limits.max_logits, vocab_size});
  if (!logits) return logits.error();
  auto tokens = allocate_tensor(last_backend(), DType::kI32, {m_limits.max_logits});
  if (!tokens) return tokens.error();
  m_logits = std::move(*logits);
  m_tokens = std::move(*tokens);
  for (auto& host : m_host_tokens) host.resize(static_cast<size_t>(m_limits.max_logits));
  if (auto added = allocate_drafts(); !added) return added;
  m_host_logits.resize(m_limits.max_logits * vocab_size);
  return {};
}

Result<void> ModelRunner::allocate_drafts() {
  if (!m_limits.drafts || m_decoder->draft_layers() == nullptr) return {};
  auto drafts = DraftRunner::create(*m_decoder, {.max_tokens = m_limits.max_tokens,
                                                 .max_sequences = m_limits.max_sequences,
                                                 .max_blocks = m_limits.max_blocks,
                                                 .max_logits = m_limits.max_logits});
  if (!drafts) return drafts.error();
  m_drafts = std::move(*drafts);
  return {};
}

/// Computes the batch; logits (R, V) on the last stage's device. Decode batches are padded to one
/// of few shapes where the devices capture graphs.
Result<void> ModelRunner::compute(const ForwardBatch& batch, const CacheStorage& kv, bool follows) {
  // A graph has fixed operations, which those of adapters are not.
  if (!uses_graphs() || !is_decode_batch(batch) || !batch.adapters.empty()) {
    CHECK(!follows);
    return compute_stages(batch, kv, /*as_graph=*/false, 0);
  }
  ForwardBatch padded = batch;
  pad_decode_batch(padded, m_limits.max_sequences, m_limits.max_blocks);
  return compute_stages(padded, kv, /*as_graph=*/true, follows ? batch.ids.size() : 0);
}

/// `num_followed`: the number of leading ids that are the tokens sampled by the previous step.
Result<void> ModelRunner::compute_stages(const ForwardBatch& batch, const CacheStorage& kv,
                                         bool as_graph, size_t num_followed) {
  check_shapes(batch, m_limits);
  CHECK(batch.has_windows() == (kv.layout().window() > 0));
  m_adapter_rows = adapter_rows(batch);
  std::vector<int32_t>& host = m_host_batches[++m_num_steps % 2];
  host.clear();
  append_batch(host, batch);
  if (m_drafts) m_drafts->begin_step(batch);
  for (size_t i = 0; i < m_stages.size(); ++i) {
    if (i > 0) {
      if (auto moved = move_carried(i, batch.num_tokens()); !moved) return moved;
    }
    const Stage& stage = m_stages[i];
    stage.backend->upload(stage.batch.view.data(), host.data(), host.size() * sizeof(int32_t));
    // A row that could not be sampled has -1, which is no embedding; its results are not used.
    if (num_followed > 0) {
      stage.backend->copy(stage.batch.view.data(), m_tokens.view.data(),
                          num_followed * sizeof(int32_t));
    }
    compute_stage(i, batch, kv, as_graph);
  }
  return {};
}

void ModelRunner::compute_stage(size_t index, const ForwardBatch& batch, const CacheStorage& kv,
                                bool as_graph) {
  const Stage& stage = m_stages[index];
  DeviceBatch on_device = views_of(batch, stage.batch.view.as<int32_t>());
  if (!batch.adapters.empty()) on_device.adapters = &m_adapter_rows;
  stage.backend->begin_attention(on_device.attention, {.query_start = batch.query_start,
                                                       .context_len = batch.context_len,
                                                       .block_tables = batch.block_tables,
                                                       .window_tables = batch.window_tables});
  const bool is_last = index + 1 == m_stages.size();
  const TensorView logits =
      m_limits.gives_states ? TensorView() : results(batch.logits_rows.size());
  const TensorView kept = m_drafts && is_last ? m_drafts->kept(batch) : TensorView();
  const auto forward = [&] { m_decoder->forward(index, on_device, kv, logits, kept); };
  if (as_graph) {
    const void* const cache = kv.address(m_decoder->placement()[index].first);
    stage.backend->launch_graph(step_key(batch, on_device.ids.data(), cache), forward);
  } else {
    forward();
  }
  if (m_drafts && is_last) m_drafts->end_step(on_device, kv);
}

Result<std::span<const int32_t>> ModelRunner::guess(int number, const ForwardBatch& batch,
                                                    const CacheStorage& kv,
                                                    const SampleBatch& rows) {
  CHECK(m_drafts && m_submitted.empty());
  const int64_t count = batch.num_tokens();
  return m_drafts->guess(number, batch, kv,
                         {.logits = m_logits.view.rows(0, count),
                          .tokens = m_tokens.view.rows(0, count),
                          .rows = rows});
}

/// Where the results of that many rows are.
TensorView ModelRunner::results(size_t num_rows) const {
  const auto count = static_cast<int64_t>(num_rows);
  return m_limits.gives_states ? m_decoder->states(count) : m_logits.view.rows(0, count);
}

/// Copies what the stage before computed to this one, through host memory.
Result<void> ModelRunner::move_carried(size_t stage, int num_tokens) {
  const std::vector<TensorView> all_from = m_decoder->carried(stage - 1, num_tokens);
  const std::vector<TensorView> all_to = m_decoder->carried(stage, num_tokens);
  Backend& source = *m_stages[stage - 1].backend;
  m_host_carried.resize(all_from.size());
  for (size_t i = 0; i < all_from.size(); ++i) {
    std::vector<float>& host = m_host_carried[i];
    host.resize(static_cast<size_t>(all_from[i].num_elements()));
    source.download(host.data(), all_from[i].data(), host.size() * sizeof(float));
  }
  if (auto done = source.synchronize(); !done) return done;
  for (size_t i = 0; i < all_to.size(); ++i) {
    const std::vector<float>& host = m_host_carried[i];
    m_stages[stage].backend->upload(all_to[i].data(), host.data(), host.size() * sizeof(float));
  }
  return {};
}

bool ModelRunner::uses_graphs() const {
  return std::ranges::all_of(m_stages,
                             [](const Stage& stage) { return stage.backend->captures_graphs(); });
}

bool ModelRunner::can_run_ahead() const {
  return m_stages.size() == 1 && uses_graphs();
}

Result<std::span<float>> ModelRunner::run(const ForwardBatch& batch, const CacheStorage& kv) {
  if (auto computed = compute(batch, kv, /*follows=*/false); !computed) return computed.error();
  const TensorView rows = results(batch.logits_rows.size());
  const std::span out(m_host_logits.data(), rows.num_elements());
  if (!out.empty()) last_backend().download(out.data(), rows.data(), out.size_bytes());
  if (auto done = last_backend().synchronize(); !done) return done.error();
  return out;
}

Result<void> ModelRunner::submit(const ForwardBatch& batch, const CacheStorage& kv,
                                 const Sampling& sampling) {
  const auto count = static_cast<int64_t>(batch.logits_rows.size());
  CHECK(std::ssize(sampling.rows.rows) == count && m_submitted.size() < 2);
  CHECK(!sampling.follows || (can_run_ahead() && is_decode_batch(batch)));
  if (auto computed = compute(batch, kv, sampling.follows); !computed) return computed;
  Backend& backend = last_backend();
  SampledRows sampled;
  if (count > 0) {
    const TensorView logits = m_logits.view.rows(0, count);
    if (sampling.wants_logits) {
      const std::span host(m_host_logits.data(), static_cast<size_t>(logits.num_elements()));
      backend.download(host.data(), logits.data(), host.size_bytes());
      sampled.logits = host;
    }
    const TensorView tokens = m_tokens.view.rows(0, count);
    backend.sample(tokens, logits, sampling.rows);
    const std::span host(m_host_tokens[m_num_steps % 2].data(), static_cast<size_t>(count));
    backend.download(host.data(), tokens.data(), host.size_bytes());
    sampled.tokens = host;
  }
  m_submitted.push_back({backend.mark(), sampled});
  return {};
}

Result<SampledRows> ModelRunner::wait() {
  CHECK(!m_submitted.empty());
  const Submitted first = m_submitted.front();
  m_submitted.pop_front();
  if (auto done = last_backend().wait_for(first.mark); !done) return done.error();
  return first.sampled;
}

void ModelRunner::drop_submitted() {
  if (m_submitted.empty()) return;
  // Downloads go to memory of this runner; a failure here was reported where they were submitted.
  static_cast<void>(last_backend().synchronize());
  m_submitted.clear();
}

}  // namespace quire
