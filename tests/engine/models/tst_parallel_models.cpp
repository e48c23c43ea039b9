// The tiny models of tests/data/models on several CPU backends that compute every layer together:
// the bits of one.

#include <QtTest>

#include "tests/engine/models/model_test_support.h"
#include "tests/kernels/host_links.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Few enough that most weights of these models are divided, and more than their heads have.
constexpr int64_t kFewestOutputs = 40;

std::unique_ptr<Backend> make_cpu() {
  return must(create_backend({.device = "cpu", .num_threads = 1}));
}

/// The prompt's logits in two pieces beside another sequence's, then those of steps of one row.
std::vector<float> logits_of(ModelHarness& harness, const std::vector<int32_t>& tokens) {
  const auto size = static_cast<int>(tokens.size()), half = size / 2;
  TestSequence first = harness.sequence(tokens), other = harness.sequence(tokens);
  std::vector<float> logits = harness.step(first, half);
  const auto append = [&](const std::vector<float>& more) {
    logits.insert(logits.end(), more.begin(), more.end());
  };
  TestSequence* const both[] = {&other, &first};
  const int counts[] = {std::max(1, half / 2), size - half - 1};
  append(harness.step(both, counts));
  append(harness.step(first, 1));
  return logits;
}

}  // namespace

class TestParallelModels : public QObject {
  Q_OBJECT

 private slots:
  void groups_haveTheBitsOfOne_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("numDevices");
    for (const std::string& model : tiny_models()) {
      for (const int count : {2, 3, 4}) {
        QTest::addRow("%s on %d", model.c_str(), count) << QString::fromStdString(model) << count;
      }
    }
  }
  void groups_haveTheBitsOfOne() {
    QFETCH(QString, model);
    QFETCH(int, numDevices);
    const auto folder = tiny_model_folder(model.toStdString());
    const Reference expected(folder / "reference.safetensors");
    std::vector<int32_t> tokens;
    for (int i = 0; tokens.size() < 8; ++i) {
      tokens = expected.ints("prompt_" + std::to_string(i) + ".tokens");
    }
    ModelHarness one(folder, make_cpu());
    const std::vector<float> wanted = logits_of(one, tokens);
    ModelHarness group(folder, make_cpu_group(numDevices, kFewestOutputs));
    HostLinks::num_exchanges = 0;
    const std::vector<float> found = logits_of(group, tokens);
    QVERIFY(HostLinks::num_exchanges > group.config().num_layers);
    QCOMPARE(found.size(), wanted.size());
    const auto differs = std::ranges::mismatch(found, wanted, [](float a, float b) {
      return std::bit_cast<int>(a) == std::bit_cast<int>(b);
    });
    QVERIFY2(differs.in1 == found.end(),
             qPrintable(QString("number %1").arg(differs.in1 - found.begin())));
  }
};

QTEST_APPLESS_MAIN(TestParallelModels)
#include "tst_parallel_models.moc"
