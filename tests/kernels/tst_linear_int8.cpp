// Backend::linear and linear_experts on quantised weights with inputs rounded to 8 bits: the same
// bits for every instruction set, number of rows and number of threads, and those of a plain
// product of what the inputs are rounded to.

#include <QTest>

#include <cmath>

#include "tests/kernels/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// What x is rounded to, in groups of 32.
std::vector<double> rounded(const std::vector<float>& x, int64_t K) {
  std::vector<double> result(x.size());
  for (size_t begin = 0; begin < x.size(); begin += 32) {
    const size_t end =
        std::min(begin + 32,
                 begin / static_cast<size_t>(K) * static_cast<size_t>(K) + static_cast<size_t>(K));
    float most = 0.0f;
    for (size_t i = begin; i < end; ++i) most = std::max(most, std::fabs(x[i]));
    for (size_t i = begin; i < end; ++i) {
      const float code = std::nearbyint(x[i] * (most > 0.0f ? 127.0f / most : 0.0f));
      result[i] = double{code} * (most / 127.0f);
    }
  }
  return result;
}

void add_types() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("dtype");
  for (const std::string& isa : instruction_sets()) {
    for (DType dtype : quantized_types()) {
      if (!has_integer_codes(dtype)) continue;
      QTest::addRow("%s %s", isa.c_str(), dtype_name(dtype).data())
          << QString::fromStdString(isa) << static_cast<int>(dtype);
    }
  }
}

/// Numbers of inputs that end within a chunk of 256 where the type's blocks allow it.
std::vector<int64_t> input_counts(DType dtype) {
  const int64_t block = dtype_block_elements(dtype);
  if (block > 32) return {block, 768 - block % 256};
  return {32, 224, 544};
}

}  // namespace

class TestLinearInt8 : public QObject {
  Q_OBJECT

 private slots:
  void linear_multipliesWhatTheInputsAreRoundedTo_data() { add_types(); }
  void linear_multipliesWhatTheInputsAreRoundedTo() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    Numbers numbers(11);
    const auto backend = make_backend(isa.toStdString(), 2, true);
    for (int64_t K : input_counts(static_cast<DType>(dtype))) {
      const int64_t N = 67;
      const int64_t T = 5;
      const QuantizedNumbers weight(static_cast<DType>(dtype), N, K, 5);
      std::vector<float> x = numbers.floats(T * K);
      std::vector<float> bias = numbers.floats(N);
      const std::vector<double> inputs = rounded(x, K);
      const auto packed = pack(*backend, blocks_view(weight, N, K));
      const std::vector<float> out = run(*backend, *packed, x, bias, T);
      for (int64_t t = 0; t < T; ++t) {
        for (int64_t n = 0; n < N; ++n) {
          double exact = double{bias[static_cast<size_t>(n)]};
          double sizes = std::fabs(exact);
          for (int64_t k = 0; k < K; ++k) {
            const double product = inputs[static_cast<size_t>(t * K + k)] *
                                   double{weight.exact[static_cast<size_t>(n * K + k)]};
            exact += product;
            sizes += std::fabs(product);
          }
          const double error = std::fabs(exact - double{out[static_cast<size_t>(t * N + n)]});
          // Codes times steps before offsets are added can be larger than what is left of them.
          QVERIFY2(error <= 0x1p-19 * sizes, qPrintable(QString::number(error / sizes)));
        }
      }
    }
  }

  void linear_givesTheSameBitsEverywhere_data() { add_types(); }
  void linear_givesTheSameBitsEverywhere() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    Numbers numbers(12);
    const auto scalar = make_backend("scalar", 1, true);
    for (int64_t K : input_counts(static_cast<DType>(dtype))) {
      for (int64_t N : {1, 63, 150}) {
        const QuantizedNumbers weight(static_cast<DType>(dtype), N, K, 6);
        std::vector<float> x = numbers.floats(61 * K);
        std::vector<float> bias = numbers.floats(N);
        const std::vector<float> expected =
            run(*scalar, *pack(*scalar, blocks_view(weight, N, K)), x, bias, 61);
        for (int threads : {1, 3}) {
          const auto backend = make_backend(isa.toStdString(), threads, true);
          const auto packed = pack(*backend, blocks_view(weight, N, K));
          for (int64_t T : {1, 2, 5, 7, 49, 61}) {
            const std::vector<float> out = run(*backend, *packed, x, bias, T);
            QVERIFY(same_bits(out.data(), expected.data(), T * N));
          }
        }
      }
    }
  }

  /// More rows than share a chunk, which all come in one call: they are few bytes.
  void linear_givesTheSameBitsInBlocks() {
    const int64_t T = 150, K = 544, N = 740;
    Numbers numbers(15);
    std::vector<float> bias = numbers.floats(N);
    std::vector<float> x = numbers.floats(T * K);
    const QuantizedNumbers weight(DType::kQ4_1, N, K, 11);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 1, true);
      const auto packed = pack(*backend, blocks_view(weight, N, K));
      const std::vector<float> out = run(*backend, *packed, x, bias, T);
      for (int64_t t : {0, 74, 75, 95, 96, 149}) {
        std::vector<float> row(x.begin() + t * K, x.begin() + (t + 1) * K);
        QVERIFY(same_bits(out.data() + t * N, run(*backend, *packed, row, bias, 1).data(), N));
      }
    }
  }

  /// More inputs than a slab, with several panels a task, one of them across the parts' border.
  void linear_givesTheSameBitsInSlabs() {
    const int64_t K = 3360, N = 740;
    Numbers numbers(14);
    std::vector<float> bias = numbers.floats(N);
    std::vector<float> x = numbers.floats(150 * K);
    const QuantizedNumbers a(DType::kQ8_0, 410, K, 9);
    const QuantizedNumbers b(DType::kQ4_1, 330, K, 10);
    const std::vector<ConstTensorView> parts = {blocks_view(a, 410, K), blocks_view(b, 330, K)};
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 1, true);
      const auto packed = pack(*backend, parts);
      const std::vector<float> out = run(*backend, *packed, x, bias, 96);
      const std::vector<float> of_two_blocks = run(*backend, *packed, x, bias, 150);
      for (int64_t t : {0, 1, 74, 75, 95, 149}) {
        std::vector<float> row(x.begin() + t * K, x.begin() + (t + 1) * K);
        const std::vector<float> alone = run(*backend, *packed, row, bias, 1);
        QVERIFY(same_bits(of_two_blocks.data() + t * N, alone.data(), N));
        if (t < 96) QVERIFY(same_bits(out.data() + t * N, alone.data(), N));
      }
    }
  }

  /// Zeros, the smallest and the largest numbers, and what a broken model brings.
  void linear_takesAnyNumbers() {
    const int64_t K = 256;
    const QuantizedNumbers weight(DType::kQ8_0, 3, K, 7);
    std::vector<float> bias = {1.0f, 2.0f, 3.0f};
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 1, true);
      const auto packed = pack(*backend, blocks_view(weight, 3, K));
      std::vector<float> zeros(K, 0.0f);
      QVERIFY(run(*backend, *packed, zeros, bias, 1) == bias);
      std::vector<float> least(K, 1e-40f);
      QVERIFY(run(*backend, *packed, least, bias, 1) == bias);
      std::vector<float> large(K, 1e30f);
      for (float value : run(*backend, *packed, large, bias, 1)) QVERIFY(std::isfinite(value));
      for (float wrong : {INFINITY, -INFINITY, NAN}) {
        std::vector<float> broken(K, 1.0f);
        broken[77] = wrong;
        for (float value : run(*backend, *packed, broken, bias, 1)) {
          QVERIFY(!std::isfinite(value));
        }
      }
    }
  }

  /// A part in f32 beside quantised ones is multiplied with what x is.
  void linear_roundsOnlyForQuantizedParts() {
    const int64_t K = 512;
    Numbers numbers(13);
    const QuantizedNumbers a(DType::kQ4_K, 70, K, 1);
    const std::vector<float> b = numbers.floats(5 * K);
    const std::vector<ConstTensorView> parts = {blocks_view(a, 70, K),
                                                {b.data(), DType::kF32, {5, K}}};
    std::vector<float> bias = numbers.floats(75);
    std::vector<float> x = numbers.floats(40 * K);
    for (const std::string& isa : instruction_sets()) {
      const auto rounding = make_backend(isa, 2, true);
      const auto plain = make_backend(isa, 2);
      for (int64_t T : {1, 3, 40}) {
        const std::vector<float> got = run(*rounding, *pack(*rounding, parts), x, bias, T);
        const std::vector<float> exact = run(*plain, *pack(*plain, parts), x, bias, T);
        for (int64_t t = 0; t < T; ++t) {
          QVERIFY(!same_bits(got.data() + t * 75, exact.data() + t * 75, 70));
          QVERIFY(same_bits(got.data() + t * 75 + 70, exact.data() + t * 75 + 70, 5));
        }
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestLinearInt8)
#include "tst_linear_int8.moc"
