#include "engine/models/draft_runner.h"

#include <algorithm>
#include <utility>

#include "engine/models/batch_upload.h"

namespace quire {

Result<std::unique_ptr<DraftRunner>> DraftRunner::create(Decoder& decoder, const Limits& limits) {
  CHECK(decoder.draft_layers() != nullptr);
  std::unique_ptr<DraftRunner> runner(new DraftRunner(decoder, limits));
  if (auto allocated = runner->allocate(); !allocated) return allocated.error();
  return runner;
}

Result<void> DraftRunner::allocate() {
  const int64_t width = m_decoder->config().hidden_size;
  const int sequences = m_limits.max_sequences;
  const int inputs = keeps_all() ? std::max(m_limits.max_tokens, sequences) : sequences;
  const size_t guess = batch_size({.tokens = static_cast<size_t>(sequences),
                                   .sequences = static_cast<size_t>(sequences),
                                   .blocks = static_cast<size_t>(m_limits.max_blocks)}) +
                       static_cast<size_t>(sequences);
  const auto allocate = [&](DeviceTensor& tensor, DType dtype,
                            std::initializer_list<int64_t> shape) -> Result<void> {
    auto allocated = allocate_tensor(backend(), dtype, shape);
    if (!allocated) return allocated.error();
    tensor = std::move(*allocated);
    return {};
  };
  const int64_t num_states = first_of_guesses() + sequences;
  auto done = allocate(m_states, DType::kF32, {num_states, width});
  if (done) done = allocate(m_carried, DType::kF32, {sequences, width});
  if (done) done = allocate(m_inputs, DType::kF32, {inputs, width});
  if (done) done = allocate(m_rows, DType::kI32, {sequences + m_limits.max_tokens});
  if (done) done = allocate(m_batch, DType::kI32, {static_cast<int64_t>(guess)});
  if (!done) return done;
  m_host_tokens.resize(static_cast<size_t>(sequences));
  // Row 0 stays zeros, and others may be gathered before they are computed.
  const std::vector<float> zeros(static_cast<size_t>(num_states * width), 0.0f);
  backend().upload(m_states.view.data(), zeros.data(), zeros.size() * sizeof(float));
  return backend().synchronize();
}

/// The row of m_states with the state after the token at that position; 0, the row of zeros, if it
/// is not known.
int DraftRunner::row_after(uint64_t sequence, int position) const {
  const auto it = m_kept.find(sequence);
  if (it == m_kept.end()) return 0;
  const Kept& kept = it->second;
  const int at = position - kept.first;
  return at >= 0 && at < kept.count ? kept.row + at : 0;
}

/// Chooses one state of each sequence that is carried to the next step. Returns the rows of
/// m_states where they are now, and sets m_kept to where they are carried to.
std::vector<int32_t> DraftRunner::carry(const ForwardBatch& batch) {
  std::map<uint64_t, Kept> carried;
  std::vector<int32_t> rows;
  const auto add = [&](uint64_t sequence, int row, int position, uint64_t step) {
    if (row == 0 || std::ssize(rows) == m_limits.max_sequences) return;
    rows.push_back(row);
    carried[sequence] = {static_cast<int>(rows.size()), position, 1, step};
  };
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    const int before = batch.positions[static_cast<size_t>(batch.query_start[s])] - 1;
    add(batch.sequences[s], row_after(batch.sequences[s], before), before, m_num_steps);
  }
  // Of the other sequences only prefills continue, after their last row.
  for (const auto& [sequence, kept] : m_kept) {
    const bool is_old = m_num_steps - kept.step > kMaxIdleSteps;
    if (is_old || std::ranges::count(batch.sequences, sequence) > 0) continue;
    const int last = kept.count - 1;
    add(sequence, kept.row + last, kept.first + last, kept.step);
  }
  m_kept = std::move(carried);
  return rows;
}

void DraftRunner::begin_step(const ForwardBatch& batch) {
  ++m_num_steps;
  m_guess_rows.clear();
  std::vector<int32_t>& rows = m_host_rows[m_num_steps % 2];
  rows = carry(batch);
  m_num_carried = std::ssize(rows);
  if (keeps_all()) find_previous(batch, rows);
  if (!rows.empty()) {
    backend().upload(m_rows.view.data(), rows.data(), rows.size() * sizeof(int32_t));
  }
  if (m_num_carried > 0) {
    const TensorView carried = m_carried.view.rows(0, m_num_carried);
    backend().gather_rows(carried, m_states.view, m_rows.view.rows(0, m_num_carried));
    backend().copy(m_states.view.rows(1, m_num_carried).data(), carried.data(),
                   static_cast<size_t>(carried.num_elements()) * sizeof(float));
  }
  keeps_all() ? note_step(batch) : note_logits(batch);
}

/// Appends, for each row of the batch, the row of m_states with the state before it.
void DraftRunner::find_previous(const ForwardBatch& batch, std::vector<int32_t>& rows) const {
  for (size_t s = 0; s < batch.context_len.size(); ++s) {
    const int begin = batch.query_start[s], end = batch.query_start[s + 1];
    const int before = batch.positions[static_cast<size_t>(begin)] - 1;
    const bool is_named = s < batch.sequences.size();  // Padding is not.
    rows.push_back(is_named ? row_after(batch.sequences[s], before) : 0);
    for (int row = begin; row + 1 < end; ++row) rows.push_back(first_of_step() + row);
  }
}

/// Notes that the states of all rows will be kept.
void DraftRunner::note_step(const ForwardBatch& batch) {
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    const int begin = batch.query_start[s];
    m_kept[batch.sequences[s]] = {.row = first_of_step() + begin,
                                  .first = batch.positions[static_cast<size_t>(begin)],
                                  .count = batch.query_start[s + 1] - begin,
                                  .step = m_num_steps};
  }
}

/// Notes that the states of the rows with logits will be kept.
void DraftRunner::note_logits(const ForwardBatch& batch) {
  size_t next = 0;
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    m_kept.erase(batch.sequences[s]);
    const size_t first = next;
    while (next < batch.logits_rows.size() && batch.logits_rows[next] < batch.query_start[s + 1]) {
      ++next;
    }
    if (next == first) continue;
    const auto row = static_cast<size_t>(batch.logits_rows[first]);
    m_kept[batch.sequences[s]] = {.row = first_of_step() + static_cast<int>(first),
                                  .first = batch.positions[row],
                                  .count = static_cast<int>(next - first),
                                  .step = m_num_steps};
  }
}

TensorView DraftRunner::kept(const ForwardBatch& batch) const {
  const size_t count = keeps_all() ? batch.ids.size() : batch.logits_rows.size();
  return m_states.view.rows(first_of_step(), static_cast<int64_t>(count));
}

TensorView DraftRunner::gather(ConstTensorView rows) {
  const TensorView inputs = m_inputs.view.rows(0, rows.dim(0));
  backend().gather_rows(inputs, m_states.view, rows);
  return inputs;
}

void DraftRunner::end_step(const DeviceBatch& batch, const CacheStorage& kv) {
  if (!keeps_all()) return;
  const TensorView previous = gather(m_rows.view.rows(m_num_carried, batch.num_tokens()));
  m_decoder->extend_drafts(batch, kv, previous);
}

/// The rows of m_states that guess `number` reads. With a cache, guesses after the first read the
/// state of the guess before. Without one, all read the decoder's last state, which is `number`
/// more tokens back.
std::vector<int32_t> DraftRunner::states_before(int number, const ForwardBatch& batch) const {
  std::vector<int32_t> rows;
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    if (number > 0 && keeps_all()) {
      const auto it = m_guess_rows.find(batch.sequences[s]);
      rows.push_back(it == m_guess_rows.end() ? 0 : it->second);
    } else {
      rows.push_back(row_after(batch.sequences[s], batch.positions[s] - number - 1));
    }
  }
  return rows;
}

Result<std::span<const int32_t>> DraftRunner::guess(int number, const ForwardBatch& batch,
                                                    const CacheStorage& kv,
                                                    const Results& results) {
  const int64_t count = batch.num_tokens();
  CHECK(count > 0 && count <= m_limits.max_sequences && batch.num_sequences() == count &&
        std::ssize(batch.sequences) == count && batch.max_blocks <= m_limits.max_blocks);
  m_host_batch.clear();
  append_batch(m_host_batch, batch);
  const std::vector<int32_t> rows = states_before(number, batch);
  const auto first = static_cast<int64_t>(m_host_batch.size());
  m_host_batch.insert(m_host_batch.end(), rows.begin(), rows.end());
  backend().upload(m_batch.view.data(), m_host_batch.data(), m_host_batch.size() * sizeof(int32_t));
  const DeviceBatch on_device = views_of(batch, m_batch.view.as<int32_t>());
  const TensorView previous = gather(m_batch.view.rows(first, count));
  backend().begin_attention(on_device.attention, {.query_start = batch.query_start,
                                                  .context_len = batch.context_len,
                                                  .block_tables = batch.block_tables,
                                                  .window_tables = {}});
  const TensorView states = m_states.view.rows(first_of_guesses(), count);
  m_decoder->guess(number, on_device, kv,
                   {.previous = previous, .states = states, .logits = results.logits});
  m_guess_rows.clear();
  for (size_t s = 0; s < batch.sequences.size(); ++s) {
    m_guess_rows[batch.sequences[s]] = first_of_guesses() + static_cast<int32_t>(s);
  }
  backend().sample(results.tokens, results.logits, results.rows);
  const std::span host(m_host_tokens.data(), static_cast<size_t>(count));
  backend().download(host.data(), results.tokens.data(), host.size_bytes());
  if (auto done = backend().synchronize(); !done) return done.error();
  return std::span<const int32_t>(host);
}

}  // namespace quire
