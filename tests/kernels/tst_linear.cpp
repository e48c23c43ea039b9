// Backend::pack_linear and linear: against sums in double, bit for bit between instruction sets,
// numbers of rows and numbers of threads.

#include <QTest>

#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

struct Problem {
  int64_t T;
  int64_t N;
  int64_t K;
  std::vector<float> x;
  TypedNumbers weight;
  std::vector<float> bias;

  Problem(int64_t t, int64_t n, int64_t k, DType dtype) : T(t), N(n), K(k) {
    Numbers numbers(static_cast<uint32_t>(t * 131 + n * 17 + k));
    x = numbers.floats(t * k);
    weight = in_dtype(dtype, numbers.floats(n * k));
    bias = numbers.floats(n);
  }
};

std::unique_ptr<LinearWeight> pack(Backend& backend, TypedNumbers& weight, int64_t N, int64_t K) {
  const ConstTensorView part(weight.data(), weight.dtype, {N, K});
  return std::move(backend.pack_linear(std::span(&part, 1))).value();
}

/// Rows [begin, begin + count) of the problem.
std::vector<float> run(Backend& backend, const LinearWeight& weight, Problem& p, int64_t begin,
                       int64_t count, bool with_bias = true) {
  std::vector<float> out(static_cast<size_t>(count * p.N), -7.0f);
  backend.linear(view(out, {count, p.N}), view(p.x, {p.T, p.K}).rows(begin, count), weight,
                 with_bias ? ConstTensorView(view(p.bias, {p.N})) : ConstTensorView());
  return out;
}

std::vector<double> reference(const Problem& p) {
  std::vector<double> out;
  for (int64_t t = 0; t < p.T; ++t) {
    for (int64_t n = 0; n < p.N; ++n) {
      double sum = p.bias[n];
      for (int64_t k = 0; k < p.K; ++k)
        sum += double{p.x[t * p.K + k]} * p.weight.exact[n * p.K + k];
      out.push_back(sum);
    }
  }
  return out;
}

/// |out - reference| <= bound * (1 + |reference|): sums of K products of numbers below one, whose
/// K roundings mostly cancel.
double bound(int64_t K) {
  return 6e-7 * std::sqrt(static_cast<double>(K));
}

}  // namespace

class TestLinear : public QObject {
  Q_OBJECT

 private slots:
  void linear_agreesWithDouble_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("T");
    QTest::addColumn<int>("N");
    QTest::addColumn<int>("K");
    const int shapes[][2] = {{129, 67}, {1, 1}, {64, 256}, {63, 257}, {200, 700}};
    for (const std::string& isa : instruction_sets()) {
      for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
        for (int T : {1, 2, 3, 4, 5, 6, 7, 15, 17, 24, 25, 33, 61}) {
          for (const auto& [N, K] : shapes) {
            QTest::addRow("%s %s T=%d N=%d K=%d", isa.c_str(), dtype_name(dtype).data(), T, N, K)
                << QString::fromStdString(isa) << static_cast<int>(dtype) << T << N << K;
          }
        }
      }
    }
  }
  void linear_agreesWithDouble() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(int, T);
    QFETCH(int, N);
    QFETCH(int, K);
    Problem p(T, N, K, static_cast<DType>(dtype));
    const auto backend = make_backend(isa.toStdString(), 2);
    const auto weight = pack(*backend, p.weight, N, K);
    QCOMPARE(weight->num_outputs(), N);
    QCOMPARE(weight->num_inputs(), K);
    const std::vector<float> out = run(*backend, *weight, p, 0, T);
    QCOMPARE_LE(largest_error(out, reference(p)), bound(K));
    // The order of the sums is the same everywhere, so the bits are.
    const auto scalar = make_backend("scalar", 1);
    const auto scalar_weight = pack(*scalar, p.weight, N, K);
    QVERIFY(same_bits(out, run(*scalar, *scalar_weight, p, 0, T)));
    QVERIFY(same_bits(run(*backend, *weight, p, 0, T, false),
                      run(*scalar, *scalar_weight, p, 0, T, false)));
  }

  void linear_givesARowTheSameBitsInAnyBatch_data() { addInstructionSets(); }
  void linear_givesARowTheSameBitsInAnyBatch() {
    QFETCH(QString, isa);
    Problem p(530, 321, 513, DType::kBF16);
    if (isa == "scalar") p = Problem(40, 321, 513, DType::kBF16);
    const auto one = make_backend(isa.toStdString(), 1);
    const auto weight = pack(*one, p.weight, p.N, p.K);
    std::vector<float> alone;
    for (int64_t t = 0; t < p.T; ++t) {
      const std::vector<float> row = run(*one, *weight, p, t, 1);
      alone.insert(alone.end(), row.begin(), row.end());
    }
    for (int threads : {1, 2, 3}) {
      const auto backend = make_backend(isa.toStdString(), threads);
      const auto same_weight = pack(*backend, p.weight, p.N, p.K);
      for (int64_t count : {2, 5, 6, 7, 8, 12, 13, 14, 15, 18, 19, 24, 25, 29, 256, 257, 530}) {
        const int64_t begin = 1 % p.T;
        const int64_t rows = std::min(count, p.T - begin);
        const std::vector<float> out = run(*backend, *same_weight, p, begin, rows);
        QVERIFY(same_bits(out.data(), alone.data() + begin * p.N, rows * p.N));
      }
    }
  }

  void pack_linear_concatenatesParts() {
    // Three parts of different dtypes and a row stride equal one f32 weight.
    Numbers numbers(5);
    const int64_t K = 70;
    TypedNumbers a = in_dtype(DType::kBF16, numbers.floats(33 * K));
    TypedNumbers b = in_dtype(DType::kF16, numbers.floats(50 * K));
    TypedNumbers c = in_dtype(DType::kF32, numbers.floats(20 * 2 * K));
    std::vector<float> all = a.exact;
    all.insert(all.end(), b.exact.begin(), b.exact.end());
    for (int row = 0; row < 20; ++row) {
      all.insert(all.end(), c.exact.begin() + row * 2 * K, c.exact.begin() + row * 2 * K + K);
    }
    TypedNumbers whole = in_dtype(DType::kF32, all);
    Problem p(3, 103, K, DType::kF32);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 2);
      const ConstTensorView parts[] = {
          {a.data(), a.dtype, {33, K}},
          {b.data(), b.dtype, {50, K}},
          ConstTensorView(c.data(), c.dtype, {20, 2 * K}).columns(0, K)};
      const auto packed = std::move(backend->pack_linear(parts)).value();
      QCOMPARE(packed->num_outputs(), 103);
      const auto expected = pack(*backend, whole, 103, K);
      QVERIFY(same_bits(run(*backend, *packed, p, 0, 3), run(*backend, *expected, p, 0, 3)));
    }
  }

  void linear_writesAndReadsOnlyItsColumns() {
    // x and out are columns of wider tensors.
    Problem p(33, 70, 40, DType::kBF16);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 2);
      const auto weight = pack(*backend, p.weight, p.N, p.K);
      for (int64_t T : {1, 4, 9, 33}) {
        std::vector<float> wide_x(static_cast<size_t>(T * 50), 1e30f);
        for (int64_t t = 0; t < T; ++t) {
          std::copy_n(p.x.begin() + t * p.K, p.K, wide_x.begin() + t * 50 + 3);
        }
        std::vector<float> wide_out(static_cast<size_t>(T * 90), -7.0f);
        backend->linear(view(wide_out, {T, 90}).columns(11, 70),
                        view(wide_x, {T, 50}).columns(3, 40), *weight, view(p.bias, {p.N}));
        const std::vector<float> expected = run(*backend, *weight, p, 0, T);
        for (int64_t t = 0; t < T; ++t) {
          for (int64_t i = 0; i < 90; ++i) {
            const bool inside = i >= 11 && i < 81;
            QCOMPARE(wide_out[t * 90 + i], inside ? expected[t * 70 + i - 11] : -7.0f);
          }
        }
      }
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

QTEST_APPLESS_MAIN(TestLinear)
#include "tst_linear.moc"
