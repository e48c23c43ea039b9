#include <QtTest>

#include <cmath>

#include "engine/models/model_files.h"
#include "tests/engine/models/model_test_support.h"
#include "tests/support/bundled_model.h"
#include "tests/support/fidelity/held_out_text.h"
#include "tests/support/fidelity/requantized_weights.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Of the perplexity in f32, as a fraction.
constexpr double kBoundOf8Bits = 0.005;
constexpr double kBoundOf4Bits = 0.03;

/// The bundled model's files with its matrices rounded.
ModelFiles rounded_files(Requantization to) {
  ModelFiles files = must(open_model_files(bundled_model_folder()));
  files.weights = std::make_unique<RequantizedWeights>(std::move(files.weights), to);
  return files;
}

/// A model on a backend of its own.
struct Loaded {
  std::unique_ptr<Backend> backend;
  LoadedModel model;
};

Loaded load(const ModelFiles& files, bool quantize_activations) {
  Loaded loaded;
  loaded.backend =
      must(create_backend({.device = "cpu", .quantize_activations = quantize_activations}));
  loaded.model.config = files.config;
  loaded.model.decoder = must(make_decoder(files, *loaded.backend));
  return loaded;
}

double excess(const TextScore& score, const TextScore& exact) {
  return score.perplexity() / exact.perplexity() - 1.0;
}

}  // namespace

/// What quantised weights, inputs of 8 bits and keys and values of 8 bits cost the bundled model,
/// measured on text that it was not trained on. The whole text with QUIRE_LONG_TESTS=1.
class TestQuantizedFidelity : public QObject {
  Q_OBJECT

 private:
  std::vector<HeldOutChat> m_chats;
  HeldOutScore m_exact;

  HeldOutScore score(const ModelFiles& files, bool quantize_activations, DType kv_dtype) const {
    const Loaded loaded = load(files, quantize_activations);
    return must(score_held_out(loaded.model, m_chats, kv_dtype));
  }

  void check(const char* how, const HeldOutScore& score, double bound) const {
    const double said = excess(score.said, m_exact.said);
    const double all = excess(score.all, m_exact.all);
    qInfo("%s: perplexity %.4f (%+.3f %%), of all tokens %.4f (%+.3f %%)", how,
          score.said.perplexity(), 100 * said, score.all.perplexity(), 100 * all);
    QVERIFY2(std::abs(said) <= bound && std::abs(all) <= bound, how);
  }

 private slots:
  void initTestCase() {
    const auto tokenizer = must(load_model_tokenizer(bundled_model_folder()));
    auto chats =
        read_held_out(QUIRE_SOURCE_DIR "/resources/models/training/held_out.txt", *tokenizer, 1024);
    const size_t step = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 1 : 12;
    for (size_t i = 0; i < chats.size(); i += step) m_chats.push_back(std::move(chats[i]));
    m_exact = score(rounded_files({.dtype = DType::kF32}), false, DType::kF32);
    qInfo("f32: perplexity %.4f of %lld tokens said, %.4f of all %lld", m_exact.said.perplexity(),
          static_cast<long long>(m_exact.said.tokens), m_exact.all.perplexity(),
          static_cast<long long>(m_exact.all.tokens));
  }

  void perplexity_isNearThatOfFloats_data() {
    QTest::addColumn<Requantization>("to");
    QTest::addColumn<double>("bound");
    const auto add = [](const char* name, Requantization to, double bound) {
      QTest::newRow(name) << to << bound;
    };
    add("q8_0", {.dtype = DType::kQ8_0}, kBoundOf8Bits);
    // Rows of 384 inputs, all but those of the down projections, are no whole blocks of 256.
    add("q4_k", {.dtype = DType::kQ4_K, .fallback = DType::kQ5_0}, kBoundOf4Bits);
    add("q4_0", {.dtype = DType::kQ4_0}, kBoundOf4Bits);
  }
  void perplexity_isNearThatOfFloats() {
    QFETCH(Requantization, to);
    QFETCH(double, bound);
    const ModelFiles files = rounded_files(to);
    check("inputs in f32", score(files, false, DType::kF32), bound);
    check("inputs of 8 bits", score(files, true, DType::kF32), bound);
    check("inputs of 8 bits, keys and values in f16", score(files, true, DType::kF16), bound);
    check("inputs of 8 bits, keys and values in bf16", score(files, true, DType::kBF16), bound);
    check("inputs, keys and values of 8 bits", score(files, true, DType::kI8), bound);
  }

  /// The model as it comes, on processors that multiply bf16; elsewhere the same as floats.
  void perplexity_isNearThatOfFloatsWithInputsInBf16() {
    const ModelFiles files = must(open_model_files(bundled_model_folder()));
    check("inputs of 16 bits", score(files, true, DType::kF32), kBoundOf8Bits);
  }

  void perplexity_isNearThatOfFloatsWithKeysAndValuesOf8Bits() {
    const ModelFiles files = rounded_files({.dtype = DType::kF32});
    check("keys and values of 8 bits", score(files, false, DType::kI8), kBoundOf8Bits);
  }

  /// What Q4_K would make of every matrix, were its rows whole blocks.
  void perplexity_isNearThatOfFloatsWithQ4KEverywhere() {
    const ModelFiles files = rounded_files({.dtype = DType::kQ4_K, .as_floats = true});
    check("Q4_K everywhere", score(files, false, DType::kF32), kBoundOf4Bits);
  }
};

QTEST_APPLESS_MAIN(TestQuantizedFidelity)
#include "tst_quantized_fidelity.moc"
