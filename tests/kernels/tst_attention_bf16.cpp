// Backend::attention over pages of bf16 where the processor multiplies it, and by emulated tiles:
// near a softmax in double, and the same bits for every batch, number of threads and shared page.

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "tests/kernels/attention_problem.h"
#include "tests/kernels/emulated_tiles.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Those of this processor that multiply bf16, and emulated tiles.
std::vector<const cpu::CpuKernels*> variants() {
  std::vector<const cpu::CpuKernels*> all;
  for (const cpu::CpuKernels* kernels : cpu::supported_kernels()) {
    if (kernels->linear_bf16 != nullptr) all.push_back(kernels);
    static cpu::CpuKernels avx2;
    static cpu::CpuKernels avx512;
    if (std::string(kernels->name) == "avx2") {
      avx2 = with_tiles(with_tiles(*kernels, kScalarTiles), kAvx2Tiles);
      all.push_back(&avx2);
    }
    if (std::string(kernels->name) == "avx512_bf16") {
      avx512 = with_tiles(*kernels, kAvx512Tiles);
      all.push_back(&avx512);
    }
  }
  return all;
}

/// Prefills from nothing, chunks behind a prefix, decodes at the edges of pages and key blocks.
const std::vector<AttentionSequence> kRagged = {{33, 33}, {1, 64}, {1, 65},  {7, 130},
                                                {1, 1},   {5, 20}, {1, 257}, {46, 70}};

AttentionCase bf16_case(int Hkv, int group, int D, AttentionParams params = {.scale = 0.3f},
                        float sink = 0.0f) {
  return {Hkv, group, D, DType::kBF16, params, sink};
}

std::vector<AttentionCase> shapes() {
  std::vector<AttentionCase> all;
  for (int D : {1, 13, 17, 33, 64, 80, 256}) all.push_back(bf16_case(2, 3, D));
  for (int group : {1, 8, 17, 71}) all.push_back(bf16_case(1, group, 64, {.scale = 0.125f}));
  for (int window : {1, 5, 17, 70}) {
    all.push_back(bf16_case(2, 2, 40, {.scale = 0.2f, .sliding_window = window}));
  }
  // Values narrower and wider than keys.
  for (const auto& [D, Dv] : {std::pair{576, 512}, {72, 56}, {40, 24}, {24, 100}}) {
    all.push_back(bf16_case(1, 5, D, {.scale = 0.1f}));
    all.back().Dv = Dv;
  }
  all.push_back(bf16_case(1, 4, 64, {.scale = 0.5f, .soft_cap = 2.0f}));
  all.push_back(bf16_case(2, 4, 64, {.scale = 0.3f}, 2.0f));
  return all;
}

}  // namespace

class TestAttentionBf16 : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (variants().empty()) QSKIP("This processor has neither bf16 nor AVX2.");
  }

  /// With queries that are bf16, only weights are rounded: each by at most 2^-9 of itself, hence a
  /// mean of values below one by as much.
  void attention_agreesWithDouble_data() { add_shapes(); }
  void attention_agreesWithDouble() {
    QFETCH(int, variant);
    QFETCH(int, shape);
    AttentionProblem p(shapes()[static_cast<size_t>(shape)], kRagged);
    p.round_queries();
    cpu::CpuBackend backend(*variants()[static_cast<size_t>(variant)], 2, true);
    AttentionProblem before(bf16_case(1, 32, 256), {{1, 64}});
    before.make_nan();
    before.run(backend);
    const std::vector<float> out = p.run(backend);
    const std::vector<double> expected = p.reference();
    QCOMPARE(out.size(), expected.size());
    for (size_t i = 0; i < out.size(); ++i) {
      QCOMPARE_LE(std::fabs(double{out[i]} - expected[i]), 0x1p-9 + 1e-5);
    }
  }

  /// Queries are rounded to bf16, and so are weights, which is what floats are not.
  void attention_roundsQueriesAndWeights_data() { add_variants(); }
  void attention_roundsQueriesAndWeights() {
    QFETCH(int, variant);
    const cpu::CpuKernels& kernels = *variants()[static_cast<size_t>(variant)];
    AttentionProblem p(bf16_case(1, 2, 64), kRagged);
    cpu::CpuBackend rounding(kernels, 1, true);
    cpu::CpuBackend exact(kernels, 1, false);
    const std::vector<float> rounded = p.run(rounding);
    const std::vector<float> floats = p.run(exact);
    p.round_queries();
    QVERIFY(same_bits(p.run(rounding), rounded));
    const std::vector<float> floats_of_rounded = p.run(exact);
    QVERIFY(!same_bits(floats, floats_of_rounded));
    QVERIFY(!same_bits(rounded, floats_of_rounded));
  }

  void info_namesWhatAttentionMultiplies_data() { add_variants(); }
  void info_namesWhatAttentionMultiplies() {
    QFETCH(int, variant);
    const cpu::CpuKernels& kernels = *variants()[static_cast<size_t>(variant)];
    QCOMPARE(cpu::CpuBackend(kernels, 1, true).info().kv_dtype, DType::kBF16);
    QCOMPARE(cpu::CpuBackend(kernels, 1, false).info().kv_dtype, DType::kF16);
    QCOMPARE(cpu::CpuBackend(*cpu::scalar_kernels(), 1, true).info().kv_dtype, DType::kF16);
  }

  void attention_givesARowTheSameBitsInAnyBatch_data() { add_shapes(); }
  void attention_givesARowTheSameBitsInAnyBatch() {
    QFETCH(int, variant);
    QFETCH(int, shape);
    const cpu::CpuKernels& kernels = *variants()[static_cast<size_t>(variant)];
    AttentionProblem p(shapes()[static_cast<size_t>(shape)], kRagged);
    cpu::CpuBackend two(kernels, 2, true);
    cpu::CpuBackend one(kernels, 1, true);
    const std::vector<float> together = p.run(two);
    QVERIFY(same_bits(together, p.run(one)));
    for (size_t s = 0; s < kRagged.size(); ++s) {
      for (int count : {1, 4, kRagged[s].rows}) {
        for (int first = 0; first < kRagged[s].rows; first += count) {
          const int rows = std::min(count, kRagged[s].rows - first);
          const int64_t begin = (p.first_row(static_cast<int>(s)) + first) * p.row_floats();
          const std::vector<float> part = p.run_rows(two, static_cast<int>(s), first, rows);
          QVERIFY(same_bits(part.data(), together.data() + begin, rows * p.row_floats()));
        }
      }
    }
  }

  /// Shared pages, parts of tiles, and blocks that several threads fold.
  void attention_givesTheSameBitsOverSharedPages_data() { add_variants(); }
  void attention_givesTheSameBitsOverSharedPages() {
    QFETCH(int, variant);
    const cpu::CpuKernels& kernels = *variants()[static_cast<size_t>(variant)];
    AttentionProblem p(bf16_case(2, 4, 32),
                       {{1, 700}, {1, 650, 0, 40}, {3, 641, 1, 40}, {150, 201}, {1, 2000}});
    cpu::CpuBackend three(kernels, 3, true);
    const std::vector<float> shared = p.run(three);
    cpu::CpuBackend one(kernels, 1, true);
    QVERIFY(same_bits(shared, p.run(one)));
    p.unshare();
    QVERIFY(same_bits(shared, p.run(three)));
  }

  /// A value that is not finite is nothing to the rows before it, and to those that no longer see
  /// it, in whatever batch.
  void attention_keepsWhatIsNotFiniteToRowsThatSeeIt_data() { add_variants(); }
  void attention_keepsWhatIsNotFiniteToRowsThatSeeIt() {
    QFETCH(int, variant);
    cpu::CpuBackend backend(*variants()[static_cast<size_t>(variant)], 1, true);
    for (const int window : {0, 9}) {
      for (const float number :
           {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const AttentionCase shape = bf16_case(1, 2, 80, {.scale = 0.1f, .sliding_window = window});
        AttentionProblem p(shape, {{90, 90}});
        const std::vector<float> before = p.run(backend);
        p.set_value(0, 41, number);
        for (const int count : {1, 7, 33, 90}) {
          for (int first = 0; first < 90; first += count) {
            const int rows = std::min(count, 90 - first);
            const std::vector<float> after = p.run_rows(backend, 0, first, rows);
            for (int row = first; row < first + rows; ++row) {
              const float* const out = after.data() + (row - first) * p.row_floats();
              const float* const as_before = before.data() + row * p.row_floats();
              if (row < 41 || (window > 0 && row >= 41 + window)) {
                QVERIFY(same_bits(out, as_before, p.row_floats()));
              } else {
                QVERIFY(std::none_of(out, out + p.row_floats(),
                                     [](float x) { return std::isfinite(x); }));
              }
            }
          }
        }
      }
    }
  }

 private:
  static void add_variants() {
    QTest::addColumn<int>("variant");
    const auto all = variants();
    for (size_t v = 0; v < all.size(); ++v) {
      QTest::addRow("%d %s", static_cast<int>(v), all[v]->name) << static_cast<int>(v);
    }
  }
  static void add_shapes() {
    QTest::addColumn<int>("variant");
    QTest::addColumn<int>("shape");
    const std::vector<AttentionCase> cases = shapes();
    const auto all = variants();
    for (size_t v = 0; v < all.size(); ++v) {
      for (size_t i = 0; i < cases.size(); ++i) {
        const AttentionCase& s = cases[i];
        QTest::addRow("%d %s Hkv=%d group=%d D=%d window=%d cap=%g sink=%g", static_cast<int>(v),
                      all[v]->name, s.Hkv, s.group, s.D, s.params.sliding_window,
                      double{s.params.soft_cap}, double{s.sink})
            << static_cast<int>(v) << static_cast<int>(i);
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestAttentionBf16)
#include "tst_attention_bf16.moc"
