#include <QTest>

#include <numeric>

#include "tests/kernels/cuda/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

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

/// Rows of x, each in the order of the columns.
std::vector<float> sorted(const std::vector<float>& x, const std::vector<int32_t>& order) {
  std::vector<float> rows;
  for (size_t row = 0; row < x.size(); row += order.size()) {
    for (const int32_t k : order) rows.push_back(x[row + static_cast<size_t>(k)]);
  }
  return rows;
}

}  // namespace

/// Weights whose columns are of other inputs give the bits of the same weight on inputs that were
/// put into the columns' order before, and factors of the outputs those of outputs times them.
class TestCudaWeightVectors : public QObject {
  Q_OBJECT

 private slots:
  void linear_takesInputsInTheColumnsOrder_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("T");
    for (DType dtype : {DType::kI4_32, DType::kI4_128, DType::kI8_128}) {
      // Rows that are read as they are, and rows that are converted to halves.
      for (int T : {1, 5, 20}) {
        QTest::addRow("%s T=%d", qPrintable(dtype_text(dtype)), T) << static_cast<int>(dtype) << T;
      }
    }
  }
  void linear_takesInputsInTheColumnsOrder() {
    QFETCH(int, dtype);
    QFETCH(int, T);
    constexpr int64_t K = 384;
    const WeightNumbers a(static_cast<DType>(dtype), 35, K, 3), b(DType::kF32, 5, K, 4);
    const auto queue = make_quick_queue();
    const std::vector<int32_t> order = input_order(K, 7);
    const auto plain = pack(*queue, {a.view(), b.view()});
    const auto ordered = pack(*queue, {a.view(), b.view(), order_view(order)});
    QCOMPARE(ordered->size_bytes(), plain->size_bytes() + K * sizeof(int32_t));
    Numbers numbers(8);
    const std::vector<float> x = numbers.floats(T * K), bias = numbers.floats(40);
    QVERIFY(run_linear(*queue, *ordered, x, bias) ==
            run_linear(*queue, *plain, sorted(x, order), bias));
  }

  void linear_multipliesOutputsByTheirScales() {
    constexpr int64_t K = 128, N = 40;
    const WeightNumbers a(DType::kI4_32, 35, K, 3), b(DType::kF32, 5, K, 4);
    const auto queue = make_quick_queue();
    Numbers numbers(8);
    const std::vector<float> scales = numbers.floats(N), bias = numbers.floats(N);
    const auto plain = pack(*queue, {a.view(), b.view()});
    const auto scaled =
        pack(*queue, {a.view(), b.view(), ConstTensorView(scales.data(), DType::kF32, {N})});
    for (int T : {1, 20}) {
      const std::vector<float> x = numbers.floats(T * K);
      std::vector<float> expected = run_linear(*queue, *plain, x, {});
      for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] *= scales[i % N];
        expected[i] += bias[i % N];
      }
      QVERIFY(run_linear(*queue, *scaled, x, bias) == expected);
    }
  }

  void linear_experts_takesInputsInTheOrderOfEach_data() {
    QTest::addColumn<int>("T");
    QTest::addColumn<int>("rowsPerX");
    for (int T : {1, 30}) {
      for (int rows_per_x : {1, 2}) {
        QTest::addRow("T=%d, %d rows of each x", T, rows_per_x) << T << rows_per_x;
      }
    }
  }
  void linear_experts_takesInputsInTheOrderOfEach() {
    QFETCH(int, T);
    QFETCH(int, rowsPerX);
    constexpr int64_t N = 24, K = 128, E = 3, k = 2;
    const auto queue = make_quick_queue();
    std::vector<std::unique_ptr<LinearWeight>> ordered;
    std::vector<const LinearWeight*> views;
    for (uint32_t e = 0; e < E; ++e) {
      const WeightNumbers numbers(DType::kI4_32, N, K, e);
      const std::vector<int32_t> order = input_order(K, e);
      // Expert 1 takes its inputs as they are, expert 0 has no factors.
      const std::vector<float> scales = Numbers(e).floats(N);
      std::vector<ConstTensorView> parts = {numbers.view()};
      if (e != 1) parts.push_back(order_view(order));
      if (e != 0) parts.push_back({scales.data(), DType::kF32, {N}});
      ordered.push_back(pack(*queue, parts));
      views.push_back(ordered.back().get());
    }
    std::vector<int32_t> ids;
    for (int i = 0; i < T * k; ++i) ids.push_back((i / 2 + i % 2) % 3);
    const int64_t num_x = T * k / rowsPerX;
    const std::vector<float> x = Numbers(9).floats(num_x * K);
    const std::vector<float> biases = Numbers(10).floats(E * N);
    const DeviceArray<float> device_biases(biases);
    const DeviceArray<int32_t> device_ids(ids);
    const DeviceArray<float> device_x(x);
    const DeviceArray<float> out(std::vector<float>(static_cast<size_t>(T * k * N), -7.0f));
    cuda::linear_experts(*queue, TensorView(out.data(), DType::kF32, {T * k, N}),
                         ConstTensorView(device_x.data(), DType::kF32, {num_x, K}), views,
                         ConstTensorView(device_biases.data(), DType::kF32, {E, N}),
                         ConstTensorView(device_ids.data(), DType::kI32, {T, k}));
    const std::vector<float> got = out.numbers(*queue);
    QVERIFY(queue->take_failure().has_value());
    for (int64_t i = 0; i < T * k; ++i) {
      const int64_t e = ids[static_cast<size_t>(i)];
      const auto alone = run_linear(*queue, *views[static_cast<size_t>(e)],
                                    rows_of(x, K, i / rowsPerX, 1), rows_of(biases, N, e, 1));
      QVERIFY(rows_of(got, N, i, 1) == alone);
    }
  }
};

QTEST_APPLESS_MAIN(TestCudaWeightVectors)
#include "tst_cuda_weight_vectors.moc"
