// Paged attention of the CUDA backend under the SIMT harness: against a softmax in double, and bit
// for bit between batches, chunks, and shared or unshared pages.

#include <QTest>
#include <algorithm>

#include "tests/kernels/cuda/gpu_attention_problem.h"

using namespace quire;
using namespace quire::test;

namespace {

/// A prefill from nothing, chunks behind a context, decodes at the edges of pages, of key blocks
/// and of splits, a sequence of one token.
const std::vector<AttentionSequence> kRagged = {{33, 33}, {1, 64}, {1, 65},  {7, 130}, {1, 1},
                                                {5, 20},  {1, 16}, {1, 257}, {3, 514}};

/// What rounding to halves costs: queries and weights are rounded once, by up to 2^-12 or 2^-9 of
/// themselves, and a score's error is that of the queries times its size. f8 and i8 pages are
/// multiplied exactly, as f16.
double bound_of(DType dtype, bool is_exact) {
  if (is_exact) return 4e-6;
  return dtype == DType::kBF16 ? 1.2e-2 : 1.5e-3;
}

std::vector<AttentionCase> cases() {
  std::vector<AttentionCase> all;
  const std::vector<DType> dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3,
                                     DType::kI8};
  for (DType dtype : dtypes) all.push_back({2, 3, 64, dtype, {.scale = 0.125f}});
  for (DType dtype : dtypes) {
    all.push_back({1, 4, 128, dtype, {.scale = 0.1f, .sliding_window = 100}, 1.0f});
  }
  for (int D : {16, 80, 192, 256}) all.push_back({1, 2, D, DType::kF16, {.scale = 0.1f}});
  all.push_back(
      {1, 2, 256, DType::kBF16, {.scale = 0.06f, .sliding_window = 24, .soft_cap = 5.0f}});
  all.push_back({1, 2, 256, DType::kI8, {.scale = 0.06f}});
  all.push_back({1, 2, 96, DType::kF8E4M3, {.scale = 0.1f, .soft_cap = 3.0f}, 2.0f});
  for (int D : {13, 24, 72, 256}) {
    all.push_back({1, 2, D, DType::kF32, {.scale = 0.1f, .sliding_window = 70}});
  }
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8})
    all.push_back({1, 2, 40, dtype, {.scale = 0.2f, .soft_cap = 2.0f}, 1.0f});
  for (int group : {1, 8, 71}) all.push_back({1, group, 64, DType::kF16, {.scale = 0.125f}});
  for (int window : {1, 16, 1000})
    all.push_back({1, 2, 64, DType::kF16, {.scale = 0.125f, .sliding_window = window}});
  for (float sink : {-30.0f, 40.0f})
    all.push_back({1, 2, 64, DType::kF16, {.scale = 0.125f}, sink});
  return all;
}

void add_cases() {
  QTest::addColumn<int>("index");
  const std::vector<AttentionCase> all = cases();
  for (size_t i = 0; i < all.size(); ++i) {
    const AttentionCase& c = all[i];
    QTest::addRow("%s Hkv=%d group=%d D=%d window=%d cap=%g sink=%g", dtype_name(c.dtype).data(),
                  c.Hkv, c.group, c.D, c.params.sliding_window, double{c.params.soft_cap},
                  double{c.sink})
        << static_cast<int>(i);
  }
}

}  // namespace

class TestCudaAttention : public QObject {
  Q_OBJECT

 private slots:
  void attention_agreesWithDouble_data() { add_cases(); }
  void attention_agreesWithDouble() {
    QFETCH(int, index);
    const AttentionCase c = cases()[static_cast<size_t>(index)];
    const GpuAttentionProblem p(c, kRagged);
    const double bound = bound_of(c.dtype, c.dtype == DType::kF32 || c.D % 16 != 0);
    QCOMPARE_LE(largest_error(p.run(), p.reference()), bound);
  }
};

QTEST_APPLESS_MAIN(TestCudaAttention)
#include "tst_cuda_attention.moc"
