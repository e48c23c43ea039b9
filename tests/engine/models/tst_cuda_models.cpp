// The tiny models of tests/data/models on the CUDA backend, against transformers' logits: its own
// sources under the SIMT harness, and the GPU itself where there is one.

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <map>

#include "kernels/cuda/cuda_backend.h"
#include "simt/control.h"
#include "tests/engine/models/draft_harness.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/kernels/cuda/gpu_group.h"

using namespace quire;
using namespace quire::test;

namespace {

/// f32 weights are multiplied in f32; those in 16 bits on tensor cores, inputs rounded to them: the
/// targets' bounds for each, on a prompt's logits together.
constexpr double kF32Tolerance = 1e-5;
constexpr double kHalfTolerance = 2e-2;

/// Decode steps after the prompt: enough for a step to run, to be captured, and to be run again.
constexpr int kDecodeSteps = 4;

std::string key(int prompt, const char* what) {
  return "prompt_" + std::to_string(prompt) + "." + what;
}

bool has_f32_weights(const std::string& model) {
  return model == "gqa_f32";
}

/// Kernels take seconds on the harness: the shortest prompt, or in the long form all of them.
bool is_long() {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
}

std::unique_ptr<Backend> make_device(const QString& device) {
  if (device == "cuda-harness") {
    simt::set_machine({});
    return must(cuda::CudaBackend::create(0, {.device = "cuda"}));
  }
  if (device == "a GeForce of the harness") {
    simt::set_machine({.compute_capability = 89});
    return must(cuda::CudaBackend::create(0, {.device = "cuda"}));
  }
  if (device == "two of the harness") {
    simt::set_machine({.num_devices = 2});
    return must(make_gpu_group(2));
  }
  auto backend = create_backend({.device = device.toStdString()});
  return backend ? std::move(*backend) : nullptr;
}

}  // namespace

class TestCudaModels : public QObject {
  Q_OBJECT

 private slots:
  void models_matchTransformers_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    for (const std::string& model : tiny_models()) {
      for (const char* device : {"cuda-harness", "two of the harness", "cuda", "cuda:0+cuda:1"}) {
        QTest::addRow("%s on %s", model.c_str(), device) << QString::fromStdString(model) << device;
      }
      if (!model.ends_with("mxfp4")) continue;  // The others have no quantised weights.
      const char* const geForce = "a GeForce of the harness";
      QTest::addRow("%s on %s", model.c_str(), geForce) << QString::fromStdString(model) << geForce;
    }
  }
  void models_matchTransformers() {
    QFETCH(QString, model);
    QFETCH(QString, device);
    // Two of its experts are 0.0002 apart in the router's logits.
    if (model == "qwen3_5_moe") QSKIP("A GPU's halves choose another expert than f32 does.");
    auto backend = make_device(device);
    if (!backend) QSKIP("There is no GPU that Quire can use.");
    const auto folder = tiny_model_folder(model.toStdString());
    const Reference expected(folder / "reference.safetensors");
    ModelHarness harness(folder, std::move(backend));
    const double tolerance = has_f32_weights(model.toStdString()) ? kF32Tolerance : kHalfTolerance;
    double worst = 0.0;
    const bool all = is_long() || device.startsWith("cuda:") || device == "cuda";
    for (int i = 0; expected.has(key(i, "tokens")) && (all || i == 0); ++i) {
      harness.release_all();
      worst = std::max(worst, check_prompt(harness, expected, i));
    }
    qInfo("error %.2g", worst);
    QVERIFY2(worst < tolerance, qPrintable(QString("%1").arg(worst)));
  }

  /// Layers for multi-token prediction and Medusa heads, row by row.
  void draftLayers_matchTheReference_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("device");
    for (const char* name : {"gqa_f32", "medusa", "deepseek_v3", "qwen3_5"}) {
      for (const char* device : {"cuda-harness", "cuda"}) {
        QTest::addRow("%s on %s", name, device) << name << device;
      }
    }
  }
  void draftLayers_matchTheReference() {
    QFETCH(const QString, name);
    QFETCH(const QString, device);
    auto backend = make_device(device);
    if (!backend) QSKIP("There is no GPU that Quire can use.");
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    const bool is_medusa = name == "medusa";
    is_medusa ? write_medusa(folder) : write_with_mtp(name.toStdString(), folder);
    DraftHarness harness(is_medusa ? tiny_model_folder("gqa_f32") : folder, std::move(backend),
                         is_medusa ? folder : "");
    const Reference expected = draft_reference(name.toStdString());
    const std::vector<int32_t> tokens = expected.ints("tokens");
    const std::vector<float> first = expected.floats("logits_0"),
                             second = expected.floats("logits_1");
    const int32_t guessed = is_medusa ? 0 : expected.ints("guesses")[20];
    constexpr size_t kVocabulary = 160, kRow = 20;
    TestSequence sequence = harness.sequence(tokens);
    harness.step({{&sequence, kRow}});
    std::vector<float> found = harness.guess(0, sequence, tokens[kRow]);
    const std::vector<float> more = harness.guess(1, sequence, guessed);
    found.insert(found.end(), more.begin(), more.end());
    std::vector<float> wanted(first.begin() + kRow * kVocabulary,
                              first.begin() + (kRow + 1) * kVocabulary);
    wanted.insert(wanted.end(), second.begin() + kRow * kVocabulary,
                  second.begin() + (kRow + 1) * kVocabulary);
    const double error = relative_error(found, wanted);
    qInfo("error %.2g", error);
    // The projection of the layer for multi-token prediction is always in 16 bits.
    QVERIFY(error < (is_medusa ? kF32Tolerance : kHalfTolerance));
  }

  /// PEFT's logits with an adapter, and the bits of a neighbour without it.
  void adapters_matchPeft_data() {
    QTest::addColumn<QString>("device");
    for (const char* device : {"cuda-harness", "cuda"}) QTest::newRow(device) << device;
  }
  void adapters_matchPeft() {
    QFETCH(QString, device);
    auto backend = make_device(device);
    if (!backend) QSKIP("There is no GPU that Quire can use.");
    ModelHarness harness(tiny_model_folder("gqa_f32"), std::move(backend));
    const auto folder = tiny_model_folder("gqa_f32") / "../../adapters/gqa_f32";
    const Reference expected(folder / "reference.safetensors");
    const std::vector<int32_t> tokens = expected.ints("tokens");
    const int count = std::min(8, static_cast<int>(tokens.size()));
    TestSequence bare = harness.sequence(tokens);
    const std::vector<float> plain = harness.step(bare, count);
    TestSequence adapted = harness.sequence(tokens), beside = harness.sequence(tokens);
    adapted.adapter = must(harness.add_adapter(folder));
    TestSequence* const sequences[] = {&beside, &adapted};
    const int counts[] = {count, count};
    const std::vector<float> both = harness.step(sequences, counts);
    QVERIFY(std::equal(plain.begin(), plain.end(), both.begin()));
    const auto logits = expected.floats("logits");
    const double error = relative_error(std::span(both).subspan(plain.size()),
                                        std::span(logits).first(plain.size()));
    qInfo("error %.2g", error);
    QVERIFY2(error < kF32Tolerance, qPrintable(QString("%1").arg(error)));
  }

 private:
  /// The error of the prompt's logits; its last tokens are computed again one at a time, to the
  /// same bits.
  static double check_prompt(ModelHarness& harness, const Reference& expected, int prompt) {
    const auto vocab = static_cast<size_t>(harness.config().vocab_size);
    const std::vector<int32_t> tokens = expected.ints(key(prompt, "tokens"));
    const auto size = static_cast<int>(tokens.size());
    TestSequence whole = harness.sequence(tokens);
    const std::vector<float> logits = harness.step(whole, size);
    TestSequence again = harness.sequence(tokens);
    const int steps = std::min(kDecodeSteps, size - 1);
    harness.step(again, size - steps);
    for (int i = size - steps; i < size; ++i) {
      const std::vector<float> row = harness.step(again, 1);
      const auto wanted = logits.begin() + static_cast<std::ptrdiff_t>(vocab) * i;
      if (!std::equal(row.begin(), row.end(), wanted))
        return std::numeric_limits<double>::infinity();
    }
    return relative_error(logits, expected.floats(key(prompt, "logits")));
  }
};

QTEST_APPLESS_MAIN(TestCudaModels)
#include "tst_cuda_models.moc"
