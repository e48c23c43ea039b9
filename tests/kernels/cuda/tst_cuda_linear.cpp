#include <simt/control.h>

#include <QTest>

#include <cmath>

#include "kernels/cuda/linear/gemm_task.h"
#include "tests/kernels/cuda/linear_test_support.h"

using namespace quire;
using namespace quire::test;

/// linear() on the GPU: near the scalar backend, or with f32 weights its bits; and the same bits
/// for a row wherever and beside whatever it is.
class TestCudaLinear : public QObject {
  Q_OBJECT

 private slots:
  void gemm_isNearTheScalarBackends_data();
  void gemm_isNearTheScalarBackends();
  void floatWeights_giveTheScalarBackendsBits_data();
  void floatWeights_giveTheScalarBackendsBits();
  void rows_haveTheSameBitsInAnyBatch_data();
  void rows_haveTheSameBitsInAnyBatch();
  void longRows_areSummedInRounds_data();
  void longRows_areSummedInRounds();
  void shapes_dependOnRowsAndTheGpu();
  void oldGpus_takeEverythingAsF16_data();
  void oldGpus_takeEverythingAsF16();
  void parts_ofSeveralDtypes_areEachComputed();
  void largeInputs_areHeldToTheRange();
  void order_ofThreadsDoesNotMatter();

 private:
  /// One for all tests, since a machine's start takes time.
  cuda::CommandQueue* queue() {
    if (m_queue == nullptr) m_queue = make_quick_queue();
    return m_queue.get();
  }

  std::unique_ptr<cuda::CommandQueue> m_queue;
};

void TestCudaLinear::gemm_isNearTheScalarBackends_data() {
  QTest::addColumn<DType>("dtype");
  for (DType dtype : weight_dtypes()) {
    if (dtype != DType::kF32) QTest::addRow("%s", qPrintable(dtype_text(dtype))) << dtype;
  }
}
void TestCudaLinear::gemm_isNearTheScalarBackends() {
  QFETCH(DType, dtype);
  cuda::CommandQueue* const queue = this->queue();
  struct Shape {
    int64_t outputs;
    int64_t inputs;
    int64_t rows;
  };
  const int64_t odd = odd_inputs(dtype);
  std::vector<Shape> shapes = {
      {17, odd, 1},  {17, odd, 7},  {17, odd, 13}, {17, odd, 30},
      {17, odd, 61}, {17, odd, 67}, {1, odd, 2},   {100, dtype_block_elements(dtype), 3}};
  if (!is_quantized(dtype)) shapes.push_back({33, 70, 9});
  if (dtype_block_elements(dtype) == 32) shapes.push_back({20, 2880, 2});
  for (const Shape& shape : shapes) {
    const LinearProblem problem(dtype, shape.outputs, shape.inputs, shape.rows, 11);
    const auto weight = pack(*queue, {problem.weight.view()});
    const std::string found = first_outside(
        run_linear(*queue, *weight, problem.x, problem.bias),
        scalar_linear({problem.weight.view()}, problem.x, problem.bias), product_bounds(problem));
    QVERIFY2(found.empty(), qPrintable(QString("%1 outputs, %2 inputs, %3 rows: ")
                                           .arg(shape.outputs)
                                           .arg(shape.inputs)
                                           .arg(shape.rows) +
                                       QString::fromStdString(found)));
  }
}

void TestCudaLinear::floatWeights_giveTheScalarBackendsBits_data() {
  QTest::addColumn<int>("outputs");
  QTest::addColumn<int>("inputs");
  QTest::addColumn<int>("rows");
  QTest::newRow("one") << 1 << 1 << 1;
  QTest::newRow("a chunk and a piece") << 17 << 257 << 8;
  QTest::newRow("rows of odd length") << 100 << 70 << 3;
  QTest::newRow("more chunks than warps") << 19 << 2500 << 5;
  QTest::newRow("many rows") << 70 << 590 << 67;
  QTest::newRow("many rows, few inputs") << 3 << 5 << 130;
}
void TestCudaLinear::floatWeights_giveTheScalarBackendsBits() {
  QFETCH(int, outputs);
  QFETCH(int, inputs);
  QFETCH(int, rows);
  cuda::CommandQueue* const queue = this->queue();
  const LinearProblem problem(DType::kF32, outputs, inputs, rows, 21);
  const auto weight = pack(*queue, {problem.weight.view()});
  for (const std::vector<float>& bias : {problem.bias, std::vector<float>()}) {
    QVERIFY(same_bits(run_linear(*queue, *weight, problem.x, bias),
                      scalar_linear({problem.weight.view()}, problem.x, bias)));
  }
}

void TestCudaLinear::rows_haveTheSameBitsInAnyBatch_data() {
  QTest::addColumn<DType>("dtype");
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kQ4_0, DType::kQ4_K,
                      DType::kQ6_K, DType::kMXFP4, DType::kNVFP4, DType::kI4_128, DType::kF8_128}) {
    QTest::addRow("%s", qPrintable(dtype_text(dtype))) << dtype;
  }
}
void TestCudaLinear::rows_haveTheSameBitsInAnyBatch() {
  QFETCH(DType, dtype);
  cuda::CommandQueue* const queue = this->queue();
  const int64_t outputs = 260;
  const int64_t inputs = odd_inputs(dtype);
  const int64_t most = 300;
  const LinearProblem problem(dtype, outputs, inputs, most, 31);
  const auto weight = pack(*queue, {problem.weight.view()});
  const std::vector<float> all = run_linear(*queue, *weight, problem.x, problem.bias);
  // Each count begins elsewhere, so that rows change their places in tiles and fragments.
  const std::pair<int, int> batches[] = {{1, 299}, {1, 0},  {7, 100}, {8, 3},  {9, 291},
                                         {17, 50}, {33, 1}, {63, 20}, {64, 5}, {65, 200}};
  for (const auto& [count, first] : batches) {
    QVERIFY2(same_bits(run_linear(*queue, *weight, rows_of(problem.x, inputs, first, count),
                                  problem.bias),
                       rows_of(all, outputs, first, count)),
             qPrintable(QString("%1 rows from %2 on").arg(count).arg(first)));
  }
}

void TestCudaLinear::longRows_areSummedInRounds_data() {
  QTest::addColumn<DType>("dtype");
  QTest::newRow("units of 64") << DType::kF16;
  QTest::newRow("units of 256") << DType::kQ2_K;
  QTest::newRow("rows of floats") << DType::kF32;
}
void TestCudaLinear::longRows_areSummedInRounds() {
  QFETCH(DType, dtype);
  cuda::CommandQueue* const queue = this->queue();
  const int64_t inputs = 256 * 43;
  const LinearProblem problem(dtype, 18, inputs, 9, 41);
  const auto weight = pack(*queue, {problem.weight.view()});
  const std::vector<float> nine = run_linear(*queue, *weight, problem.x, {});
  const std::string found = first_outside(
      nine, scalar_linear({problem.weight.view()}, problem.x, {}), product_bounds(problem));
  QVERIFY2(found.empty(), found.c_str());
  // The inputs of eight rows are rounded once. Those of five do not fit into shared memory at once,
  // one row's do.
  for (int count : {8, 5, 1}) {
    QVERIFY(same_bits(run_linear(*queue, *weight, rows_of(problem.x, inputs, 0, count), {}),
                      rows_of(nine, 18, 0, count)));
  }
}

void TestCudaLinear::shapes_dependOnRowsAndTheGpu() {
  using cuda::GemmShape;
  cuda::GpuFacts facts = queue()->facts();
  facts.num_multiprocessors = 132;
  facts.max_shared_bytes = size_t{227} << 10;
  QCOMPARE(cuda::choose_shape(facts, 1, 1, 4096), GemmShape::kFew8);
  QCOMPARE(cuda::choose_shape(facts, 64, 1, 4096), GemmShape::kFew64);
  QCOMPARE(cuda::choose_shape(facts, 65, 1, 4096), GemmShape::kMany64);
  QCOMPARE(cuda::choose_shape(facts, 4096, 1, 4096), GemmShape::kMany128);
  // By the inputs of all rows, and by whether sets of 32 outputs fill the GPU.
  QCOMPARE(cuda::choose_linear_shape(facts, 1, 4096, 14336), GemmShape::kFew8);
  QCOMPARE(cuda::choose_linear_shape(facts, 2, 4096, 14336), GemmShape::kFew16);
  QCOMPARE(cuda::choose_linear_shape(facts, 5, 4096, 4096), GemmShape::kFew8);
  QCOMPARE(cuda::choose_linear_shape(facts, 6, 4096, 4096), GemmShape::kFew16);
  QCOMPARE(cuda::choose_linear_shape(facts, 7, 2048, 8192), GemmShape::kFew8);
  QCOMPARE(cuda::choose_linear_shape(facts, 8, 2048, 8192), GemmShape::kFew16);
  QCOMPARE(cuda::choose_linear_shape(facts, 4096, 4096, 4096), GemmShape::kMany128);
  facts.max_shared_bytes = size_t{64} << 10;
  QCOMPARE(cuda::choose_shape(facts, 64, 1, 4096), GemmShape::kMany64);
  QCOMPARE(cuda::choose_shape(facts, 4096, 1, 4096), GemmShape::kMany64);
}

void TestCudaLinear::oldGpus_takeEverythingAsF16_data() {
  QTest::addColumn<int>("rows");
  for (int rows : {3, 16, 32, 50, 70}) QTest::addRow("%d rows", rows) << rows;
}
void TestCudaLinear::oldGpus_takeEverythingAsF16() {
  QFETCH(int, rows);
  m_queue.reset();
  const auto queue = make_quick_queue(75);
  for (DType dtype : {DType::kBF16, DType::kF8_128, DType::kNF4_64}) {
    const LinearProblem problem(dtype, 40, 512, rows, 51);
    const auto weight = pack(*queue, {problem.weight.view()});
    std::vector<double> bounds = product_bounds(problem, false);
    // bf16 is exact in f16 but for what is below its range.
    for (double& bound : bounds) bound += 512 * 0x1p-25;
    const std::string found =
        first_outside(run_linear(*queue, *weight, problem.x, {}),
                      scalar_linear({problem.weight.view()}, problem.x, {}), bounds);
    QVERIFY2(found.empty(), found.c_str());
  }
}

void TestCudaLinear::parts_ofSeveralDtypes_areEachComputed() {
  cuda::CommandQueue* const queue = this->queue();
  const int64_t inputs = 256;
  const DType dtypes[] = {DType::kQ4_K, DType::kBF16, DType::kF32, DType::kQ6_K, DType::kF16};
  const int64_t outputs[] = {20, 7, 5, 33, 1};
  std::vector<WeightNumbers> parts;
  std::vector<ConstTensorView> views;
  for (int i = 0; i < 5; ++i) parts.emplace_back(dtypes[i], outputs[i], inputs, 60 + i);
  for (const WeightNumbers& part : parts) views.push_back(part.view());
  const auto together = pack(*queue, views);
  const std::vector<float> bias = Numbers(66).floats(66);
  for (int64_t rows : {2, 20}) {
    const std::vector<float> x = Numbers(67).floats(rows * inputs);
    const std::vector<float> all = run_linear(*queue, *together, x, bias);
    int64_t first = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto alone = pack(*queue, {views[i]});
      const std::vector<float> part =
          run_linear(*queue, *alone, x, rows_of(bias, 1, first, outputs[i]));
      for (int64_t row = 0; row < rows; ++row) {
        QVERIFY(same_bits(&all[static_cast<size_t>(row * 66 + first)],
                          &part[static_cast<size_t>(row * outputs[i])], outputs[i]));
      }
      first += outputs[i];
    }
  }
}

void TestCudaLinear::largeInputs_areHeldToTheRange() {
  cuda::CommandQueue* const queue = this->queue();
  const WeightNumbers weights(DType::kF16, 4, 64, 71);
  const auto weight = pack(*queue, {weights.view()});
  std::vector<float> x(5 * 64);
  x[3] = 1e6f;  // Beyond f16, within what the scale leaves.
  x[64 + 3] = 1e30f;
  x[2 * 64 + 3] = -INFINITY;
  x[3 * 64 + 3] = NAN;
  const std::vector<float> out = run_linear(*queue, *weight, x, {});
  for (size_t n = 0; n < 4; ++n) {
    const double w = weights.exact[n * 64 + 3];
    QVERIFY(std::fabs(out[n] - 1e6 * w) <= 1e6 * std::fabs(w) * 0x1p-10);
    QCOMPARE(out[4 + n], static_cast<float>(65504.0 * 64 * w));
    QCOMPARE(out[8 + n], static_cast<float>(-65504.0 * 64 * w));
    QVERIFY(std::isnan(out[12 + n]));
    QCOMPARE(out[16 + n], 0.0f);
  }
}

void TestCudaLinear::order_ofThreadsDoesNotMatter() {
  cuda::CommandQueue* const queue = this->queue();
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kQ4_K}) {
    const LinearProblem problem(dtype, 40, 768, 70, 81);
    const auto weight = pack(*queue, {problem.weight.view()});
    for (int count : {3, 12, 70}) {
      const std::vector<float> x = rows_of(problem.x, 768, 0, count);
      simt::set_seed(0);
      const std::vector<float> in_order = run_linear(*queue, *weight, x, {});
      for (uint64_t seed : {1, 2}) {
        simt::set_seed(seed);
        QVERIFY(same_bits(run_linear(*queue, *weight, x, {}), in_order));
      }
    }
  }
}

QTEST_GUILESS_MAIN(TestCudaLinear)
#include "tst_cuda_linear.moc"
