#include "tests/kernels/attention_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace quire::test {
namespace {

int blocks_for(int num_tokens) {
  return (num_tokens + kBlockSize - 1) / kBlockSize;
}

/// 0 ... n - 1 in no order.
std::vector<int32_t> shuffled(int n, Numbers& numbers) {
  std::vector<int32_t> order(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) order[static_cast<size_t>(i)] = i;
  for (int i = n - 1; i > 0; --i) {
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(numbers.below(i + 1))]);
  }
  return order;
}

/// The numbers of pages in a dtype; those of i8 stay floats, which I8Pages rounds.
TypedNumbers pages_in(DType dtype, std::vector<float> numbers) {
  return in_dtype(dtype == DType::kI8 ? DType::kF32 : dtype, std::move(numbers));
}

}  // namespace

AttentionProblem::I8Pages::I8Pages(const std::vector<float>& numbers, int dim) {
  for (auto row = numbers.begin(); row != numbers.end(); row += dim) {
    float largest = 0.0f;
    for (auto x = row; x != row + dim; ++x) largest = std::max(largest, std::fabs(*x));
    const bool is_nan = std::isnan(*row);
    scales.push_back(is_nan ? *row : largest / 127.0f);
    for (auto x = row; x != row + dim; ++x) {
      const float code = largest > 0.0f ? std::round(*x / largest * 127.0f) : 0.0f;
      codes.push_back(static_cast<int8_t>(is_nan ? 99.0f : code));
    }
  }
}

AttentionProblem::DevicePages::DevicePages(const AttentionCase& shape, const TypedNumbers& k,
                                           const TypedNumbers& v, const KeyPages& layout)
    : by_dimension(layout.by_dimension()) {
  if (shape.dtype == DType::kI8) {
    i8_keys = I8Pages(k.exact, shape.D);
    i8_keys.codes = layout.to_device(i8_keys.codes);
    i8_values = I8Pages(v.exact, shape.value_dim());
    return;
  }
  keys.dtype = k.dtype;
  if (k.halves.empty()) keys.exact = layout.to_device(k.exact);
  keys.halves = layout.to_device(k.halves);
}

AttentionProblem::AttentionProblem(const AttentionCase& shape,
                                   std::vector<AttentionSequence> sequences)
    : m_case(shape), m_sequences(std::move(sequences)) {
  Numbers numbers(static_cast<uint32_t>(shape.D * 100 + shape.Hkv * 10 + shape.group));
  m_query_start = {0};
  for (const AttentionSequence& s : m_sequences) {
    m_num_rows += s.rows;
    m_max_blocks = std::max(m_max_blocks, blocks_for(s.context));
    m_num_blocks += blocks_for(s.context) - s.shared_blocks;
    m_query_start.push_back(m_num_rows);
    m_context_len.push_back(s.context);
  }
  m_num_blocks += 1;
  m_q = numbers.floats(int64_t{m_num_rows} * heads() * shape.D, 3.0f);
  for (int h = 0; h < heads(); ++h) m_sinks.push_back(shape.sink + numbers.next());
  place_pages(numbers);
  fill_pages(numbers);
}

void AttentionProblem::place_pages(Numbers& numbers) {
  const std::vector<int32_t> order = shuffled(m_num_blocks, numbers);
  // Entries past the context hold a block that does not exist: reading it would crash.
  m_block_tables.assign(m_sequences.size() * static_cast<size_t>(m_max_blocks), 1 << 20);
  size_t next = 0;
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    for (int i = 0; i < blocks_for(m_sequences[s].context); ++i) {
      const bool shared = i < m_sequences[s].shared_blocks;
      block_of(s, i * kBlockSize) =
          shared ? block_of(static_cast<size_t>(m_sequences[s].shares_with), i * kBlockSize)
                 : order[next++];
    }
  }
}

void AttentionProblem::fill_pages(Numbers& numbers) {
  const auto blocks = static_cast<size_t>(m_num_blocks);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> keys(blocks * page_floats(m_case.D), nan);
  std::vector<float> values(blocks * page_floats(m_case.value_dim()), nan);
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    const int begin = m_sequences[s].shared_blocks * kBlockSize;
    for (int p = begin; p < m_sequences[s].context; ++p) {
      for (int h = 0; h < m_case.Hkv; ++h) {
        for (int d = 0; d < std::max(m_case.D, m_case.value_dim()); ++d) {
          if (d < m_case.D) keys[index_of(s, p, h, d, m_case.D)] = numbers.next();
          if (d >= m_case.value_dim()) continue;
          values[index_of(s, p, h, d, m_case.value_dim())] = numbers.next();
        }
      }
    }
  }
  set_pages(std::move(keys), std::move(values));
}

void AttentionProblem::unshare() {
  std::vector<float> keys;
  std::vector<float> values;
  m_num_blocks = 0;
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    for (int i = 0; i < blocks_for(m_sequences[s].context); ++i) {
      int32_t& block = block_of(s, i * kBlockSize);
      const auto copy = [&](std::vector<float>& to, const std::vector<float>& from, int dim) {
        const auto floats = static_cast<std::ptrdiff_t>(page_floats(dim));
        const auto begin = from.begin() + block * floats;
        to.insert(to.end(), begin, begin + floats);
      };
      copy(keys, m_keys.exact, m_case.D);
      copy(values, m_values.exact, m_case.value_dim());
      block = m_num_blocks++;
    }
  }
  set_pages(std::move(keys), std::move(values));
}

void AttentionProblem::round_queries() {
  for (float& x : m_q) x = bf16_to_f32(f32_to_bf16(x));
}

void AttentionProblem::forget_before_windows() {
  const int32_t zeros = m_num_blocks++;
  m_keys.exact.resize(m_keys.exact.size() + page_floats(m_case.D), 0.0f);
  m_values.exact.resize(m_values.exact.size() + page_floats(m_case.value_dim()), 0.0f);
  set_pages(m_keys.exact, m_values.exact);
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    const int first = m_sequences[s].context - m_sequences[s].rows - m_case.params.sliding_window;
    for (int p = kBlockSize - 1; p <= first; p += kBlockSize) block_of(s, p) = zeros;
  }
}

void AttentionProblem::make_nan() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (std::vector<float>* numbers : {&m_q, &m_keys.exact, &m_values.exact}) {
    std::fill(numbers->begin(), numbers->end(), kNan);
  }
  set_pages(m_keys.exact, m_values.exact);
}

void AttentionProblem::set_value(int s, int position, float number) {
  for (int h = 0; h < m_case.Hkv; ++h) {
    for (int d = 0; d < m_case.value_dim(); ++d) {
      m_values.exact[index_of(static_cast<size_t>(s), position, h, d, m_case.value_dim())] = number;
    }
  }
  set_pages(m_keys.exact, m_values.exact);
}

void AttentionProblem::set_pages(std::vector<float> keys, std::vector<float> values) {
  m_keys = pages_in(m_case.dtype, std::move(keys));
  m_values = pages_in(m_case.dtype, std::move(values));
  m_device_pages.reset();
}

KvLayerView AttentionProblem::device_pages(const Backend& backend) {
  const KeyPages layout(backend, m_case.D);
  if (!m_device_pages || m_device_pages->by_dimension != layout.by_dimension()) {
    m_device_pages.emplace(m_case, m_keys, m_values, layout);
  }
  DevicePages& pages = *m_device_pages;
  const auto view_values = [&](void* data) {
    return TensorView{
        data, m_case.dtype, {m_num_blocks, m_case.Hkv, kBlockSize, m_case.value_dim()}};
  };
  if (m_case.dtype != DType::kI8) {
    return {layout.view(pages.keys.data(), m_case.dtype, m_num_blocks, m_case.Hkv),
            view_values(m_values.data())};
  }
  return {layout.view(pages.i8_keys.codes.data(), DType::kI8, m_num_blocks, m_case.Hkv),
          view_values(pages.i8_values.codes.data()),
          view(pages.i8_keys.scales, {m_num_blocks, m_case.Hkv, kBlockSize}),
          view(pages.i8_values.scales, {m_num_blocks, m_case.Hkv, kBlockSize})};
}

std::vector<float> AttentionProblem::run(Backend& backend) {
  return run(backend, m_query_start, m_context_len, 0, 0, m_num_rows);
}

std::vector<float> AttentionProblem::run_rows(Backend& backend, int s, int first, int count) {
  const auto at = static_cast<size_t>(s);
  std::vector<int32_t> start = {0, count};
  const int context = m_context_len[at] - (m_sequences[at].rows - first - count);
  std::vector<int32_t> context_len = {context};
  return run(backend, start, context_len, s, m_query_start[at] + first, count);
}

std::vector<double> AttentionProblem::reference() const {
  std::vector<double> out(static_cast<size_t>(m_num_rows * row_floats()));
  for (size_t s = 0; s < m_sequences.size(); ++s) {
    for (int row = 0; row < m_sequences[s].rows; ++row) {
      const int position = m_sequences[s].context - m_sequences[s].rows + row;
      for (int h = 0; h < heads(); ++h) attend(out, s, m_query_start[s] + row, h, position);
    }
  }
  return out;
}

size_t AttentionProblem::page_floats(int dim) const {
  return static_cast<size_t>(m_case.Hkv) * kBlockSize * static_cast<size_t>(dim);
}

int32_t& AttentionProblem::block_of(size_t s, int position) {
  return m_block_tables[s * static_cast<size_t>(m_max_blocks) +
                        static_cast<size_t>(position / kBlockSize)];
}

size_t AttentionProblem::index_of(size_t s, int position, int h, int d, int dim) const {
  const int64_t block = m_block_tables[s * static_cast<size_t>(m_max_blocks) +
                                       static_cast<size_t>(position / kBlockSize)];
  const int64_t slot = (block * m_case.Hkv + h) * kBlockSize + position % kBlockSize;
  return static_cast<size_t>(slot * dim + d);
}

void AttentionProblem::attend(std::vector<double>& out, size_t s, int row, int h,
                              int position) const {
  const int window = m_case.params.sliding_window, chunk = m_case.params.chunk_size;
  const double cap = m_case.params.soft_cap;
  const int in_window = window > 0 ? std::max(0, position + 1 - window) : 0;
  const int first = chunk > 0 ? std::max(in_window, position - position % chunk) : in_window;
  const size_t q =
      (static_cast<size_t>(row) * static_cast<size_t>(heads()) + static_cast<size_t>(h)) *
      static_cast<size_t>(m_case.D);
  const auto at = static_cast<size_t>(row * row_floats() + int64_t{h} * m_case.value_dim());
  std::vector<double> scores;
  const double sink = m_case.sink != 0.0f ? double{m_sinks[static_cast<size_t>(h)]} : -1e300;
  double maximum = sink;
  for (int p = first; p <= position; ++p) {
    double score = 0.0;
    const float* const k = key(s, p, h / m_case.group);
    for (int d = 0; d < m_case.D; ++d) score += double{m_q[q + static_cast<size_t>(d)]} * k[d];
    score *= m_case.params.scale;
    if (cap > 0.0) score = cap * std::tanh(score / cap);
    scores.push_back(score);
    maximum = std::max(maximum, score);
  }
  double total = std::exp(sink - maximum);
  for (double& score : scores) total += score = std::exp(score - maximum);
  for (int p = first; p <= position; ++p) {
    const double weight = scores[static_cast<size_t>(p - first)] / total;
    const float* const v = value(s, p, h / m_case.group);
    for (int d = 0; d < m_case.value_dim(); ++d) out[at + static_cast<size_t>(d)] += weight * v[d];
  }
}

std::vector<float> AttentionProblem::run(Backend& backend, std::vector<int32_t>& query_start,
                                         std::vector<int32_t>& context_len, int64_t first_sequence,
                                         int64_t first_row, int64_t count) {
  const int64_t D = m_case.D;
  const auto num_sequences = static_cast<int64_t>(context_len.size());
  std::vector<float> out(static_cast<size_t>(count * row_floats()), -7.0f);
  const ConstTensorView tables =
      view(m_block_tables, {static_cast<int64_t>(m_sequences.size()), m_max_blocks})
          .rows(first_sequence, num_sequences);
  AttentionParams params = m_case.params;
  if (m_case.sink != 0.0f) params.sinks = view(m_sinks, {heads()});
  backend.attention(view(out, {count, heads(), m_case.value_dim()}),
                    view(m_q, {m_num_rows, heads(), D}).rows(first_row, count),
                    device_pages(backend),
                    {.query_start = view(query_start, {num_sequences + 1}),
                     .context_len = view(context_len, {num_sequences}),
                     .block_tables = tables},
                    params);
  return out;
}

}  // namespace quire::test
