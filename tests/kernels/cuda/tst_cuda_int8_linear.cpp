#include <simt/control.h>

#include <QTest>

#include <cmath>

#include "kernels/cuda/linear/gemm_task.h"
#include "tests/kernels/cuda/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// x (T, K) as int8 activations hold it (linear/int8_activations.h).
std::vector<float> quantize_to_int8(std::vector<float> x, int64_t inputs) {
  for (size_t row = 0; row < x.size(); row += static_cast<size_t>(inputs)) {
    for (int64_t first = 0; first < inputs; first += 32) {
      float* const group = &x[row + static_cast<size_t>(first)];
      const int64_t count = std::min<int64_t>(32, inputs - first);
      float largest = 0.0f;
      for (int64_t k = 0; k < count; ++k) largest = std::max(largest, std::fabs(group[k]));
      const float inverse = largest == 0.0f ? 0.0f : 127.0f / largest;
      for (int64_t k = 0; k < count; ++k) {
        group[k] = std::nearbyint(std::fma(group[k], inverse, 0.0f)) * (largest * (1.0f / 127.0f));
      }
    }
  }
  return x;
}

/// What the order of a sum may change, and the roundings of steps and of scaled sums: of each
/// product, in which a weight is the sum of a code and a minimum that may be larger than it.
std::vector<double> sum_bounds(const LinearProblem& problem, const std::vector<float>& x) {
  const WeightNumbers& weight = problem.weight;
  float largest = 0.0f;
  for (float w : weight.exact) largest = std::max(largest, std::fabs(w));
  // The steps of folders' types are rounded to f16 when they are packed.
  const double unit = weight.dtype == DType::kI8_128 ? 0x1p-10 : 0x1p-21;
  std::vector<double> bounds;
  for (int64_t row = 0; row < problem.num_rows(); ++row) {
    double size = 0.0;
    for (float input : rows_of(x, weight.columns, row, 1)) size += std::fabs(input);
    bounds.insert(bounds.end(), static_cast<size_t>(weight.rows), 1e-6 + unit * size * largest);
  }
  return bounds;
}

void add_dtypes(std::initializer_list<DType> dtypes) {
  QTest::addColumn<DType>("dtype");
  for (DType dtype : dtypes) QTest::addRow("%s", qPrintable(dtype_text(dtype))) << dtype;
}

}  // namespace

/// linear() on GPUs that multiply quantised weights in int8.
class TestCudaInt8Linear : public QObject {
  Q_OBJECT

 private slots:
  void gemm_quantizesActivationsByGroups_data();
  void gemm_quantizesActivationsByGroups();
  void rows_haveTheSameBitsInAnyBatch_data();
  void rows_haveTheSameBitsInAnyBatch();
  void longRows_areSummedInRounds_data() {
    add_dtypes({DType::kQ8_0, DType::kQ3_K, DType::kQ4_K, DType::kQ5_1, DType::kI4_128});
  }
  void longRows_areSummedInRounds();
  void gpus_giveTheSameBits();
  void inputs_mayBeOfAnySize();
  void order_ofThreadsDoesNotMatter();
  void code_decidesWhatIsMultiplied_data();
  void code_decidesWhatIsMultiplied();

 private:
  cuda::CommandQueue* queue() {
    if (m_queue == nullptr) m_queue = make_quick_queue(89);
    return m_queue.get();
  }

  std::unique_ptr<cuda::CommandQueue> m_queue;
};

void TestCudaInt8Linear::gemm_quantizesActivationsByGroups_data() {
  QTest::addColumn<DType>("dtype");
  const cuda::GpuFacts facts = queue()->facts();
  for (DType dtype : weight_dtypes()) {
    if (cuda::input_dtype(dtype, facts) != DType::kI8) continue;
    QTest::addRow("%s", qPrintable(dtype_text(dtype))) << dtype;
  }
}
void TestCudaInt8Linear::gemm_quantizesActivationsByGroups() {
  QFETCH(DType, dtype);
  const int64_t odd = odd_inputs(dtype);
  const std::array<int64_t, 3> shapes[] = {
      {17, odd, 1},  {17, odd, 7},  {17, odd, 13}, {17, odd, 30},
      {17, odd, 61}, {17, odd, 67}, {1, odd, 2},   {100, dtype_block_elements(dtype), 3}};
  for (const auto& [outputs, inputs, rows] : shapes) {
    const LinearProblem problem(dtype, outputs, inputs, rows, 11);
    const auto weight = pack(*queue(), {problem.weight.view()});
    const std::vector<float> x = quantize_to_int8(problem.x, inputs);
    const std::string found = first_outside(run_linear(*queue(), *weight, problem.x, problem.bias),
                                            scalar_linear({problem.weight.view()}, x, problem.bias),
                                            sum_bounds(problem, x));
    QVERIFY2(found.empty(), qPrintable(QString("%1 outputs, %2 inputs, %3 rows: %4")
                                           .arg(outputs)
                                           .arg(inputs)
                                           .arg(rows)
                                           .arg(QString::fromStdString(found))));
  }
}

void TestCudaInt8Linear::rows_haveTheSameBitsInAnyBatch_data() {
  add_dtypes({DType::kQ4_0, DType::kQ4_1, DType::kQ4_K, DType::kQ6_K, DType::kQ3_K, DType::kI8_128,
              DType::kI4_32, DType::kMXFP4, DType::kNVFP4});
}
void TestCudaInt8Linear::rows_haveTheSameBitsInAnyBatch() {
  QFETCH(DType, dtype);
  const int64_t outputs = 260;
  const int64_t inputs = odd_inputs(dtype);
  const LinearProblem problem(dtype, outputs, inputs, 300, 31);
  const auto weight = pack(*queue(), {problem.weight.view()});
  const std::vector<float> all = run_linear(*queue(), *weight, problem.x, problem.bias);
  const std::pair<int, int> batches[] = {{1, 299}, {7, 100}, {8, 3},  {9, 291},
                                         {17, 50}, {33, 1},  {64, 5}, {65, 200}};
  for (const auto& [count, first] : batches) {
    QVERIFY2(same_bits(run_linear(*queue(), *weight, rows_of(problem.x, inputs, first, count),
                                  problem.bias),
                       rows_of(all, outputs, first, count)),
             qPrintable(QString("%1 rows from %2 on").arg(count).arg(first)));
  }
}

void TestCudaInt8Linear::longRows_areSummedInRounds() {
  QFETCH(DType, dtype);
  const int64_t inputs = 256 * 67;
  const LinearProblem problem(dtype, 18, inputs, 9, 41);
  const auto weight = pack(*queue(), {problem.weight.view()});
  const std::vector<float> nine = run_linear(*queue(), *weight, problem.x, {});
  const std::vector<float> x = quantize_to_int8(problem.x, inputs);
  const std::string found =
      first_outside(nine, scalar_linear({problem.weight.view()}, x, {}), sum_bounds(problem, x));
  QVERIFY2(found.empty(), found.c_str());
  for (int count : {8, 5, 1}) {
    QVERIFY(same_bits(run_linear(*queue(), *weight, rows_of(problem.x, inputs, 0, count), {}),
                      rows_of(nine, 18, 0, count)));
  }
}

void TestCudaInt8Linear::gpus_giveTheSameBits() {
  for (DType dtype : {DType::kQ5_K, DType::kMXFP4}) {  // MXFP4 is packed otherwise for sm_75.
    const LinearProblem problem(dtype, 40, 512, 70, 51);
    std::vector<float> expected;
    for (int compute_capability : {89, 75, 86, 120}) {
      m_queue.reset();
      m_queue = make_quick_queue(compute_capability);
      const auto weight = pack(*queue(), {problem.weight.view()});
      const std::vector<float> out = run_linear(*queue(), *weight, problem.x, problem.bias);
      if (expected.empty()) expected = out;
      QVERIFY2(same_bits(out, expected), qPrintable(QString::number(compute_capability)));
    }
  }
  m_queue.reset();
}

void TestCudaInt8Linear::inputs_mayBeOfAnySize() {
  const WeightNumbers weights(DType::kQ8_0, 4, 96, 71);
  const auto weight = pack(*queue(), {weights.view()});
  constexpr size_t kRows = 6;
  std::vector<float> x(kRows * 96);
  x[3] = 1e30f;
  x[96 + 40] = 1e-25f;
  x[2 * 96 + 3] = 1e-35f;  // Vanishes.
  x[3 * 96 + 50] = INFINITY;
  x[4 * 96 + 90] = NAN;
  for (int64_t copies : {1, 4}) {  // As few rows, and as more, which are rounded by another kernel.
    std::vector<float> rows;
    for (int64_t i = 0; i < copies; ++i) rows.insert(rows.end(), x.begin(), x.end());
    const std::vector<float> out = run_linear(*queue(), *weight, rows, {});
    for (size_t n = 0; n < 4; ++n) {
      const auto w = static_cast<float>(weights.exact[n * 96 + 3]);
      QVERIFY(std::fabs(out[n] - 1e30f * w) <= 1e24f * std::fabs(w));
      const auto small = static_cast<float>(1e-25 * weights.exact[n * 96 + 40]);
      QVERIFY(std::fabs(out[4 + n] - small) <= 1e-6f * std::fabs(small));
      QCOMPARE(out[8 + n], 0.0f);
      QVERIFY(!std::isfinite(out[12 + n]));
      QVERIFY(std::isnan(out[16 + n]));
      QCOMPARE(out[20 + n], 0.0f);
    }
  }
}

void TestCudaInt8Linear::order_ofThreadsDoesNotMatter() {
  for (DType dtype : {DType::kQ4_K, DType::kQ5_0}) {
    const LinearProblem problem(dtype, 40, 768, 70, 81);
    const auto weight = pack(*queue(), {problem.weight.view()});
    for (int count : {3, 12, 70}) {
      const std::vector<float> x = rows_of(problem.x, 768, 0, count);
      simt::set_seed(0);
      const std::vector<float> in_order = run_linear(*queue(), *weight, x, {});
      for (uint64_t seed : {1, 2}) {
        simt::set_seed(seed);
        QVERIFY(same_bits(run_linear(*queue(), *weight, x, {}), in_order));
      }
    }
  }
  simt::set_seed(0);
}

void TestCudaInt8Linear::code_decidesWhatIsMultiplied_data() {
  QTest::addColumn<int>("gpu");
  QTest::addColumn<int>("code");
  QTest::addColumn<DType>("inputs");
  QTest::newRow("Turing") << 75 << 75 << DType::kI8;
  QTest::newRow("A100") << 80 << 80 << DType::kF16;
  QTest::newRow("Ada") << 89 << 89 << DType::kI8;
  QTest::newRow("Ada, code for the A100") << 89 << 80 << DType::kF16;
  QTest::newRow("Hopper") << 90 << 90 << DType::kF16;
  QTest::newRow("GeForce Blackwell") << 120 << 120 << DType::kI8;
  QTest::newRow("GeForce Blackwell, code for Hopper") << 120 << 90 << DType::kF16;
  QTest::newRow("a later GPU, code for GeForce Blackwell") << 130 << 120 << DType::kI8;
}
void TestCudaInt8Linear::code_decidesWhatIsMultiplied() {
  QFETCH(int, gpu);
  QFETCH(int, code);
  QFETCH(DType, inputs);
  m_queue.reset();
  simt::set_machine({.compute_capability = gpu, .code_architecture = code});
  const auto queue = cuda::CommandQueue::create(0).value();
  QCOMPARE(cuda::input_dtype(DType::kQ4_K, queue->facts()), inputs);
  QCOMPARE(cuda::input_dtype(DType::kF16, queue->facts()), DType::kF16);
  QCOMPARE(cuda::input_dtype(DType::kF32, queue->facts()), DType::kF32);
}

QTEST_GUILESS_MAIN(TestCudaInt8Linear)
#include "tst_cuda_int8_linear.moc"
