#include "tests/kernels/cuda/gpu_attention_problem.h"

#include <simt_device.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace quire::test {
namespace {

int blocks_for(int num_tokens) {
  return (num_tokens + kBlockSize - 1) / kBlockSize;
}

}  // namespace

GpuAttentionProblem::GpuAttentionProblem(const AttentionCase& shape,
                                         std::vector<AttentionSequence> sequences)
    : m_case(shape), m_sequences(std::move(sequences)) {
  Numbers random(static_cast<uint32_t>(shape.D * 100 + shape.Hkv * 10 + shape.group));
  for (const AttentionSequence& s : m_sequences) {
    m_num_blocks += blocks_for(s.context) - s.shared_blocks;
    m_query_start.push_back(m_query_start.back() + s.rows);
  }
  m_q = random.floats(int64_t{num_rows()} * query_floats(), 3.0f);
  for (int h = 0; h < heads(); ++h) m_sinks.push_back(shape.sink + random.next());
  std::vector<int32_t> order;
  for (int i = 0; i < m_num_blocks; ++i) order.push_back(i);
  for (int i = m_num_blocks - 1; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random.below(i + 1))]);
  size_t next = 0;
  for (const AttentionSequence& s : m_sequences) {
    std::vector<int32_t> table;
    for (int i = 0; i < blocks_for(s.context); ++i) {
      const bool shared = i < s.shared_blocks;
      table.push_back(shared ? m_tables[static_cast<size_t>(s.shares_with)][static_cast<size_t>(i)]
                             : order[next++]);
    }
    m_tables.push_back(std::move(table));
  }
  m_keys.dim = shape.D;
  m_values.dim = shape.value_dim();
  fill(m_keys, random);
  fill(m_values, random);
}

void GpuAttentionProblem::fill(Numbers8& numbers, Numbers& random) const {
  const auto num_slots = static_cast<size_t>(m_num_blocks) * static_cast<size_t>(m_case.Hkv) * 16;
  const auto dim = static_cast<size_t>(numbers.dim);
  numbers.exact.assign(num_slots * dim, std::numeric_limits<float>::quiet_NaN());
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    const int begin = m_sequences[s].shared_blocks * kBlockSize;
    for (int p = begin; p < m_sequences[s].context; ++p) {
      for (int h = 0; h < m_case.Hkv; ++h) {
        const size_t at = slot_of(s, p, h) * dim;
        for (size_t d = 0; d < dim; ++d) numbers.exact[at + d] = random.next();
      }
    }
  }
  encode(numbers);
}

size_t GpuAttentionProblem::slot_of(size_t sequence, int position, int head) const {
  const auto block =
      static_cast<size_t>(m_tables[sequence][static_cast<size_t>(position / kBlockSize)]);
  return (block * static_cast<size_t>(m_case.Hkv) + static_cast<size_t>(head)) * kBlockSize +
         static_cast<size_t>(position % kBlockSize);
}

/// Makes the pages' bytes of the numbers, and the numbers what the bytes say.
void GpuAttentionProblem::encode(Numbers8& numbers) const {
  const auto dim = static_cast<size_t>(numbers.dim);
  const size_t num_slots = numbers.exact.size() / dim;
  numbers.scales.assign(num_slots, 1.0f);
  numbers.bytes.resize(numbers.exact.size() * static_cast<size_t>(dtype_bytes(m_case.dtype)));
  for (size_t slot = 0; slot < num_slots; ++slot) encode_slot(numbers, slot);
}

void GpuAttentionProblem::encode_slot(Numbers8& numbers, size_t slot) const {
  const auto dim = static_cast<size_t>(numbers.dim);
  const size_t begin = slot * dim;
  float largest = 0.0f;
  for (size_t i = begin; i < begin + dim; ++i)
    largest = std::max(largest, std::fabs(numbers.exact[i]));
  const bool is_number = !std::isnan(numbers.exact[begin]);
  // Scales differ much from slot to slot.
  numbers.scales[slot] = is_number ? largest / 127.0f : std::numeric_limits<float>::quiet_NaN();
  for (size_t i = begin; i < begin + dim; ++i) {
    float& x = numbers.exact[i];
    switch (m_case.dtype) {
      case DType::kF32:
        std::memcpy(&numbers.bytes[4 * i], &x, 4);
        break;
      case DType::kI8: {
        const float scale = numbers.scales[slot];
        const int rounded = is_number ? static_cast<int>(std::lround(x / scale)) : 77;
        numbers.bytes[i] = static_cast<uint8_t>(rounded);
        x = is_number ? static_cast<float>(rounded) * scale : x;
        break;
      }
      case DType::kF8E4M3:
        numbers.bytes[i] = is_number ? simt::float_to_f8_e4m3(x) : uint8_t{0x7f};
        x = simt::f8_e4m3_to_float(numbers.bytes[i]);
        break;
      default: {
        const bool is_f16 = m_case.dtype == DType::kF16;
        const uint16_t bits = is_f16 ? f32_to_f16(x) : f32_to_bf16(x);
        std::memcpy(&numbers.bytes[2 * i], &bits, 2);
        x = is_f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
      }
    }
  }
}

void GpuAttentionProblem::unshare() {
  const Numbers8 old[2] = {m_keys, m_values};
  const std::vector<std::vector<int32_t>> tables = m_tables;
  m_num_blocks = 0;
  for (auto& table : m_tables) {
    for (int32_t& block : table) block = m_num_blocks++;
  }
  const auto page_slots = static_cast<size_t>(m_case.Hkv) * kBlockSize;
  for (int which = 0; which < 2; ++which) {
    Numbers8 numbers;
    numbers.dim = old[which].dim;
    for (const auto& table : tables) {
      for (const int32_t block : table) {
        const auto append = [&](auto& to, const auto& from, size_t of_slot) {
          const auto count = static_cast<std::ptrdiff_t>(page_slots * of_slot);
          const auto begin = from.begin() + count * block;
          to.insert(to.end(), begin, begin + count);
        };
        const auto dim = static_cast<size_t>(numbers.dim);
        append(numbers.exact, old[which].exact, dim);
        append(numbers.bytes, old[which].bytes,
               dim * static_cast<size_t>(dtype_bytes(m_case.dtype)));
        append(numbers.scales, old[which].scales, 1);
      }
    }
    (which == 0 ? m_keys : m_values) = std::move(numbers);
  }
}

void GpuAttentionProblem::forget_before_windows() {
  const int32_t zeros = m_num_blocks++;
  for (Numbers8* const numbers : {&m_keys, &m_values}) {
    const auto slots = static_cast<size_t>(m_case.Hkv) * kBlockSize;
    const size_t added = slots * static_cast<size_t>(numbers->dim);
    numbers->exact.resize(numbers->exact.size() + added, 0.0f);
    numbers->scales.resize(numbers->scales.size() + slots, 0.0f);
    numbers->bytes.resize(
        numbers->bytes.size() + added * static_cast<size_t>(dtype_bytes(m_case.dtype)), 0);
  }
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    const int first = m_sequences[s].context - m_sequences[s].rows - m_case.params.sliding_window;
    for (int p = kBlockSize - 1; p <= first; p += kBlockSize) {
      m_tables[s][static_cast<size_t>(p / kBlockSize)] = zeros;
    }
  }
}

std::vector<AttentionPart> GpuAttentionProblem::whole() const {
  std::vector<AttentionPart> parts;
  for (size_t s = 0; s < m_sequences.size(); ++s)
    parts.push_back({static_cast<int>(s), 0, m_sequences[s].rows});
  return parts;
}

GpuAttentionProblem::Batch GpuAttentionProblem::batch_of(const std::vector<AttentionPart>& parts,
                                                         int padding) const {
  Batch batch{{}, {0}, {}, {}, 1};
  for (const auto& table : m_tables)
    batch.max_blocks = std::max(batch.max_blocks, static_cast<int64_t>(table.size()));
  for (const AttentionPart& part : parts) {
    const auto s = static_cast<size_t>(part.sequence);
    const auto begin = m_q.begin() + (first_row(part.sequence) + part.first) *
                                         static_cast<std::ptrdiff_t>(query_floats());
    batch.q.insert(batch.q.end(), begin,
                   begin + part.count * static_cast<std::ptrdiff_t>(query_floats()));
    batch.query_start.push_back(batch.query_start.back() + part.count);
    const int context = m_sequences[s].context - (m_sequences[s].rows - part.first - part.count);
    batch.context_len.push_back(context);
    // Entries past the context are a block that does not exist: reading it would crash.
    std::vector<int32_t> table = m_tables[s];
    table.resize(static_cast<size_t>(blocks_for(context)));
    table.resize(static_cast<size_t>(batch.max_blocks), 1 << 24);
    batch.block_tables.insert(batch.block_tables.end(), table.begin(), table.end());
  }
  for (int i = 0; i < padding; ++i) {
    batch.q.insert(batch.q.end(), static_cast<size_t>(query_floats()),
                   std::numeric_limits<float>::quiet_NaN());
    batch.query_start.push_back(batch.query_start.back() + 1);
    batch.context_len.push_back(0);
    batch.block_tables.insert(batch.block_tables.end(), static_cast<size_t>(batch.max_blocks),
                              1 << 24);
  }
  return batch;
}

GpuAttentionProblem::Pool GpuAttentionProblem::pool() const {
  return {GpuArray<uint8_t>(m_keys.bytes), GpuArray<uint8_t>(m_values.bytes),
          GpuArray<float>(m_keys.scales), GpuArray<float>(m_values.scales),
          GpuArray<float>(m_sinks)};
}

KvLayerView GpuAttentionProblem::view_of(const Pool& pool) const {
  const std::initializer_list<int64_t> scales = {m_num_blocks, m_case.Hkv, kBlockSize};
  KvLayerView view = {
      {pool.keys.data(), m_case.dtype, {m_num_blocks, m_case.Hkv, kBlockSize, m_keys.dim}},
      {pool.values.data(), m_case.dtype, {m_num_blocks, m_case.Hkv, kBlockSize, m_values.dim}}};
  if (m_case.dtype == DType::kI8) {
    view.key_scales = {pool.key_scales.data(), DType::kF32, scales};
    view.value_scales = {pool.value_scales.data(), DType::kF32, scales};
  }
  return view;
}

AttentionParams GpuAttentionProblem::params_of(const Pool& pool) const {
  AttentionParams params = m_case.params;
  if (m_case.sink != 0.0f) params.sinks = {pool.sinks.data(), DType::kF32, {heads()}};
  return params;
}

std::vector<float> GpuAttentionProblem::run(cuda::CommandQueue& queue,
                                            cuda::PagedAttention& attention,
                                            const std::vector<AttentionPart>& parts,
                                            int padding) const {
  const GpuAttentionStep step(*this, parts, padding);
  step.begin(attention);
  step.run(attention);
  return step.out(queue);
}

std::vector<float> GpuAttentionProblem::run() const {
  const TestGpu gpu;
  cuda::PagedAttention attention(*gpu.queue);
  return run(*gpu.queue, attention, whole());
}

std::vector<double> GpuAttentionProblem::reference() const {
  std::vector<double> out(static_cast<size_t>(num_rows() * row_floats()));
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    for (int row = 0; row < m_sequences[s].rows; ++row) {
      const int position = m_sequences[s].context - m_sequences[s].rows + row;
      for (int h = 0; h < heads(); ++h) attend(out, s, m_query_start[s] + row, h, position);
    }
  }
  return out;
}

void GpuAttentionProblem::attend(std::vector<double>& out, size_t s, int row, int h,
                                 int position) const {
  const int window = m_case.params.sliding_window, chunk = m_case.params.chunk_size;
  const double cap = m_case.params.soft_cap;
  const int in_window = window > 0 ? std::max(0, position + 1 - window) : 0;
  const int first = chunk > 0 ? std::max(in_window, position - position % chunk) : in_window;
  const auto dim = static_cast<size_t>(m_case.D);
  const size_t q =
      (static_cast<size_t>(row) * static_cast<size_t>(heads()) + static_cast<size_t>(h)) * dim;
  const auto value_dim = static_cast<size_t>(m_values.dim);
  const size_t at = q / dim * value_dim;
  std::vector<double> scores;
  const double sink = m_case.sink != 0.0f ? double{m_sinks[static_cast<size_t>(h)]} : -1e300;
  double maximum = sink;
  for (int p = first; p <= position; ++p) {
    const size_t key = slot_of(s, p, h / m_case.group) * dim;
    double score = 0.0;
    for (size_t d = 0; d < dim; ++d) score += double{m_q[q + d]} * m_keys.exact[key + d];
    score *= m_case.params.scale;
    if (cap > 0.0) score = cap * std::tanh(score / cap);
    scores.push_back(score);
    maximum = std::max(maximum, score);
  }
  double total = std::exp(sink - maximum);
  for (double& score : scores) total += score = std::exp(score - maximum);
  for (int p = first; p <= position; ++p) {
    const size_t value = slot_of(s, p, h / m_case.group) * value_dim;
    const double weight = scores[static_cast<size_t>(p - first)] / total;
    for (size_t d = 0; d < value_dim; ++d) out[at + d] += weight * m_values.exact[value + d];
  }
}

GpuAttentionStep::GpuAttentionStep(const GpuAttentionProblem& problem,
                                   const std::vector<AttentionPart>& parts, int padding)
    : m_problem(problem),
      m_host(problem.batch_of(parts, padding)),
      m_pool(problem.pool()),
      m_q(m_host.q),
      m_out(std::vector<float>(m_host.q.size() / static_cast<size_t>(problem.query_floats()) *
                                   static_cast<size_t>(problem.row_floats()),
                               -7.0f)),
      m_query_start(m_host.query_start),
      m_context_len(m_host.context_len),
      m_block_tables(m_host.block_tables) {}

void GpuAttentionStep::change(cuda::CommandQueue& queue, const std::vector<AttentionPart>& parts) {
  CHECK(cudaStreamSynchronize(queue.stream()) == cudaSuccess);
  m_host = m_problem.batch_of(parts);
  const auto copy = [](const auto& to, const auto& from) {
    CHECK(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(from[0]),
                     cudaMemcpyHostToDevice) == cudaSuccess);
  };
  copy(m_q, m_host.q);
  copy(m_query_start, m_host.query_start);
  copy(m_context_len, m_host.context_len);
  copy(m_block_tables, m_host.block_tables);
}

AttentionBatch GpuAttentionStep::batch() const {
  const auto S = static_cast<int64_t>(m_host.context_len.size());
  return {.query_start = {m_query_start.data(), DType::kI32, {S + 1}},
          .context_len = {m_context_len.data(), DType::kI32, {S}},
          .block_tables = {m_block_tables.data(), DType::kI32, {S, m_host.max_blocks}}};
}

void GpuAttentionStep::begin(cuda::PagedAttention& attention) const {
  attention.begin(batch(), {m_host.query_start, m_host.context_len, m_host.block_tables});
}

void GpuAttentionStep::begin_with_windows(cuda::PagedAttention& attention, int32_t block) const {
  const std::vector<int32_t> others(m_host.block_tables.size(), block);
  attention.begin(batch(), {.query_start = m_host.query_start,
                            .context_len = m_host.context_len,
                            .block_tables = others,
                            .window_tables = m_host.block_tables});
}

void GpuAttentionStep::run(cuda::PagedAttention& attention) const {
  const int64_t T = m_host.query_start.back();
  run(attention,
      {m_out.data(), DType::kF32, {T, m_problem.heads(), int64_t{m_problem.value_dim()}}});
}

void GpuAttentionStep::run(cuda::PagedAttention& attention, TensorView out) const {
  const int64_t T = m_host.query_start.back();
  const int64_t H = m_problem.heads();
  attention.run(out, {m_q.data(), DType::kF32, {T, H, m_problem.head_dim()}},
                m_problem.view_of(m_pool), batch(), m_problem.params_of(m_pool));
}

}  // namespace quire::test
