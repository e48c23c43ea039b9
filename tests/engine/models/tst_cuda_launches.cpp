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

using namespace quire;
using namespace quire::test;

namespace {

QJsonObject expected_launches() {
  QFile file(QUIRE_SOURCE_DIR "/tests/bench/gpu/machine_model/launches.json");
  if (!file.open(QIODevice::ReadOnly)) qFatal("no launches.json");
  return QJsonDocument::fromJson(file.readAll()).object();
}

std::unique_ptr<Backend> make_gpu() {
  simt::set_machine({});
  return must(cuda::CudaBackend::create(0, {.device = "cuda"}));
}

/// Kernels of a step of so many rows, the second of its kind: the first one plans and allocates.
int kernels_of_step(const char* model, int num_rows) {
  ModelHarness harness(tiny_model_folder(model), make_gpu());
  std::vector<int32_t> tokens(2 * static_cast<size_t>(num_rows));
  std::iota(tokens.begin(), tokens.end(), 3);
  for (int32_t& token : tokens) token %= 150;
  TestSequence sequence = harness.sequence(tokens);
  harness.step(sequence, num_rows);
  const size_t before = simt::num_kernels_run();
  harness.step(sequence, num_rows);
  return static_cast<int>(simt::num_kernels_run() - before);
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
    const QJsonArray steps = expected_launches()["steps"].toArray();
    QVERIFY(!steps.isEmpty());
    for (const QJsonValue& value : steps) {
      const QJsonObject step = value.toObject();
      QTest::addRow("%d rows", step["rows"].toInt())
          << step["rows"].toInt() << step["a layer"].toInt() << step["beside layers"].toInt();
    }
  }
  void steps_launchWhatTheMachineModelCounts() {
    QFETCH(const int, rows);
    QFETCH(const int, ofLayer);
    QFETCH(const int, besideLayers);
    constexpr int kTwoLayers = 2, kThreeLayers = 3;
    const int fewer = kernels_of_step("head_dim", rows);
    const int more = kernels_of_step("gqa_bf16_tied", rows);
    QCOMPARE(more - fewer, (kThreeLayers - kTwoLayers) * ofLayer);
    QCOMPARE(fewer, kTwoLayers * ofLayer + besideLayers);
  }
};

QTEST_APPLESS_MAIN(TestCudaLaunches)
#include "tst_cuda_launches.moc"
