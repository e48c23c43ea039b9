// Backend::attention over paged keys and values: against a softmax in double written without
// pages, and bit for bit between batches and numbers of threads.

#include <QTest>
#include <cmath>
#include <limits>

#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

struct Sequence {
  int rows;
  int context;
};

struct Shape {
  int Hkv;
  int group;
  int D;
  DType dtype = DType::kF32;
  AttentionParams params = {};
  float sink = 0.0f;  ///< Scores of the heads' sinks lie around it; 0 is no sinks.
};

/// A ragged batch whose pages lie in no order, with NaN in every slot that no row may see.
class Problem {
 public:
  Problem(const Shape& shape, std::vector<Sequence> sequences)
      : m_shape(shape), m_sequences(std::move(sequences)) {
    Numbers numbers(static_cast<uint32_t>(shape.D * 100 + shape.Hkv * 10 + shape.group));
    int max_context = 1;
    int total_blocks = 1;
    for (const Sequence& s : m_sequences) {
      m_num_rows += s.rows;
      max_context = std::max(max_context, s.context);
      total_blocks += (s.context + kBlockSize - 1) / kBlockSize;
    }
    m_max_blocks = (max_context + kBlockSize - 1) / kBlockSize;
    m_q = numbers.floats(int64_t{m_num_rows} * heads() * shape.D, 3.0f);
    for (int h = 0; h < heads(); ++h) m_sinks.push_back(shape.sink + numbers.next());
    std::vector<int32_t> order(static_cast<size_t>(total_blocks));
    for (int i = 0; i < total_blocks; ++i) order[static_cast<size_t>(i)] = i;
    for (int i = total_blocks - 1; i > 0; --i) {
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(numbers.below(i + 1))]);
    }
    const int64_t pool = int64_t{total_blocks} * shape.Hkv * kBlockSize * shape.D;
    m_num_blocks = total_blocks;
    // Entries past the context hold a block that does not exist: reading it would crash.
    m_block_tables.assign(m_sequences.size() * static_cast<size_t>(m_max_blocks), 1 << 20);
    m_query_start = {0};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> keys(static_cast<size_t>(pool), nan);
    std::vector<float> values(static_cast<size_t>(pool), nan);
    int next = 0;
    for (size_t s = 0; s < m_sequences.size(); ++s) {
      m_query_start.push_back(m_query_start.back() + m_sequences[s].rows);
      m_context_len.push_back(m_sequences[s].context);
      for (int p = 0; p < m_sequences[s].context; ++p) {
        int32_t& block = m_block_tables[s * static_cast<size_t>(m_max_blocks) +
                                        static_cast<size_t>(p / kBlockSize)];
        if (p % kBlockSize == 0) block = order[static_cast<size_t>(next++)];
        for (int h = 0; h < shape.Hkv; ++h) {
          for (int d = 0; d < shape.D; ++d) {
            const size_t i = index(block, h, p % kBlockSize, d);
            keys[i] = numbers.next();
            values[i] = numbers.next();
          }
        }
      }
    }
    m_keys = in_dtype(shape.dtype, keys);
    m_values = in_dtype(shape.dtype, values);
  }

  int heads() const { return m_shape.Hkv * m_shape.group; }
  int num_rows() const { return m_num_rows; }
  int64_t row_floats() const { return int64_t{heads()} * m_shape.D; }

  std::vector<float> run(Backend& backend) {
    const int64_t S = static_cast<int64_t>(m_sequences.size());
    return run(backend, m_query_start, m_context_len, 0, S, 0, m_num_rows);
  }

  /// Only the rows [first, first + count) of sequence s, alone in their batch.
  std::vector<float> run_rows(Backend& backend, int s, int first, int count) {
    const auto at = static_cast<size_t>(s);
    std::vector<int32_t> start = {0, count};
    const int context = m_context_len[at] - (m_sequences[at].rows - first - count);
    std::vector<int32_t> context_len = {context};
    return run(backend, start, context_len, s, 1, m_query_start[at] + first, count);
  }

  std::vector<double> reference() const {
    std::vector<double> out(m_q.size());
    for (size_t s = 0; s < m_sequences.size(); ++s) {
      for (int row = 0; row < m_sequences[s].rows; ++row) {
        const int position = m_sequences[s].context - m_sequences[s].rows + row;
        for (int h = 0; h < heads(); ++h) attend(out, s, m_query_start[s] + row, h, position);
      }
    }
    return out;
  }

 private:
  size_t index(int block, int h, int slot, int d) const {
    return ((static_cast<size_t>(block) * static_cast<size_t>(m_shape.Hkv) +
             static_cast<size_t>(h)) *
                kBlockSize +
            static_cast<size_t>(slot)) *
               static_cast<size_t>(m_shape.D) +
           static_cast<size_t>(d);
  }
  size_t index_of(size_t s, int position, int h, int d) const {
    const int block = m_block_tables[s * static_cast<size_t>(m_max_blocks) +
                                     static_cast<size_t>(position / kBlockSize)];
    return index(block, h, position % kBlockSize, d);
  }

  void attend(std::vector<double>& out, size_t s, int row, int h, int position) const {
    const int window = m_shape.params.sliding_window;
    const double cap = m_shape.params.soft_cap;
    const int first = window > 0 ? std::max(0, position + 1 - window) : 0;
    const size_t q =
        (static_cast<size_t>(row) * static_cast<size_t>(heads()) + static_cast<size_t>(h)) *
        static_cast<size_t>(m_shape.D);
    std::vector<double> scores;
    const double sink = m_shape.sink != 0.0f ? double{m_sinks[static_cast<size_t>(h)]} : -1e300;
    double maximum = sink;
    for (int p = first; p <= position; ++p) {
      double score = 0.0;
      for (int d = 0; d < m_shape.D; ++d) {
        score += double{m_q[q + static_cast<size_t>(d)]} *
                 m_keys.exact[index_of(s, p, h / m_shape.group, d)];
      }
      score *= m_shape.params.scale;
      if (cap > 0.0) score = cap * std::tanh(score / cap);
      scores.push_back(score);
      maximum = std::max(maximum, score);
    }
    double total = std::exp(sink - maximum);
    for (double& score : scores) total += score = std::exp(score - maximum);
    for (int p = first; p <= position; ++p) {
      const double weight = scores[static_cast<size_t>(p - first)] / total;
      for (int d = 0; d < m_shape.D; ++d) {
        out[q + static_cast<size_t>(d)] +=
            weight * m_values.exact[index_of(s, p, h / m_shape.group, d)];
      }
    }
  }

  std::vector<float> run(Backend& backend, std::vector<int32_t>& query_start,
                         std::vector<int32_t>& context_len, int64_t first_sequence,
                         int64_t num_sequences, int64_t first_row, int64_t count) {
    const int64_t D = m_shape.D;
    std::vector<float> out(static_cast<size_t>(count * row_floats()), -7.0f);
    const std::initializer_list<int64_t> pool = {m_num_blocks, m_shape.Hkv, kBlockSize, D};
    const KvLayerView kv = {{m_keys.data(), m_shape.dtype, pool},
                            {m_values.data(), m_shape.dtype, pool}};
    const ConstTensorView tables =
        view(m_block_tables, {static_cast<int64_t>(m_sequences.size()), m_max_blocks})
            .rows(first_sequence, num_sequences);
    AttentionParams params = m_shape.params;
    if (m_shape.sink != 0.0f) params.sinks = view(m_sinks, {heads()});
    backend.attention(view(out, {count, heads(), D}),
                      view(m_q, {m_num_rows, heads(), D}).rows(first_row, count), kv,
                      {.query_start = view(query_start, {num_sequences + 1}),
                       .context_len = view(context_len, {num_sequences}),
                       .block_tables = tables},
                      params);
    return out;
  }

  Shape m_shape;
  std::vector<Sequence> m_sequences;
  int m_num_rows = 0;
  int m_max_blocks = 0;
  int m_num_blocks = 0;
  std::vector<float> m_q;
  std::vector<float> m_sinks;
  TypedNumbers m_keys;
  TypedNumbers m_values;
  std::vector<int32_t> m_block_tables;
  std::vector<int32_t> m_query_start;
  std::vector<int32_t> m_context_len;
};

/// Prefills from nothing, a chunk behind a cached prefix, decodes at the edges of pages and of key
/// blocks, a sequence of one token.
const std::vector<Sequence> kRagged = {{33, 33}, {1, 64}, {1, 65}, {7, 130},
                                       {1, 1},   {5, 20}, {1, 257}};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (int D : {8, 24, 64, 80, 128}) {
    for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      all.push_back({2, 3, D, dtype, {.scale = 0.3f}});
    }
  }
  for (int group : {1, 2, 3, 8}) all.push_back({2, group, 64, DType::kF16, {.scale = 0.125f}});
  all.push_back({1, 71, 64, DType::kF32, {.scale = 0.125f}});
  all.push_back({3, 1, 256, DType::kBF16, {.scale = 0.0625f}});
  all.push_back({1, 2, 13, DType::kF16, {.scale = 0.25f}});
  for (int window : {1, 5, 16, 64, 70, 1000}) {
    all.push_back({2, 2, 40, DType::kF16, {.scale = 0.2f, .sliding_window = window}});
  }
  for (float cap : {0.5f, 2.0f, 50.0f}) {
    all.push_back({1, 4, 64, DType::kBF16, {.scale = 0.5f, .soft_cap = cap}});
  }
  all.push_back({1, 4, 64, DType::kF32, {.scale = 20.0f, .sliding_window = 33, .soft_cap = 9.0f}});
  // Gemma's heads of 256 in a window with a cap; Phi's of 96 and 80; 112.
  for (int D : {80, 96, 112, 192, 256}) {
    all.push_back({2, 2, D, DType::kBF16, {.scale = 0.1f, .sliding_window = 24, .soft_cap = 5.0f}});
  }
  // Sinks that outweigh the keys, and that hardly weigh anything.
  for (float sink : {-30.0f, -1.0f, 2.0f, 40.0f}) {
    all.push_back({2, 4, 64, DType::kBF16, {.scale = 0.3f}, sink});
    all.push_back({2, 3, 24, DType::kF32, {.scale = 0.2f, .sliding_window = 17}, sink});
    all.push_back({1, 2, 96, DType::kF16, {.scale = 0.5f, .soft_cap = 3.0f}, sink});
  }
  // Scores so far apart that most weights vanish.
  all.push_back({1, 4, 64, DType::kF32, {.scale = 50.0f}});
  return all;
}

void add_shapes() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("shape");
  const std::vector<Shape> all = shapes();
  for (const std::string& isa : instruction_sets()) {
    for (size_t i = 0; i < all.size(); ++i) {
      const Shape& s = all[i];
      QTest::addRow("%s %s Hkv=%d group=%d D=%d scale=%g window=%d cap=%g sink=%g", isa.c_str(),
                    dtype_name(s.dtype).data(), s.Hkv, s.group, s.D, double{s.params.scale},
                    s.params.sliding_window, double{s.params.soft_cap}, double{s.sink})
          << QString::fromStdString(isa) << static_cast<int>(i);
    }
  }
}

}  // namespace

class TestAttention : public QObject {
  Q_OBJECT

 private slots:
  void attention_agreesWithDouble_data() { add_shapes(); }
  void attention_agreesWithDouble() {
    QFETCH(QString, isa);
    QFETCH(int, shape);
    const Shape s = shapes()[static_cast<size_t>(shape)];
    Problem p(s, kRagged);
    const auto backend = make_backend(isa.toStdString(), 2);
    const std::vector<float> out = p.run(*backend);
    // A score of size c, rounded to 24 bits, changes a weight by c * 2^-24: large scales are the
    // inputs' own uncertainty.
    const double bound = 2e-6 * std::max(1.0, double{s.params.scale} * 2.0);
    QCOMPARE_LE(largest_error(out, p.reference()), bound);
  }

  void attention_givesARowTheSameBitsInAnyBatch_data() { add_shapes(); }
  void attention_givesARowTheSameBitsInAnyBatch() {
    QFETCH(QString, isa);
    QFETCH(int, shape);
    Problem p(shapes()[static_cast<size_t>(shape)], kRagged);
    const auto two = make_backend(isa.toStdString(), 2);
    const std::vector<float> together = p.run(*two);
    for (int threads : {1, 3}) {
      QVERIFY(same_bits(together, p.run(*make_backend(isa.toStdString(), threads))));
    }
    int row = 0;
    for (size_t s = 0; s < kRagged.size(); ++s) {
      for (int count : {1, 4, kRagged[s].rows}) {
        for (int first = 0; first < kRagged[s].rows; first += count) {
          const int rows = std::min(count, kRagged[s].rows - first);
          const std::vector<float> part = p.run_rows(*two, static_cast<int>(s), first, rows);
          QVERIFY(same_bits(part.data(), together.data() + (row + first) * p.row_floats(),
                            rows * p.row_floats()));
        }
      }
      row += kRagged[s].rows;
    }
  }

  void attention_handlesLongContexts_data() { addInstructionSets(); }
  void attention_handlesLongContexts() {
    QFETCH(QString, isa);
    Problem p({1, 2, 32, DType::kF16, {.scale = 0.2f}}, {{2, 100003}});
    const auto backend = make_backend(isa.toStdString(), 2);
    QCOMPARE_LE(largest_error(p.run(*backend), p.reference()), 2e-6);
  }

  void attention_ofInfiniteScoresIsNotNan_data() { addInstructionSets(); }
  void attention_ofInfiniteScoresIsNotNan() {
    QFETCH(QString, isa);
    // All scores overflow to minus infinity: nothing has weight.
    const auto backend = make_backend(isa.toStdString(), 1);
    std::vector<float> q(8, -3e38f);
    std::vector<float> keys(kBlockSize * 8, 3e38f);
    std::vector<float> values(kBlockSize * 8, 1.0f);
    std::vector<float> out(8, -7.0f);
    std::vector<int32_t> start = {0, 1};
    std::vector<int32_t> context = {3};
    std::vector<int32_t> table = {0};
    backend->attention(view(out, {1, 1, 8}), view(q, {1, 1, 8}),
                       {view(keys, {1, 1, kBlockSize, 8}), view(values, {1, 1, kBlockSize, 8})},
                       {view(start, {2}), view(context, {1}), view(table, {1, 1})}, {});
    QCOMPARE(out, std::vector<float>(8, 0.0f));
    // A sink takes all the weight; one of minus infinity is none.
    for (float sink : {1.0f, -std::numeric_limits<float>::infinity()}) {
      std::vector<float> sinks = {sink};
      backend->attention(view(out, {1, 1, 8}), view(q, {1, 1, 8}),
                         {view(keys, {1, 1, kBlockSize, 8}), view(values, {1, 1, kBlockSize, 8})},
                         {view(start, {2}), view(context, {1}), view(table, {1, 1})},
                         {.sinks = view(sinks, {1})});
      QCOMPARE(out, std::vector<float>(8, 0.0f));
    }
  }

 private:
  static void addInstructionSets() {
    QTest::addColumn<QString>("isa");
    for (const std::string& isa : instruction_sets()) {
      QTest::newRow(isa.c_str()) << QString::fromStdString(isa);
    }
  }
};

QTEST_APPLESS_MAIN(TestAttention)
#include "tst_attention.moc"
