#include <QtTest>

#include <cmath>

#include "tests/engine/models/model_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-5;
/// The greedy choice is only asked for where the best logit is this far ahead of the second.
constexpr float kClearMargin = 1e-3f;
constexpr int kMaxContext = 512;

fs::path model_folder(const QString& name) {
  return fs::path(QUIRE_SOURCE_DIR) / "resources/models" / name.toStdString();
}
fs::path reference_file() {
  return fs::path(QUIRE_SOURCE_DIR) / "tests/data/bundled/reference_logits.safetensors";
}

/// "draft.seq_07.tokens"
std::string key(const QString& prefix, const char* kind, int number, const char* what) {
  return QString("%1%2_%3.%4")
      .arg(prefix)
      .arg(kind)
      .arg(number, 2, 10, QLatin1Char('0'))
      .arg(what)
      .toStdString();
}

/// Logits (T, V) at the sampled ids: (T, 8).
std::vector<float> sampled(std::span<const float> logits, size_t vocab_size,
                           std::span<const int32_t> ids) {
  std::vector<float> out;
  for (size_t at = 0; at < logits.size(); at += vocab_size) {
    for (int32_t id : ids) out.push_back(logits[at + id]);
  }
  return out;
}

double log_sum_exp(std::span<const float> logits) {
  const double most = logits[argmax(logits)];
  double sum = 0;
  for (float value : logits) sum += std::exp(value - most);
  return most + std::log(sum);
}

}  // namespace

/// The models that Quire is shipped with against transformers' logits. The file's origin:
/// tests/scripts/make_bundled_reference.py.
class TestBundledModel : public QObject {
  Q_OBJECT

 private:
  static void models() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<int>("least");
    QTest::newRow("quire-mini") << "quire-mini"
                                << "" << 20;
    QTest::newRow("quire-mini-draft") << "quire-mini-draft"
                                      << "draft." << 3;
  }

 private slots:
  void initTestCase() {
    if (!fs::exists(reference_file()) || !fs::exists(model_folder("quire-mini"))) {
      QSKIP("resources/models/quire-mini or tests/data/bundled is not in this checkout");
    }
  }

  void logits_matchTransformers_data() { models(); }
  void logits_matchTransformers() {
    QFETCH(QString, model);
    QFETCH(QString, prefix);
    QFETCH(int, least);
    const Reference expected(reference_file());
    const std::vector<int32_t> ids = expected.ints("sample_ids");
    ModelHarness harness(model_folder(model), "", kMaxContext);
    const size_t vocab_size = harness.config().vocab_size;
    int number = 0;
    for (; expected.has(key(prefix, "seq", number, "tokens")); ++number) {
      const auto of = [&](const char* what) { return key(prefix, "seq", number, what); };
      harness.release_all();
      TestSequence sequence = harness.sequence(expected.ints(of("tokens")));
      const auto logits = harness.step(sequence, static_cast<int>(sequence.tokens.size()));
      const double last_error =
          relative_error(std::span(logits).last(vocab_size), expected.floats(of("last_logits")));
      const double sampled_error = relative_error(sampled(logits, vocab_size, ids),
                                                  expected.floats(of("all_logits_sample")));
      QVERIFY2(last_error < kTolerance && sampled_error < kTolerance,
               qPrintable(QString("sequence %1: %2 at the last position, %3 at the sampled logits")
                              .arg(number)
                              .arg(last_error)
                              .arg(sampled_error)));
      const auto sums = expected.floats(of("all_logsumexp"));
      for (size_t t = 0; t < sums.size(); ++t) {
        const double sum = log_sum_exp(std::span(logits).subspan(t * vocab_size, vocab_size));
        QVERIFY2(std::abs(sum - sums[t]) < kTolerance * std::max(1.0f, std::abs(sums[t])),
                 qPrintable(QString("sequence %1, position %2: %3").arg(number).arg(t).arg(sum)));
      }
    }
    QVERIFY(number >= least);
  }

  void everyInstructionSet_givesTransformersLogits_data() { models(); }
  void everyInstructionSet_givesTransformersLogits() {
    QFETCH(QString, model);
    QFETCH(QString, prefix);
    const Reference expected(reference_file());
    for (const std::string& isa : ModelHarness::available_isas()) {
      ModelHarness harness(model_folder(model), isa, kMaxContext);
      TestSequence sequence = harness.sequence(expected.ints(key(prefix, "seq", 1, "tokens")));
      const auto logits = harness.step(sequence, static_cast<int>(sequence.tokens.size()));
      const double error = relative_error(std::span(logits).last(harness.config().vocab_size),
                                          expected.floats(key(prefix, "seq", 1, "last_logits")));
      QVERIFY2(error < kTolerance,
               qPrintable(QString("%1: %2").arg(QString::fromStdString(isa)).arg(error)));
    }
  }

  void greedy_matchesTransformers_data() { models(); }
  void greedy_matchesTransformers() {
    QFETCH(QString, model);
    QFETCH(QString, prefix);
    const Reference expected(reference_file());
    ModelHarness harness(model_folder(model), "", kMaxContext);
    const size_t vocab_size = harness.config().vocab_size;
    int number = 0, compared = 0;
    for (; expected.has(key(prefix, "greedy", number, "prompt")); ++number) {
      const auto wanted = expected.ints(key(prefix, "greedy", number, "tokens"));
      const auto margins = expected.floats(key(prefix, "greedy", number, "margins"));
      harness.release_all();
      TestSequence sequence =
          harness.sequence(expected.ints(key(prefix, "greedy", number, "prompt")));
      auto logits = harness.step(sequence, static_cast<int>(sequence.tokens.size()));
      for (size_t i = 0; i < wanted.size(); ++i) {
        // Past a near tie the two may rightly differ, so the reference's own token goes on.
        if (margins[i] >= kClearMargin) {
          QCOMPARE(argmax(std::span(logits).last(vocab_size)), wanted[i]);
          ++compared;
        }
        sequence.tokens.push_back(wanted[i]);
        logits = harness.step(sequence, 1);
      }
    }
    QVERIFY(number >= 2 && compared >= 10);
  }
};

QTEST_APPLESS_MAIN(TestBundledModel)
#include "tst_bundled_model.moc"
