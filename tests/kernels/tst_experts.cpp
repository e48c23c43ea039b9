// route_experts, linear_experts, linear_heads and mix_experts: against doubles, and bit for bit
// against linear on each row alone.

#include <QTest>
#include <cmath>
#include <limits>

#include "tests/kernels/kernel_test_support.h"
#include "tests/support/sanitizers.h"

using namespace quire;
using namespace quire::test;

namespace {

void add_instruction_sets() {
  QTest::addColumn<QString>("isa");
  for (const std::string& isa : instruction_sets()) {
    QTest::newRow(isa.c_str()) << QString::fromStdString(isa);
  }
}

/// E experts (N, K) of one dtype, packed, with biases.
struct Experts {
  int64_t N;
  int64_t K;
  std::vector<std::unique_ptr<LinearWeight>> packed;
  std::vector<const LinearWeight*> weights;
  std::vector<float> biases;

  Experts(Backend& backend, DType dtype, int64_t E, int64_t n, int64_t k) : N(n), K(k) {
    Numbers numbers(21);
    for (int64_t e = 0; e < E; ++e) {
      const auto seed = static_cast<uint32_t>(e);
      const QuantizedNumbers blocks(is_quantized(dtype) ? dtype : DType::kQ8_0, n, k, seed);
      TypedNumbers floats;
      if (!is_quantized(dtype)) floats = in_dtype(dtype, blocks.exact);
      const ConstTensorView part(is_quantized(dtype) ? blocks.blocks.data() : floats.data(), dtype,
                                 {n, k});
      packed.push_back(std::move(backend.pack_linear(std::span(&part, 1))).value());
      weights.push_back(packed.back().get());
    }
    biases = numbers.floats(E * n);
  }

  std::vector<float> run(Backend& backend, std::vector<float>& x, int64_t x_rows,
                         std::vector<int32_t>& ids, int64_t T, int64_t k) {
    std::vector<float> out(static_cast<size_t>(T * k * N), -7.0f);
    const auto E = static_cast<int64_t>(weights.size());
    backend.linear_experts(view(out, {T * k, N}), view(x, {x_rows, K}), weights,
                           view(biases, {E, N}), view(ids, {T, k}));
    return out;
  }

  /// Expert e for row `row` of x.
  std::vector<float> run_alone(Backend& backend, std::vector<float>& x, int64_t x_rows, int64_t row,
                               int32_t e) {
    std::vector<float> out(static_cast<size_t>(N));
    backend.linear(view(out, {1, N}), view(x, {x_rows, K}).rows(row, 1),
                   *weights[static_cast<size_t>(e)],
                   ConstTensorView(biases.data() + e * N, DType::kF32, {N}));
    return out;
  }
};

std::vector<int32_t> distinct_ids(Numbers& numbers, int64_t T, int k, int E) {
  std::vector<int32_t> ids;
  for (int64_t t = 0; t < T; ++t) {
    const int first = numbers.below(E);
    for (int j = 0; j < k; ++j) ids.push_back((first + j * 3) % E);
  }
  return ids;
}

}  // namespace

class TestExperts : public QObject {
  Q_OBJECT

 private slots:
  void route_experts_takesTheLikeliest_data() { add_instruction_sets(); }
  void route_experts_takesTheLikeliest() {
    QFETCH(QString, isa);
    const int64_t T = 50;
    const int64_t E = 37;
    const int64_t k = 5;
    Numbers numbers(22);
    std::vector<float> logits = numbers.floats(T * E, 8.0f);
    // Ties: the lower id first.
    for (int64_t e = 0; e < E; ++e) logits[static_cast<size_t>(e)] = e % 2 == 0 ? 1.0f : 2.0f;
    const auto backend = make_backend(isa.toStdString(), 2);
    for (bool renormalize : {false, true}) {
      std::vector<int32_t> ids(T * k, -1);
      std::vector<float> weights(T * k);
      backend->route_experts(view(ids, {T, k}), view(weights, {T, k}), view(logits, {T, E}),
                             {.renormalize = renormalize});
      for (int32_t j = 0; j < k; ++j) QCOMPARE(ids[static_cast<size_t>(j)], 2 * j + 1);
      for (int64_t t = 0; t < T; ++t) {
        double total = 0.0;
        for (int64_t e = 0; e < E; ++e) total += std::exp(double{logits[t * E + e]});
        double chosen = 0.0;
        for (int64_t j = 0; j < k; ++j) chosen += std::exp(double{logits[t * E + ids[t * k + j]]});
        for (int64_t j = 0; j < k; ++j) {
          const float logit = logits[t * E + ids[t * k + j]];
          if (j > 0) QCOMPARE_GE(logits[t * E + ids[t * k + j - 1]], logit);
          const double expected = std::exp(double{logit}) / (renormalize ? chosen : total);
          QCOMPARE_LE(std::fabs(weights[t * k + j] - expected), 1e-7 * expected + 1e-12);
        }
        for (int64_t e = 0; e < E; ++e) {
          const bool taken = std::find(&ids[t * k], &ids[t * k] + k, e) != &ids[t * k] + k;
          if (!taken) QCOMPARE_LE(logits[t * E + e], logits[t * E + ids[t * k + k - 1]]);
        }
      }
    }
  }

  void route_experts_ofNoNumbersNamesExperts() {
    // A broken model's logits; the ids index the experts.
    std::vector<float> logits(3 * 40, std::numeric_limits<float>::quiet_NaN());
    logits[7] = 1.0f;
    for (size_t i = 80; i < 120; i += 3) logits[i] = -std::numeric_limits<float>::infinity();
    std::vector<int32_t> ids(3 * 8, -1);
    std::vector<float> weights(3 * 8);
    make_backend("scalar", 1)
        ->route_experts(view(ids, {3, 8}), view(weights, {3, 8}), view(logits, {3, 40}),
                        {.renormalize = true});
    QCOMPARE(ids[0], 7);
    for (int32_t id : ids) QVERIFY(id >= 0 && id < 40);
  }

  void linear_experts_equalsLinearOnEachRow_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("T");
    for (const std::string& isa : instruction_sets()) {
      for (DType dtype : {DType::kF32, DType::kBF16, DType::kMXFP4, DType::kQ8_0}) {
        for (int T : {1, 2, 9, 40, 120}) {
          QTest::addRow("%s %s T=%d", isa.c_str(), dtype_name(dtype).data(), T)
              << QString::fromStdString(isa) << static_cast<int>(dtype) << T;
        }
      }
    }
  }
  void linear_experts_equalsLinearOnEachRow() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(int, T);
    const int64_t k = 3;
    Numbers numbers(23);
    const auto one = make_backend(isa.toStdString(), 1);
    for (int threads : {1, 3}) {
      const auto backend = make_backend(isa.toStdString(), threads);
      Experts experts(*backend, static_cast<DType>(dtype), 11, 70, 288);
      std::vector<int32_t> ids = distinct_ids(numbers, T, k, 11);
      // The same x for a token's experts, then one for each.
      for (int64_t rows_per_x : {k, int64_t{1}}) {
        const int64_t x_rows = T * k / rows_per_x;
        std::vector<float> x = numbers.floats(x_rows * 288);
        const std::vector<float> out = experts.run(*backend, x, x_rows, ids, T, k);
        // Under sanitizers a row alone takes long.
        for (int64_t i = 0; i < T * k; i += kSanitizerFactor) {
          const std::vector<float> alone =
              experts.run_alone(*one, x, x_rows, i / rows_per_x, ids[static_cast<size_t>(i)]);
          QVERIFY(same_bits(out.data() + i * 70, alone.data(), 70));
        }
      }
    }
  }

  void linear_experts_acceptsViewsAndNoBias_data() { add_instruction_sets(); }
  void linear_experts_acceptsViewsAndNoBias() {
    QFETCH(QString, isa);
    const auto backend = make_backend(isa.toStdString(), 2);
    Experts experts(*backend, DType::kQ4_0, 4, 70, 64);
    Numbers numbers(24);
    // x, out and ids are columns of wider tensors; one expert has all rows, two have none.
    std::vector<float> x = numbers.floats(5 * 100);
    std::vector<int32_t> ids = {9, 2, 1, 9, 2, 1, 9, 2, 1, 9, 2, 1, 9, 2, 1};
    std::vector<float> out(10 * 90, -7.0f);
    const ConstTensorView wide_ids = view(ids, {5, 3});
    backend->linear_experts(view(out, {10, 90}).columns(3, 70), view(x, {5, 100}).columns(20, 64),
                            experts.weights, {}, wide_ids.columns(1, 2));
    for (int64_t i = 0; i < 10; ++i) {
      std::vector<float> expected(70);
      backend->linear(view(expected, {1, 70}), view(x, {5, 100}).columns(20, 64).rows(i / 2, 1),
                      *experts.weights[i % 2 == 0 ? 2 : 1], {});
      QVERIFY(same_bits(out.data() + i * 90 + 3, expected.data(), 70));
      QCOMPARE(out[static_cast<size_t>(i * 90 + 2)], -7.0f);
      QCOMPARE(out[static_cast<size_t>(i * 90 + 73)], -7.0f);
    }
  }

  void linear_experts_acceptsNoRows() {
    const auto backend = make_backend("scalar", 1);
    Experts experts(*backend, DType::kQ8_0, 2, 8, 32);
    std::vector<float> none;
    std::vector<int32_t> no_ids;
    QVERIFY(experts.run(*backend, none, 0, no_ids, 0, 2).empty());
  }

  /// Each head's rows have the bits of linear on each of them, behind what is copied.
  void linear_heads_equalsLinearOnEachHead_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("K");
    QTest::addColumn<int>("P");
    for (const std::string& isa : instruction_sets()) {
      for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0}) {
        for (const auto& [K, P] : {std::pair{32, 0}, {128, 64}, {288, 6}}) {
          QTest::addRow("%s %s K=%d P=%d", isa.c_str(), dtype_name(dtype).data(), K, P)
              << QString::fromStdString(isa) << static_cast<int>(dtype) << K << P;
        }
      }
    }
  }
  void linear_heads_equalsLinearOnEachHead() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(int, K);
    QFETCH(int, P);
    constexpr int64_t H = 5, N = 72;
    const auto backend = make_backend(isa.toStdString(), 2);
    const Experts heads(*backend, static_cast<DType>(dtype), H, N, K);
    for (const int64_t T : {0, 1, 3, 40}) {
      std::vector<float> x = Numbers(5).floats(T * H * (P + K));
      std::vector<float> out(static_cast<size_t>(T * H * (P + N)), -7.0f);
      backend->linear_heads(view(out, {T, H, P + N}), view(x, {T, H, P + K}), heads.weights);
      for (int64_t i = 0; i < T * H; ++i) {
        const float* const from = x.data() + i * (P + K);
        std::vector<float> expected(from, from + P);
        expected.resize(static_cast<size_t>(P + N));
        backend->linear(TensorView(expected.data() + P, DType::kF32, {1, N}),
                        ConstTensorView(from + P, DType::kF32, {1, K}),
                        *heads.weights[static_cast<size_t>(i % H)], {});
        QVERIFY(same_bits(out.data() + i * (P + N), expected.data(), P + N));
      }
    }
  }

  void mix_experts_sumsByWeight_data() { add_instruction_sets(); }
  void mix_experts_sumsByWeight() {
    QFETCH(QString, isa);
    Numbers numbers(25);
    const int64_t T = 33;
    const int64_t k = 4;
    const int64_t C = 67;
    std::vector<float> x = numbers.floats(T * k * C);
    std::vector<float> weights = numbers.floats(T * k);
    std::vector<float> out(T * C, -7.0f);
    make_backend(isa.toStdString(), 2)
        ->mix_experts(view(out, {T, C}), view(x, {T * k, C}), view(weights, {T, k}));
    std::vector<double> expected;
    for (int64_t t = 0; t < T; ++t) {
      for (int64_t i = 0; i < C; ++i) {
        double sum = 0.0;
        for (int64_t j = 0; j < k; ++j) {
          sum += double{weights[t * k + j]} * x[(t * k + j) * C + i];
        }
        expected.push_back(sum);
      }
    }
    QCOMPARE_LE(largest_error(out, expected), 4e-7);
    std::vector<float> alone(C);
    make_backend(isa.toStdString(), 1)
        ->mix_experts(view(alone, {1, C}), view(x, {T * k, C}).rows(20 * k, k),
                      view(weights, {T, k}).rows(20, 1));
    QVERIFY(same_bits(alone.data(), out.data() + 20 * C, C));
  }
};

QTEST_APPLESS_MAIN(TestExperts)
#include "tst_experts.moc"
