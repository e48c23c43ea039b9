// Weights with vectors beside their matrices (WeightParts). Columns of other inputs (act-order):
// the bits of the same weight on inputs that were put into the columns' order before. Factors of
// the outputs: the bits of the outputs times the factors, plus the bias.

#include <QTest>

#include <numeric>

#include "tests/kernels/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// (K): another order for each seed.
std::vector<int32_t> input_order(int64_t K, uint32_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(K));
  std::iota(order.begin(), order.end(), 0);
  Numbers numbers(seed);
  for (size_t k = order.size(); k > 1; --k) {
    std::swap(order[k - 1], order[static_cast<size_t>(numbers.below(static_cast<int>(k)))]);
  }
  return order;
}

ConstTensorView order_view(const std::vector<int32_t>& order) {
  return {order.data(), DType::kI32, {static_cast<int64_t>(order.size())}};
}

/// A row of x (K) in the order of the columns.
std::vector<float> sorted(const float* x, const std::vector<int32_t>& order) {
  std::vector<float> row;
  for (const int32_t k : order) row.push_back(x[k]);
  return row;
}

/// Experts (N, K) of a dtype, with an order each but for expert 1 and factors for expert 2, and
/// without.
struct OrderedExperts {
  std::vector<std::vector<int32_t>> orders;
  std::vector<std::vector<float>> scales;
  std::vector<std::unique_ptr<LinearWeight>> ordered, plain;
  std::vector<const LinearWeight*> views;

  OrderedExperts(Backend& backend, DType dtype, int64_t E, int64_t N, int64_t K) {
    for (int64_t e = 0; e < E; ++e) {
      const auto seed = static_cast<uint32_t>(e);
      const QuantizedNumbers blocks(dtype, N, K, seed);
      orders.push_back(input_order(K, seed));
      if (e == 1) std::iota(orders.back().begin(), orders.back().end(), 0);
      std::vector<ConstTensorView> parts = {blocks_view(blocks, N, K)};
      plain.push_back(pack(backend, parts));
      if (e != 1) parts.push_back(order_view(orders.back()));
      scales.push_back(std::vector<float>(static_cast<size_t>(N), e == 2 ? 1.7f : 1.0f));
      if (e == 2) parts.push_back({scales.back().data(), DType::kF32, {N}});
      ordered.push_back(pack(backend, parts));
      views.push_back(ordered.back().get());
    }
  }

  /// Expert e for one row of x.
  std::vector<float> alone(Backend& backend, size_t e, const float* x) const {
    std::vector<float> row = sorted(x, orders[e]);
    std::vector<float> out(static_cast<size_t>(plain[e]->num_outputs()));
    const auto K = static_cast<int64_t>(row.size()), N = static_cast<int64_t>(out.size());
    backend.linear(view(out, {1, N}), view(row, {1, K}), *plain[e], {});
    for (size_t n = 0; n < out.size(); ++n) out[n] *= scales[e][n];
    return out;
  }
};

void add_rows() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("dtype");
  QTest::addColumn<bool>("quantizes");
  for (const std::string& isa : instruction_sets()) {
    for (DType dtype : {DType::kI4_32, DType::kI4_128, DType::kI8_128, DType::kF8_128}) {
      for (bool quantizes : {false, true}) {
        QTest::addRow("%s %s%s", isa.c_str(), dtype_name(dtype).data(), quantizes ? " int8" : "")
            << QString::fromStdString(isa) << static_cast<int>(dtype) << quantizes;
      }
    }
  }
}

}  // namespace

class TestWeightVectors : public QObject {
  Q_OBJECT

 private slots:
  void linear_takesInputsInTheColumnsOrder_data() { add_rows(); }
  void linear_takesInputsInTheColumnsOrder() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(bool, quantizes);
    const int64_t K = 640;
    Numbers numbers(31);
    const QuantizedNumbers a(static_cast<DType>(dtype), 70, K, 5);
    const std::vector<float> b = numbers.floats(5 * K);
    TypedNumbers c = in_dtype(DType::kBF16, numbers.floats(9 * K));
    std::vector<ConstTensorView> parts = {
        blocks_view(a, 70, K), {b.data(), DType::kF32, {5, K}}, {c.data(), DType::kBF16, {9, K}}};
    const std::vector<int32_t> order = input_order(K, 3);
    std::vector<float> bias = numbers.floats(84);
    for (int threads : {1, 3}) {
      const auto backend = make_backend(isa.toStdString(), threads, quantizes);
      const auto plain = pack(*backend, parts);
      std::vector<ConstTensorView> with_order = parts;
      with_order.push_back(order_view(order));
      const auto ordered = pack(*backend, with_order);
      QCOMPARE(ordered->num_outputs(), 84);
      QCOMPARE(ordered->size_bytes(), plain->size_bytes() + K * sizeof(int32_t));
      QCOMPARE(MemoryModel(backend->info(), threads).packed_bytes(with_order),
               ordered->size_bytes());
      for (int64_t T : {1, 2, 7, 80}) {
        std::vector<float> x = numbers.floats(T * K), in_order;
        for (int64_t t = 0; t < T; ++t) {
          const std::vector<float> row = sorted(x.data() + t * K, order);
          in_order.insert(in_order.end(), row.begin(), row.end());
        }
        QVERIFY(same_bits(run(*backend, *ordered, x, bias, T),
                          run(*backend, *plain, in_order, bias, T)));
      }
    }
  }

  void linear_multipliesOutputsByTheirScales_data() { add_rows(); }
  void linear_multipliesOutputsByTheirScales() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(bool, quantizes);
    const int64_t K = 384, N = 150;
    Numbers numbers(34);
    const QuantizedNumbers a(static_cast<DType>(dtype), 70, K, 5), b(DType::kNVFP4, 80, K, 6);
    const std::vector<float> scales = numbers.floats(N);
    std::vector<float> bias = numbers.floats(N);
    const std::vector<int32_t> order = input_order(K, 3);
    const auto backend = make_backend(isa.toStdString(), 2, quantizes);
    std::vector<ConstTensorView> parts = {blocks_view(a, 70, K), blocks_view(b, 80, K),
                                          order_view(order)};
    const auto plain = pack(*backend, parts);
    parts.push_back({scales.data(), DType::kF32, {N}});
    const auto scaled = pack(*backend, parts);
    QCOMPARE(scaled->size_bytes(), plain->size_bytes() + N * sizeof(float));
    for (int64_t T : {1, 7, 80}) {
      std::vector<float> x = numbers.floats(T * K);
      const std::vector<float> out = run(*backend, *scaled, x, bias, T);
      std::vector<float> expected(static_cast<size_t>(T * N));
      backend->linear(view(expected, {T, N}), view(x, {T, K}), *plain, {});
      for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] *= scales[i % N];
        expected[i] += bias[i % N];
      }
      QVERIFY(same_bits(out, expected));
    }
  }

  void linear_experts_takesInputsInTheOrderOfEach_data() { add_rows(); }
  void linear_experts_takesInputsInTheOrderOfEach() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(bool, quantizes);
    const int64_t E = 7, N = 70, K = 256, k = 3;
    const auto backend = make_backend(isa.toStdString(), 2, quantizes);
    const OrderedExperts experts(*backend, static_cast<DType>(dtype), E, N, K);
    Numbers numbers(32);
    for (int64_t T : {1, 4, 50}) {
      std::vector<int32_t> ids;
      for (int64_t i = 0; i < T * k; ++i) {
        ids.push_back(static_cast<int32_t>((i / k * 5 + i % k * 2) % E));
      }
      for (int64_t rows_per_x : {k, int64_t{1}}) {
        const int64_t x_rows = T * k / rows_per_x;
        std::vector<float> x = numbers.floats(x_rows * K);
        std::vector<float> out(static_cast<size_t>(T * k * N), -7.0f);
        backend->linear_experts(view(out, {T * k, N}), view(x, {x_rows, K}), experts.views, {},
                                view(ids, {T, k}));
        for (int64_t i = 0; i < T * k; ++i) {
          const auto e = static_cast<size_t>(ids[static_cast<size_t>(i)]);
          const auto alone = experts.alone(*backend, e, x.data() + i / rows_per_x * K);
          QVERIFY(same_bits(out.data() + i * N, alone.data(), N));
        }
      }
    }
  }

  void linear_heads_takesInputsInTheOrderOfEach_data() { add_rows(); }
  void linear_heads_takesInputsInTheOrderOfEach() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(bool, quantizes);
    const int64_t H = 4, N = 70, K = 128, P = 6, T = 9;
    const auto backend = make_backend(isa.toStdString(), 2, quantizes);
    const OrderedExperts heads(*backend, static_cast<DType>(dtype), H, N, K);
    std::vector<float> x = Numbers(33).floats(T * H * (P + K));
    std::vector<float> out(static_cast<size_t>(T * H * (P + N)), -7.0f);
    backend->linear_heads(view(out, {T, H, P + N}), view(x, {T, H, P + K}), heads.views);
    for (int64_t i = 0; i < T * H; ++i) {
      const float* const from = x.data() + i * (P + K);
      const auto alone = heads.alone(*backend, static_cast<size_t>(i % H), from + P);
      QVERIFY(same_bits(out.data() + i * (P + N), from, P));
      QVERIFY(same_bits(out.data() + i * (P + N) + P, alone.data(), N));
    }
  }
};

QTEST_APPLESS_MAIN(TestWeightVectors)
#include "tst_weight_vectors.moc"
