#include <simt/control.h>

#include <QTest>

#include <cmath>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/linear/cublas_gemm.h"
#include "tests/kernels/cuda/fake_cublas.h"
#include "tests/kernels/cuda/linear_test_support.h"

using namespace quire;
using namespace quire::test;
using cuda::CublasGemm;
using cuda::CublasLibrary;

namespace {

/// As many rows as are taken, and some more.
int64_t many_rows(DType dtype) {
  return is_quantized(dtype) ? 1029 : 515;
}

}  // namespace

/// linear() with GEMMs by a cuBLAS: near the scalar backend like Quire's own, which still do
/// what is small; and what happens where there is none. The cuBLAS is a plain kernel: NVIDIA's
/// needs a GPU.
class TestCudaFastLinear : public QObject {
  Q_OBJECT

 private slots:
  void init() { fake_cublas() = FakeCublas(); }
  void cleanup() { qunsetenv("QUIRE_CUBLAS_LIBRARY"); }

  void gemm_isNearTheScalarBackends_data();
  void gemm_isNearTheScalarBackends();
  void fewRows_areComputedAsEver_data();
  void fewRows_areComputedAsEver();
  void floatWeights_areComputedAsEver();
  void largeWeights_areCutIntoSlices_data();
  void largeWeights_areCutIntoSlices();
  void rowsLargerThanASlice_areComputedAsEver();
  void oldGpus_takeEverythingAsF16();
  void parts_ofSeveralDtypes_areEachComputed();
  void largeInputs_areHeldToTheRange();
  void failedProducts_areReported_data();
  void failedProducts_areReported();
  void libraryThatDoesNotStart_isAnError_data();
  void libraryThatDoesNotStart_isAnError();
  void handles_areGivenBack();
  void gpuWithoutMemory_isAnError();
  void missingLibrary_isNamed_data();
  void missingLibrary_isNamed();
  void backendWithoutCublas_computesAsEver();

 private:
  cuda::CommandQueue* queue() {
    if (m_queue == nullptr) m_queue = make_quick_queue();
    return m_queue.get();
  }
  std::unique_ptr<CublasGemm> cublas(size_t slice_bytes = CublasGemm::kSliceBytes) {
    return std::move(CublasGemm::create(*queue(), kFakeCublas, slice_bytes).value());
  }

  std::unique_ptr<cuda::CommandQueue> m_queue;
};

void TestCudaFastLinear::gemm_isNearTheScalarBackends_data() {
  QTest::addColumn<DType>("dtype");
  for (DType dtype : weight_dtypes()) {
    if (dtype != DType::kF32) QTest::addRow("%s", qPrintable(dtype_text(dtype))) << dtype;
  }
}
void TestCudaFastLinear::gemm_isNearTheScalarBackends() {
  QFETCH(DType, dtype);
  const auto fast = cublas();
  const LinearProblem problem(dtype, 17, odd_inputs(dtype), many_rows(dtype), 11);
  const auto weight = pack(*queue(), {problem.weight.view()});
  const std::string found = first_outside(
      run_linear(*queue(), *weight, problem.x, problem.bias, fast.get()),
      scalar_linear({problem.weight.view()}, problem.x, problem.bias), product_bounds(problem));
  QVERIFY2(found.empty(), found.c_str());
  QCOMPARE(fake_cublas().num_gemms, 1);
}

void TestCudaFastLinear::fewRows_areComputedAsEver_data() {
  QTest::addColumn<DType>("dtype");
  QTest::addColumn<int>("rows");
  QTest::newRow("bf16") << DType::kBF16 << 511;
  QTest::newRow("f16") << DType::kF16 << 3;
  QTest::newRow("q8_0") << DType::kQ8_0 << 1023;
}
void TestCudaFastLinear::fewRows_areComputedAsEver() {
  QFETCH(DType, dtype);
  QFETCH(int, rows);
  const auto fast = cublas();
  const LinearProblem problem(dtype, 5, odd_inputs(dtype), rows, 21);
  const auto weight = pack(*queue(), {problem.weight.view()});
  QVERIFY(same_bits(run_linear(*queue(), *weight, problem.x, problem.bias, fast.get()),
                    run_linear(*queue(), *weight, problem.x, problem.bias)));
  QCOMPARE(fake_cublas().num_gemms, 0);
}

void TestCudaFastLinear::floatWeights_areComputedAsEver() {
  const auto fast = cublas();
  const LinearProblem problem(DType::kF32, 5, 70, 1100, 31);
  const auto weight = pack(*queue(), {problem.weight.view()});
  QVERIFY(same_bits(run_linear(*queue(), *weight, problem.x, problem.bias, fast.get()),
                    run_linear(*queue(), *weight, problem.x, problem.bias)));
  QCOMPARE(fake_cublas().num_gemms, 0);
}

void TestCudaFastLinear::largeWeights_areCutIntoSlices_data() {
  QTest::addColumn<int>("groups_of_slice");
  QTest::addColumn<int>("slices");
  QTest::newRow("one") << 5 << 1;
  QTest::newRow("two, of three and two") << 4 << 2;
  QTest::newRow("each a group") << 1 << 5;
}
void TestCudaFastLinear::largeWeights_areCutIntoSlices() {
  QFETCH(int, groups_of_slice);
  QFETCH(int, slices);
  const LinearProblem problem(DType::kBF16, 67, 250, 512, 41);
  const auto weight = pack(*queue(), {problem.weight.view()});
  const std::vector<float> at_once =
      run_linear(*queue(), *weight, problem.x, problem.bias, cublas().get());
  fake_cublas().num_gemms = 0;
  const auto fast = cublas(static_cast<size_t>(groups_of_slice) * 16 * 256 * 2);
  QVERIFY(same_bits(run_linear(*queue(), *weight, problem.x, problem.bias, fast.get()), at_once));
  QCOMPARE(fake_cublas().num_gemms, slices);
}

void TestCudaFastLinear::rowsLargerThanASlice_areComputedAsEver() {
  const LinearProblem problem(DType::kF16, 3, 257, 512, 51);
  const auto weight = pack(*queue(), {problem.weight.view()});
  const auto fast = cublas(16 * 256 * 2);
  QVERIFY(same_bits(run_linear(*queue(), *weight, problem.x, {}, fast.get()),
                    run_linear(*queue(), *weight, problem.x, {})));
  QCOMPARE(fake_cublas().num_gemms, 0);
}

void TestCudaFastLinear::oldGpus_takeEverythingAsF16() {
  m_queue.reset();
  const auto queue = make_quick_queue(75);
  const auto fast = std::move(CublasGemm::create(*queue, kFakeCublas).value());
  QCOMPARE(fake_cublas().workspace_bytes, size_t{4} << 20);
  for (DType dtype : {DType::kBF16, DType::kF8_128, DType::kF16}) {
    const LinearProblem problem(dtype, 18, 256, many_rows(dtype), 61);
    const auto weight = pack(*queue, {problem.weight.view()});
    std::vector<double> bounds = product_bounds(problem, false);
    // bf16 is exact in f16 but for what is below its range.
    for (double& bound : bounds) bound += 256 * 0x1p-25;
    const std::string found =
        first_outside(run_linear(*queue, *weight, problem.x, {}, fast.get()),
                      scalar_linear({problem.weight.view()}, problem.x, {}), bounds);
    QVERIFY2(found.empty(), found.c_str());
  }
  QCOMPARE(fake_cublas().num_gemms, 3);
}

void TestCudaFastLinear::parts_ofSeveralDtypes_areEachComputed() {
  const auto fast = cublas();
  const int64_t inputs = 256;
  const int64_t rows = 520;
  const DType dtypes[] = {DType::kQ4_K, DType::kBF16, DType::kF32, DType::kF16, DType::kF16};
  const int64_t outputs[] = {20, 7, 5, 33, 1};
  std::vector<WeightNumbers> parts;
  std::vector<ConstTensorView> views;
  for (int i = 0; i < 5; ++i) parts.emplace_back(dtypes[i], outputs[i], inputs, 70 + i);
  for (const WeightNumbers& part : parts) views.push_back(part.view());
  const auto together = pack(*queue(), views);
  const std::vector<float> bias = Numbers(76).floats(66);
  const std::vector<float> x = Numbers(77).floats(rows * inputs);
  const std::vector<float> all = run_linear(*queue(), *together, x, bias, fast.get());
  // Too few rows for the quantised part, and the last two are one segment.
  QCOMPARE(fake_cublas().num_gemms, 2);
  int64_t first = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto alone = pack(*queue(), {views[i]});
    const std::vector<float> part =
        run_linear(*queue(), *alone, x, rows_of(bias, 1, first, outputs[i]), fast.get());
    for (int64_t row = 0; row < rows; ++row) {
      QVERIFY(same_bits(&all[static_cast<size_t>(row * 66 + first)],
                        &part[static_cast<size_t>(row * outputs[i])], outputs[i]));
    }
    first += outputs[i];
  }
}

void TestCudaFastLinear::largeInputs_areHeldToTheRange() {
  const auto fast = cublas();
  const WeightNumbers weights(DType::kF16, 4, 64, 81);
  const auto weight = pack(*queue(), {weights.view()});
  std::vector<float> x(512 * 64);
  x[3] = 1e6f;  // Beyond f16, within what the scale leaves.
  x[64 + 3] = 1e30f;
  x[2 * 64 + 3] = -INFINITY;
  x[3 * 64 + 3] = NAN;
  const std::vector<float> out = run_linear(*queue(), *weight, x, {}, fast.get());
  QCOMPARE(fake_cublas().num_gemms, 1);
  for (size_t n = 0; n < 4; ++n) {
    const double w = weights.exact[n * 64 + 3];
    QVERIFY(std::fabs(out[n] - 1e6 * w) <= 1e6 * std::fabs(w) * 0x1p-10);
    QCOMPARE(out[4 + n], static_cast<float>(65504.0 * 64 * w));
    QCOMPARE(out[8 + n], static_cast<float>(-65504.0 * 64 * w));
    QVERIFY(std::isnan(out[12 + n]));
    QCOMPARE(out[16 + n], 0.0f);
  }
}

void TestCudaFastLinear::failedProducts_areReported_data() {
  QTest::addColumn<int>("status");
  QTest::addColumn<int>("code");
  QTest::newRow("no memory") << CublasLibrary::kAllocFailed
                             << static_cast<int>(ErrorCode::kOutOfMemory);
  QTest::newRow("refused") << CublasLibrary::kNotSupported << static_cast<int>(ErrorCode::kDevice);
  QTest::newRow("lost") << CublasLibrary::kExecutionFailed << static_cast<int>(ErrorCode::kDevice);
}
void TestCudaFastLinear::failedProducts_areReported() {
  QFETCH(int, status);
  QFETCH(int, code);
  {
    const auto fast = cublas(16 * 256 * 2);
    const WeightNumbers numbers(DType::kBF16, 40, 64, 91);
    const auto weight = pack(*queue(), {numbers.view()});
    const DeviceArray<float> x(std::vector<float>(512 * 64));
    const DeviceArray<float> out(std::vector<float>(512 * 40));
    fake_cublas().gemm_status = status;
    cuda::linear(*queue(), {out.data(), DType::kF32, {512, 40}}, {x.data(), DType::kF32, {512, 64}},
                 *weight, {}, fast.get());
    QCOMPARE(fake_cublas().num_gemms, 1);  // None of the later slices.
    const Result<void> failure = queue()->take_failure();
    QVERIFY(!failure);
    QCOMPARE(static_cast<int>(failure.error().code), code);
    QVERIFY(failure.error().message.find("linear") != std::string::npos);
  }
  m_queue.reset();
}

void TestCudaFastLinear::libraryThatDoesNotStart_isAnError_data() {
  QTest::addColumn<int>("create_status");
  QTest::addColumn<int>("workspace_status");
  QTest::newRow("no handle") << 1 << 0;
  QTest::newRow("no workspace") << 0 << 7;
}
void TestCudaFastLinear::libraryThatDoesNotStart_isAnError() {
  QFETCH(int, create_status);
  QFETCH(int, workspace_status);
  fake_cublas().create_status = create_status;
  fake_cublas().workspace_status = workspace_status;
  const auto cublas = CublasGemm::create(*queue(), kFakeCublas);
  QVERIFY(!cublas);
  QCOMPARE(cublas.error().code, ErrorCode::kUnsupported);
  const std::string status = "status " + std::to_string(create_status + workspace_status);
  QVERIFY2(cublas.error().message.find(status) != std::string::npos,
           cublas.error().message.c_str());
  QCOMPARE(fake_cublas().num_handles, 0);
}

void TestCudaFastLinear::handles_areGivenBack() {
  auto fast = cublas();
  QCOMPARE(fake_cublas().num_handles, 1);
  QCOMPARE(fake_cublas().stream, queue()->stream());
  QCOMPARE(fake_cublas().workspace_bytes, size_t{32} << 20);
  fast.reset();
  QCOMPARE(fake_cublas().num_handles, 0);
}

void TestCudaFastLinear::gpuWithoutMemory_isAnError() {
  const auto cublas = CublasGemm::create(*queue(), kFakeCublas, size_t{1} << 30);
  QVERIFY(!cublas);
  QCOMPARE(cublas.error().code, ErrorCode::kOutOfMemory);
  QCOMPARE(fake_cublas().num_handles, 0);
}

void TestCudaFastLinear::missingLibrary_isNamed_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("words");
  QTest::newRow("no such file") << "/nowhere/libcublas.so"
                                << "/nowhere/libcublas.so";
  QTest::newRow("another library") << "libm.so.6"
                                   << "libm.so.6 lacks its functions";
}
void TestCudaFastLinear::missingLibrary_isNamed() {
  QFETCH(QString, file);
  QFETCH(QString, words);
  qputenv("QUIRE_CUBLAS_LIBRARY", file.toUtf8());
  const auto cublas = CublasGemm::open(*queue());
  QVERIFY(!cublas);
  QCOMPARE(cublas.error().code, ErrorCode::kUnsupported);
  const std::string& message = cublas.error().message;
  QVERIFY2(message.find(words.toStdString()) != std::string::npos, message.c_str());
  QVERIFY2(message.find("QUIRE_CUBLAS_LIBRARY") != std::string::npos, message.c_str());
}

void TestCudaFastLinear::backendWithoutCublas_computesAsEver() {
  m_queue.reset();
  qputenv("QUIRE_CUBLAS_LIBRARY", "/nowhere/libcublas.so");
  const LinearProblem problem(DType::kBF16, 9, 64, 512, 101);
  std::vector<std::vector<float>> results;
  for (bool is_invariant : {true, false}) {
    simt::set_machine({});
    const auto backend = std::move(
        cuda::CudaBackend::create(0, {.device = "cuda", .batch_invariant = is_invariant}).value());
    QVERIFY(backend->info().available);
    QCOMPARE(backend->info().reason.empty(), is_invariant);
    const ConstTensorView parts[] = {problem.weight.view()};
    const auto weight = std::move(backend->pack_linear(parts).value());
    const auto x = std::move(backend->allocate(512 * 64 * sizeof(float)).value());
    const auto out = std::move(backend->allocate(512 * 9 * sizeof(float)).value());
    backend->upload(x->data(), problem.x.data(), x->size_bytes());
    backend->linear({out->data(), DType::kF32, {512, 9}}, {x->data(), DType::kF32, {512, 64}},
                    *weight, {});
    std::vector<float>& result = results.emplace_back(512 * 9);
    backend->download(result.data(), out->data(), out->size_bytes());
    QVERIFY(backend->synchronize().has_value());
  }
  QVERIFY(same_bits(results[0], results[1]));
}

QTEST_GUILESS_MAIN(TestCudaFastLinear)
#include "tst_cuda_fast_linear.moc"
