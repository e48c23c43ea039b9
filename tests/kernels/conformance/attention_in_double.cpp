#include "tests/kernels/conformance/attention_in_double.h"

#include <algorithm>
#include <cmath>

namespace quire::test {
namespace {

/// One query row of one head, and where its keys and values are.
class Row {
 public:
  Row(const KvLayerView& kv, const AttentionParams& params, const int32_t* block_table,
      int64_t kv_head)
      : m_kv(kv), m_params(params), m_block_table(block_table), m_kv_head(kv_head) {}

  /// The row at `position` sees the keys from its window's and its chunk's first to itself.
  void attend(const float* q, int position, double sink, double* out, double* spread) {
    const int window = m_params.sliding_window;
    int first = window > 0 ? std::max(0, position + 1 - window) : 0;
    if (m_params.chunk_size > 0) first = std::max(first, position - position % m_params.chunk_size);
    weigh(q, first, position, sink);
    const int64_t D = m_kv.values.dim(3);
    std::fill_n(out, D, 0.0);
    std::fill_n(spread, D, 0.0);
    for (int p = first; p <= position; ++p) {
      const float* const v = value(p);
      for (int64_t d = 0; d < D; ++d) out[d] += weight(p - first) * v[d];
    }
    for (int p = first; p <= position; ++p) {
      const float* const v = value(p);
      const double moved = weight(p - first) * (1.0 + m_spreads[static_cast<size_t>(p - first)]);
      for (int64_t d = 0; d < D; ++d) {
        const double by = moved * (std::fabs(v[d]) + std::fabs(out[d]));
        spread[d] += by * by;
      }
    }
    for (int64_t d = 0; d < D; ++d) spread[d] = std::sqrt(spread[d]);
  }

 private:
  double weight(int i) const { return m_weights[static_cast<size_t>(i)]; }
  const float* at(const TensorView& pages, int p) const {
    const int64_t block = m_block_table[p / kBlockSize];
    const int64_t slot = (block * pages.dim(1) + m_kv_head) * kBlockSize + p % kBlockSize;
    return pages.as<float>() + slot * pages.dim(3);
  }
  const float* value(int p) const { return at(m_kv.values, p); }

  /// The weights of the keys [first, last], and the spreads of their scores.
  void weigh(const float* q, int first, int last, double sink) {
    m_weights.clear();
    m_spreads.clear();
    double largest = sink;
    for (int p = first; p <= last; ++p) {
      const float* const key = at(m_kv.keys, p);
      double score = 0.0;
      double squares = 0.0;
      for (int64_t d = 0; d < m_kv.keys.dim(3); ++d) {
        const double product = double{q[d]} * key[d];
        score += product;
        squares += product * product;
      }
      score *= m_params.scale;
      const double cap = m_params.soft_cap;
      if (cap > 0.0) score = cap * std::tanh(score / cap);
      m_weights.push_back(score);
      m_spreads.push_back(std::fabs(double{m_params.scale}) * std::sqrt(squares));
      largest = std::max(largest, score);
    }
    double total = std::exp(sink - largest);
    for (double& w : m_weights) total += w = std::exp(w - largest);
    for (double& w : m_weights) w /= total;
  }

  const KvLayerView& m_kv;
  const AttentionParams& m_params;
  const int32_t* m_block_table;
  int64_t m_kv_head;
  std::vector<double> m_weights;
  std::vector<double> m_spreads;
};

}  // namespace

AttentionInDouble attend_in_double(const ConstTensorView& q, const KvLayerView& kv,
                                   const AttentionBatch& batch, const AttentionParams& params) {
  const int64_t H = q.dim(1);
  const int64_t D = q.dim(2), Dv = kv.values.dim(3);
  const int64_t group = H / kv.keys.dim(1);
  AttentionInDouble result;
  result.out.resize(static_cast<size_t>(q.dim(0) * H * Dv));
  result.spread.resize(result.out.size());
  const auto* const start = batch.query_start.as<int32_t>();
  const auto* const context = batch.context_len.as<int32_t>();
  for (int64_t s = 0; s < batch.context_len.dim(0); ++s) {
    const auto* const table =
        batch.block_tables.as<int32_t>() + s * batch.block_tables.row_stride();
    for (int32_t t = start[s]; t < start[s + 1]; ++t) {
      for (int64_t h = 0; h < H; ++h) {
        const double sink = params.sinks.empty() ? -1e300 : params.sinks.as<float>()[h];
        const auto to = static_cast<size_t>((t * H + h) * Dv);
        Row(kv, params, table, h / group)
            .attend(q.as<float>() + t * q.row_stride() + h * D, context[s] - (start[s + 1] - t),
                    sink, &result.out[to], &result.spread[to]);
      }
    }
  }
  return result;
}

}  // namespace quire::test
