// Whole models from quantised folders: their logits are, bit for bit, those of a folder that holds
// the dequantised weights in f32. Both folders are written here, from random codes and scales, by
// the formulas of the formats' packages; tst_quantized_folder compares single layers with these.

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/models/model_files.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/engine/models/quantized_layers.h"

using namespace quire;
using namespace quire::test;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr int kVocab = 64;

std::vector<int32_t> some_tokens(int count) {
  std::vector<int32_t> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back(3 + i * 29 % (kVocab - 3));
  return tokens;
}

/// The logits of a sequence, its first tokens in one step, the others one by one.
std::vector<float> logits_of(ModelHarness& model) {
  TestSequence sequence = model.sequence(some_tokens(20));
  std::vector<float> logits = model.step(sequence, 14);
  for (int i = 14; i < 20; ++i) {
    const std::vector<float> more = model.step(sequence, 1);
    logits.insert(logits.end(), more.begin(), more.end());
  }
  return logits;
}

}  // namespace

class TestQuantizedModels : public QObject {
  Q_OBJECT

 private slots:
  void logits_areThoseOfTheDequantizedModel_data() {
    QTest::addColumn<int>("method");
    QTest::addColumn<bool>("hasExperts");
    for (int i = 0; i < static_cast<int>(quantization_methods().size()); ++i) {
      QTest::addRow("%s", quantization_methods()[static_cast<size_t>(i)].name) << i << false;
      QTest::addRow("%s, experts", quantization_methods()[static_cast<size_t>(i)].name)
          << i << true;
    }
  }
  void logits_areThoseOfTheDequantizedModel() {
    QFETCH(int, method);
    QFETCH(bool, hasExperts);
    const Method& how = quantization_methods()[static_cast<size_t>(method)];
    QTemporaryDir quantized, dequantized;
    const fs::path folder = quantized.path().toStdString();
    const fs::path plain = dequantized.path().toStdString();
    write_models(how, hasExperts, folder, plain);
    ModelHarness reference(plain, "scalar");
    const std::vector<float> expected = logits_of(reference);
    for (const std::string& isa : ModelHarness::available_isas()) {
      ModelHarness model(folder, isa);
      ModelHarness same(plain, isa);
      const std::vector<float> logits = logits_of(model);
      QVERIFY2(how.adds_otherwise || logits == logits_of(same), isa.c_str());
      QVERIFY2(worst_error(logits, expected, kVocab) <= 1e-5, isa.c_str());
    }
    // As the application runs it, with activations of 8 bits where the codes are integers. A router
    // may then choose another expert; without experts all methods are within 0.06.
    ModelHarness rounding(folder, must(create_backend({.device = "cpu", .num_threads = 2})));
    const double error = worst_error(logits_of(rounding), expected, kVocab);
    QVERIFY2(error <= (hasExperts ? 0.15 : 0.06), qPrintable(QString::number(error)));
  }

  /// What tst_decoder shows for all models, for weights with vectors beside their blocks.
  void orderAndScales_giveTheSameBitsInAnyChunksAndBatches_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("hasExperts");
    for (const char* method : {"gptq, act-order", "nvfp4 of ModelOpt"}) {
      QTest::addRow("%s", method) << QString(method) << false;
      QTest::addRow("%s, experts", method) << QString(method) << true;
    }
  }
  void orderAndScales_giveTheSameBitsInAnyChunksAndBatches() {
    QFETCH(QString, method);
    QFETCH(bool, hasExperts);
    QTemporaryDir quantized, dequantized;
    const fs::path folder = quantized.path().toStdString();
    write_models(method_named(method.toStdString()), hasExperts, folder,
                 dequantized.path().toStdString());
    for (int threads : {1, 3}) {
      ModelHarness model(folder, must(create_backend({.device = "cpu", .num_threads = threads})));
      const std::vector<int32_t> tokens = some_tokens(20);
      TestSequence whole = model.sequence(tokens);
      const std::vector<float> expected = model.step(whole, 20);
      TestSequence first = model.sequence(tokens), second = model.sequence(some_tokens(9));
      std::vector<float> logits = model.step(first, 3);
      TestSequence* const both[] = {&second, &first};
      const int counts[] = {9, 16};
      const std::vector<float> batch = model.step(both, counts);
      logits.insert(logits.end(), batch.begin() + 9 * kVocab, batch.end());
      const std::vector<float> last = model.step(first, 1);
      logits.insert(logits.end(), last.begin(), last.end());
      QVERIFY(logits == expected);
      const std::vector<float> start(expected.begin(), expected.begin() + 9 * kVocab);
      QVERIFY(std::vector<float>(batch.begin(), batch.begin() + 9 * kVocab) == start);
    }
  }

  /// Where ModelOpt wrote a file of its own, config.json says nothing.
  void modelOptsOwnFile_isRead() {
    QTemporaryDir quantized, dequantized;
    const fs::path folder = quantized.path().toStdString();
    write_models(method_named("nvfp4 of ModelOpt"), false, folder,
                 dequantized.path().toStdString());
    ModelHarness model(folder, "scalar");
    const std::vector<float> expected = logits_of(model);
    json config = json::parse(read_file(folder / "config.json"));
    config.erase("quantization_config");
    write_file(folder / "config.json", config.dump());
    write_file(folder / "hf_quant_config.json", R"({"quantization": {"quant_algo": "NVFP4"}})");
    ModelHarness same(folder, "scalar");
    QVERIFY(logits_of(same) == expected);
  }

  /// Layers with the same inputs are one product, which has one order.
  void differentOrders_ofTheSameInputsAreRefused() {
    for (bool has_experts : {false, true}) {
      QTemporaryDir quantized, dequantized;
      const fs::path folder = quantized.path().toStdString();
      Method method = method_named("gptq, act-order");
      method.quantize = mixed_act_order;
      write_models(method, has_experts, folder, dequantized.path().toStdString());
      const auto backend = must(create_backend({.device = "cpu", .num_threads = 1}));
      const auto loaded = load_decoder(folder, *backend, {});
      QVERIFY(!loaded);
      QVERIFY2(loaded.error().message.find("different orders") != std::string::npos,
               loaded.error().message.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestQuantizedModels)
#include "tst_quantized_models.moc"
