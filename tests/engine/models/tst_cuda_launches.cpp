// How many kernels a step launches, which is what a short step takes on a GPU: the machine model's
// numbers (tests/bench/gpu/machine_model/launches.json) are those of a Llama on the CUDA backend
// under the SIMT harness.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <numeric>

#include "kernels/cuda/cuda_backend.h"
#include "simt/control.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/kernels/conformance/device.h"

using namespace quire;
using namespace quire::test;

namespace {

QJsonObject expected_launches() {
  QFile file(QUIRE_SOURCE_DIR "/tests/bench/gpu/machine_model/launches.json");
  if (!file.open(QIODevice::ReadOnly)) qFatal("no launches.json");
  return QJsonDocument::fromJson(file.readAll()).object();
}

std::unique_ptr<Backend> make_gpu(const simt::Machine& machine = {}) {
  simt::set_machine(machine);
  return must(cuda::CudaBackend::create(0, {.device = "cuda"}));
}

struct Step {
  int num_kernels = 0;
  int num_early = 0;  ///< Allowed to begin before the kernel before has ended.
  std::vector<float> logits;
};

/// A step of so many rows, the second of its kind: the first one plans and allocates.
Step run_step(ModelHarness& harness, int num_rows) {
  std::vector<int32_t> tokens(2 * static_cast<size_t>(num_rows));
  std::iota(tokens.begin(), tokens.end(), 3);
  for (int32_t& token : tokens) token %= 150;
  TestSequence sequence = harness.sequence(tokens);
  harness.step(sequence, num_rows);
  const size_t before = simt::num_kernels_run();
  const size_t early_before = simt::num_early_kernels_run();
  std::vector<float> logits = harness.step(sequence, num_rows);
  return {static_cast<int>(simt::num_kernels_run() - before),
          static_cast<int>(simt::num_early_kernels_run() - early_before), std::move(logits)};
}
Step run_step(const char* model, int num_rows, const simt::Machine& machine = {}) {
  ModelHarness harness(tiny_model_folder(model), make_gpu(machine));
  return run_step(harness, num_rows);
}

/// A step of a file of tests/data/gguf on a GPU that uses int8 GEMMs, whose kernels begin early.
/// reads_floats: in order, and no operation writes quantised activations, as a StoppableBackend
/// does not say what a GEMM's input is rounded to.
Step run_quantized_step(const QString& file, int num_rows, bool reads_floats) {
  auto gpu = make_gpu(
      {.compute_capability = reads_floats ? 89 : 120, .hides_unfinished_kernels = !reads_floats});
  const auto path =
      std::filesystem::path(QUIRE_SOURCE_DIR) / "tests/data/gguf" / file.toStdString();
  if (!reads_floats) {
    ModelHarness harness(path, std::move(gpu));
    return run_step(harness, num_rows);
  }
  ModelHarness harness(path, std::make_unique<StoppableBackend>(*gpu));
  return run_step(harness, num_rows);
}

}  // namespace

class TestCudaLaunches : public QObject {
  Q_OBJECT

 private slots:
  /// Two Llamas that differ in their number of layers tell apart what is a layer's.
  void steps_launchWhatTheMachineModelCounts_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("ofLayer");
    QTest::addColumn<int>("besideLayers");
    QTest::addColumn<int>("inOrder");
    const QJsonArray steps = expected_launches()["steps"].toArray();
    QVERIFY(!steps.isEmpty());
    for (const QJsonValue& value : steps) {
      const QJsonObject step = value.toObject();
      QTest::addRow("%d rows", step["rows"].toInt())
          << step["rows"].toInt() << step["a layer"].toInt() << step["beside layers"].toInt()
          << step["in order"].toInt();
    }
  }
  void steps_launchWhatTheMachineModelCounts() {
    QFETCH(const int, rows);
    QFETCH(const int, ofLayer);
    QFETCH(const int, besideLayers);
    constexpr int kTwoLayers = 2, kThreeLayers = 3;
    const Step fewer = run_step("head_dim", rows);
    const Step more = run_step("gqa_bf16_tied", rows);
    QCOMPARE(more.num_kernels - fewer.num_kernels, (kThreeLayers - kTwoLayers) * ofLayer);
    QCOMPARE(fewer.num_kernels, kTwoLayers * ofLayer + besideLayers);
    QFETCH(const int, inOrder);
    QCOMPARE(fewer.num_kernels - fewer.num_early, inOrder);
  }

  /// Norms, attention and GLUs round for the four GEMMs of a layer and for the head. With many rows
  /// and an MLP of whole chunks the GEMM stores the GLU, too.
  void quantizedActivations_saveLaunchesAndChangeNoBit_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("saved");
    const auto add = [](const char* file, int layers, int rows, int num_fused = 0) {
      // Up to eight rows GEMMs round within their own kernels.
      const int roundings = rows > 8 ? 4 * layers + 1 : 0;
      QTest::addRow("%s %d", file, rows)
          << QString("%1.gguf").arg(file) << rows << roundings + num_fused;
    };
    for (const int rows : {1, 2, 16}) add("quant_q4_k", 1, rows);
    add("quant_q4_k", 1, 80, 1);
    for (const int rows : {1, 16}) add("quant_q4_k_m", 1, rows);
    for (const int rows : {1, 16}) add("quant_q8_0", 2, rows);
  }
  void quantizedActivations_saveLaunchesAndChangeNoBit() {
    QFETCH(const QString, file);
    QFETCH(const int, rows);
    QFETCH(const int, saved);
    const Step quantized = run_quantized_step(file, rows, false);
    const Step floats = run_quantized_step(file, rows, true);
    QCOMPARE(floats.num_kernels - quantized.num_kernels, saved);
    QVERIFY(quantized.logits == floats.logits);
  }

  /// Kernels that begin early find what the kernel before wrote when they have waited for it, and
  /// do not touch it until then.
  void earlyKernels_changeNoBit_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("rows");
    for (const char* const model : {"head_dim", "gqa_bf16_tied"}) {
      for (const int rows : {1, 2, 16, 80}) QTest::addRow("%s %d", model, rows) << model << rows;
    }
  }
  void earlyKernels_changeNoBit() {
    QFETCH(const QString, model);
    QFETCH(const int, rows);
    const QByteArray name = model.toUtf8();
    const Step hidden = run_step(name.constData(), rows, {.hides_unfinished_kernels = true});
    QVERIFY(hidden.num_early > 0);
    // Before sm_90 every kernel begins in order.
    const Step in_order = run_step(name.constData(), rows, {.compute_capability = 89});
    QCOMPARE(in_order.num_early, 0);
    QVERIFY(hidden.logits == in_order.logits);
  }
};

QTEST_APPLESS_MAIN(TestCudaLaunches)
#include "tst_cuda_launches.moc"
