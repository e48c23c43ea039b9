// Backend::attention over paged keys and values: against a softmax in double written without
// pages, and bit for bit between batches and numbers of threads.

#include <QTest>
#include <limits>

#include "tests/kernels/attention_problem.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Prefills from nothing, a chunk behind a cached prefix, decodes at the edges of pages and of key
/// blocks, a sequence of one token.
const std::vector<AttentionSequence> kRagged = {{33, 33}, {1, 64}, {1, 65}, {7, 130},
                                                {1, 1},   {5, 20}, {1, 257}};

std::vector<AttentionCase> shapes() {
  std::vector<AttentionCase> all;
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
  for (int chunk : {1, 5, 16, 70, 129}) {
    all.push_back({2, 2, 40, DType::kBF16, {.scale = 0.2f, .chunk_size = chunk}});
  }
  all.push_back({1, 2, 40, DType::kF32, {.scale = 0.2f, .sliding_window = 20, .chunk_size = 37}});
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
  // Latent attention: one KV head whose values are narrower than its keys, also with more query
  // heads than fit one slice (128, 96), or than divide (37).
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    all.push_back({1, 5, 576, dtype, {.scale = 0.07f}, 0.0f, 512});
    all.push_back({2, 3, 192, dtype, {.scale = 0.1f}, 0.0f, 128});
    all.push_back({1, 7, 40, dtype, {.scale = 0.2f}, 0.0f, 24});
    // Gemma 4's global heads.
    all.push_back({1, 2, 512, dtype, {.scale = 0.06f}});
  }
  all.push_back({1, 128, 40, DType::kF32, {.scale = 0.2f}, 0.0f, 24});
  all.push_back({1, 96, 72, DType::kBF16, {.scale = 0.2f}, 0.0f, 64});
  all.push_back({1, 37, 40, DType::kF32, {.scale = 0.2f, .sliding_window = 19}, 0.0f, 24});
  all.push_back({2, 2, 24, DType::kF32, {.scale = 0.2f, .soft_cap = 3.0f}, 0.5f, 56});
  // Scores so far apart that most weights vanish.
  all.push_back({1, 4, 64, DType::kF32, {.scale = 50.0f}});
  return all;
}

void add_shapes() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("shape");
  const std::vector<AttentionCase> all = shapes();
  for (const std::string& isa : instruction_sets()) {
    for (size_t i = 0; i < all.size(); ++i) {
      const AttentionCase& s = all[i];
      QTest::addRow("%s %s Hkv=%d group=%d D=%d Dv=%d scale=%g window=%d chunk=%d cap=%g sink=%g",
                    isa.c_str(), dtype_name(s.dtype).data(), s.Hkv, s.group, s.D, s.Dv,
                    double{s.params.scale}, s.params.sliding_window, s.params.chunk_size,
                    double{s.params.soft_cap}, double{s.sink})
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
    const AttentionCase s = shapes()[static_cast<size_t>(shape)];
    AttentionProblem p(s, kRagged);
    const auto backend = make_backend(isa.toStdString(), 2);
    const std::vector<float> out = p.run(*backend);
    // A score of size c, rounded to 24 bits, changes a weight by c * 2^-24: large scales are the
    // inputs' own uncertainty. A score is a sum of D products, one after the other.
    const double bound =
        2e-6 * std::max(1.0, double{s.params.scale} * 2.0) * std::max(1.0, s.D / 96.0);
    QCOMPARE_LE(largest_error(out, p.reference()), bound);
  }

  void attention_givesARowTheSameBitsInAnyBatch_data() { add_shapes(); }
  void attention_givesARowTheSameBitsInAnyBatch() {
    QFETCH(QString, isa);
    QFETCH(int, shape);
    AttentionProblem p(shapes()[static_cast<size_t>(shape)], kRagged);
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

  /// One thread gives its tiles several parts, more threads fewer.
  void attention_ofManyRows_givesARowTheSameBits_data() { addInstructionSets(); }
  void attention_ofManyRows_givesARowTheSameBits() {
    QFETCH(QString, isa);
    for (int window : {0, 100}) {
      AttentionProblem p({1, 4, 16, DType::kF16, {.scale = 0.3f, .sliding_window = window}},
                         {{150, 201}, {1, 64}, {90, 90}});
      const std::vector<float> one = p.run(*make_backend(isa.toStdString(), 1));
      QCOMPARE_LE(largest_error(one, p.reference()), 2e-6);
      const auto three = make_backend(isa.toStdString(), 3);
      QVERIFY(same_bits(one, p.run(*three)));
      for (int first : {0, 31, 32, 100, 149}) {
        const std::vector<float> alone = p.run_rows(*three, 0, first, 1);
        QVERIFY(same_bits(alone.data(), one.data() + first * p.row_floats(), p.row_floats()));
      }
    }
  }

  /// Rows with few queries, and the same rows in tiles of many, which are multiplied in another
  /// way. One thread computes all heads of few queries together, many threads each head alone.
  void attention_ofFewQueries_givesARowTheSameBits_data() { addInstructionSets(); }
  void attention_ofFewQueries_givesARowTheSameBits() {
    QFETCH(QString, isa);
    const auto backend = make_backend(isa.toStdString(), 1);
    const auto threads = make_backend(isa.toStdString(), 5);
    const std::pair<int, int> dims[] = {{13, 16}, {64, 64}, {81, 144}};
    for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kI8}) {
      for (const int group : {1, 2, 3, 4, 5, 6, 7, 11, 16}) {
        for (const auto& [D, Dv] : dims) {
          const int Hkv = group == 4 ? 9 : group == 7 ? 2 : 1;
          AttentionProblem p({Hkv, group, D, dtype, {.scale = 0.2f}, 0.5f, Dv}, {{40, 300}});
          const std::vector<float> many = p.run(*backend);
          for (const int row : {0, 21, 39}) {
            for (Backend* const few : {backend.get(), threads.get()}) {
              if (Hkv == 1 && few != backend.get()) continue;
              const std::vector<float> alone = p.run_rows(*few, 0, row, 1);
              QVERIFY2(same_bits(alone.data(), many.data() + row * p.row_floats(), p.row_floats()),
                       qPrintable(QString("%1 queries, %2 and %3").arg(group).arg(D).arg(Dv)));
            }
          }
        }
      }
    }
  }

  /// What is not finite stays so where it is rounded to whole numbers, and where it is.
  void attention_inWholeNumbers_keepsNan_data() { addInstructionSets(); }
  void attention_inWholeNumbers_keepsNan() {
    QFETCH(QString, isa);
    if (isa == "scalar") QSKIP("It has no whole numbers.");
    std::vector<float> q(4 * 8, 1.0f);
    q[8 + 3] = std::numeric_limits<float>::quiet_NaN();
    q[2 * 8] = -std::numeric_limits<float>::infinity();
    std::vector<int8_t> keys(kBlockSize * 8, 3);
    std::vector<int8_t> values(kBlockSize * 8, 100);
    std::vector<float> scales(kBlockSize, 0.01f);
    std::vector<float> value_scales = scales;
    value_scales[3] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> out(4 * 8, -7.0f);
    std::vector<int32_t> start = {0, 4};
    std::vector<int32_t> context = {4};
    std::vector<int32_t> table = {0};
    make_backend(isa.toStdString(), 1)
        ->attention(view(out, {4, 1, 8}), view(q, {4, 1, 8}),
                    {{keys.data(), DType::kI8, {1, 1, 8, kBlockSize}},
                     {values.data(), DType::kI8, {1, 1, kBlockSize, 8}},
                     view(scales, {1, 1, kBlockSize}),
                     view(value_scales, {1, 1, kBlockSize})},
                    {view(start, {2}), view(context, {1}), view(table, {1, 1})}, {});
    for (size_t d = 0; d < 8; ++d) {
      QCOMPARE_LE(std::fabs(out[d] - 1.0f), 1e-4f);
      for (size_t row : {1, 2, 3}) QVERIFY(std::isnan(out[row * 8 + d]));
    }
  }

  void attention_handlesLongContexts_data() { addInstructionSets(); }
  void attention_handlesLongContexts() {
    QFETCH(QString, isa);
    AttentionProblem p({1, 2, 32, DType::kF16, {.scale = 0.2f}}, {{2, 100003}});
    const auto backend = make_backend(isa.toStdString(), 2);
    QCOMPARE_LE(largest_error(p.run(*backend), p.reference()), 2e-6);
    // One row of one KV head: threads divide its keys.
    AttentionProblem latent({1, 64, 40, DType::kF16, {.scale = 0.2f}, 0.0f, 24}, {{1, 3003}});
    const std::vector<float> divided = latent.run(*backend);
    QCOMPARE_LE(largest_error(divided, latent.reference()), 2e-6);
    QVERIFY(same_bits(divided, latent.run(*make_backend(isa.toStdString(), 1))));
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
                       {view(keys, {1, 1, 8, kBlockSize}), view(values, {1, 1, kBlockSize, 8})},
                       {view(start, {2}), view(context, {1}), view(table, {1, 1})}, {});
    QCOMPARE(out, std::vector<float>(8, 0.0f));
    // A sink takes all the weight; one of minus infinity is none.
    for (float sink : {1.0f, -std::numeric_limits<float>::infinity()}) {
      std::vector<float> sinks = {sink};
      backend->attention(view(out, {1, 1, 8}), view(q, {1, 1, 8}),
                         {view(keys, {1, 1, 8, kBlockSize}), view(values, {1, 1, kBlockSize, 8})},
                         {view(start, {2}), view(context, {1}), view(table, {1, 1})},
                         {.sinks = view(sinks, {1})});
      QCOMPARE(out, std::vector<float>(8, 0.0f));
    }
  }

  /// What lies before the window of a sequence's first row may have been given up.
  void pagesBeforeWindows_changeNoBit_data() { addInstructionSets(); }
  void pagesBeforeWindows_changeNoBit() {
    QFETCH(QString, isa);
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      for (const int window : {1, 16, 33, 100}) {
        AttentionProblem p(
            {2, 2, 40, dtype, {.scale = 0.2f, .sliding_window = window}},
            {{1, 300}, {33, 290}, {1, 290, 0, 16}, {3, 257, 0, 16}, {1, 40}, {1, 600}});
        for (const int threads : {1, 3}) {
          const auto backend = make_backend(isa.toStdString(), threads);
          AttentionProblem forgetful = p;
          forgetful.forget_before_windows();
          QVERIFY(same_bits(p.run(*backend), forgetful.run(*backend)));
        }
      }
    }
  }

  /// A weight that would be a subnormal number is none: those cost some processors a hundred
  /// cycles.
  void attention_hasNoSubnormalWeights_data() { addInstructionSets(); }
  void attention_hasNoSubnormalWeights() {
    QFETCH(QString, isa);
    if (isa == "scalar") QSKIP("It takes the plain exponential.");
    const auto backend = make_backend(isa.toStdString(), 1);
    std::vector<float> q(8, 1.0f);
    std::vector<float> keys(kBlockSize * 8, 0.0f);
    std::vector<float> values(kBlockSize * 8, 0.0f);
    for (size_t i = 0; i < 8; ++i) {
      keys[i * kBlockSize + 1] = -95.0f / 8;  // exp(-95) is 5.5e-42.
      values[8 + i] = 1e30f;
    }
    std::vector<float> out(8, -7.0f);
    std::vector<int32_t> start = {0, 1};
    std::vector<int32_t> context = {2};
    std::vector<int32_t> table = {0};
    backend->attention(view(out, {1, 1, 8}), view(q, {1, 1, 8}),
                       {view(keys, {1, 1, 8, kBlockSize}), view(values, {1, 1, kBlockSize, 8})},
                       {view(start, {2}), view(context, {1}), view(table, {1, 1})},
                       {.scale = 1.0f});
    QCOMPARE(out, std::vector<float>(8, 0.0f));
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
