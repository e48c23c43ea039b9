#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cpu/sampling/nucleus.h"

using namespace quire;
using namespace quire::cpu;

namespace {

std::vector<float> normal_logits(size_t vocab, float deviation) {
  std::mt19937 random(static_cast<uint32_t>(vocab));
  std::normal_distribution<float> normal(0.0f, std::max(deviation, 1e-30f));
  std::vector<float> logits(vocab);
  for (float& logit : logits) {
    // Rounded, so that many are equal; some are masked.
    logit = random() % 50 == 0 ? -INFINITY : std::round(normal(random) * 256.0f) / 256.0f;
  }
  return logits;
}

SoftmaxWeight weight_of(const std::vector<float>& logits, float temperature) {
  return {.max = *std::ranges::max_element(logits), .inverse_temperature = 1.0f / temperature};
}

std::vector<Candidate> all_in_order(const std::vector<float>& logits, SoftmaxWeight weight) {
  std::vector<Candidate> all;
  for (size_t i = 0; i < logits.size(); ++i) {
    all.push_back({static_cast<int32_t>(i), logits[i], weight(logits[i])});
  }
  std::sort(all.begin(), all.end(), is_preferred);
  return all;
}

double sum_of(const std::vector<Candidate>& candidates) {
  double sum = 0.0;
  for (const Candidate& candidate : candidates) sum += static_cast<double>(candidate.weight);
  return sum;
}

}  // namespace

class TestNucleus : public QObject {
  Q_OBJECT

 private slots:
  void histogram_selectsTheSmallestSet_data() {
    QTest::addColumn<int>("vocab");
    QTest::addColumn<float>("deviation");
    QTest::addColumn<float>("temperature");
    QTest::newRow("flat") << 20000 << 0.5f << 1.0f;
    QTest::newRow("with peaks") << 20011 << 2.0f << 1.3f;
    QTest::newRow("uniform") << 7000 << 0.0f << 1.0f;
    QTest::newRow("hot") << 3001 << 8.0f << 100.0f;
    QTest::newRow("few") << 65 << 1.0f << 1.0f;
    QTest::newRow("one") << 1 << 0.0f << 1.0f;
    QTest::newRow("steep") << 5000 << 10.0f << 0.3f;
  }
  void histogram_selectsTheSmallestSet() {
    QFETCH(int, vocab);
    QFETCH(float, deviation);
    QFETCH(float, temperature);
    const std::vector<float> logits = normal_logits(static_cast<size_t>(vocab), deviation);
    const SoftmaxWeight weight = weight_of(logits, temperature);
    const std::vector<Candidate> all = all_in_order(logits, weight);
    NucleusHistogram histogram;
    std::vector<Candidate> kept;
    for (const double top_p : {0.1, 0.5, 0.9, 0.999, 0.99999999}) {
      const double target = top_p * sum_of(all);
      histogram.select(logits, weight, target, kept);
      std::sort(kept.begin(), kept.end(), is_preferred);
      QVERIFY(kept.size() <= all.size());
      for (size_t i = 0; i < kept.size(); ++i) QCOMPARE(kept[i].id, all[i].id);
      QVERIFY(sum_of(kept) >= target * (1.0 - 1e-12));
      kept.pop_back();
      QVERIFY(sum_of(kept) < target * (1.0 + 1e-12));
    }
  }

  /// Sums in another order may round to less than the target.
  void targetBeyondTheSum_keepsAll() {
    std::vector<Candidate> candidates = {{0, 1.0f, 1.0f}, {1, 0.0f, 0.5f}};
    keep_nucleus(candidates, std::nextafter(1.5, 2.0));
    QCOMPARE(candidates.size(), size_t{2});
    const std::vector<float> logits = normal_logits(3000, 2.0f);
    const SoftmaxWeight weight = weight_of(logits, 1.0f);
    const std::vector<Candidate> all = all_in_order(logits, weight);
    const auto has_weight = [](const Candidate& candidate) { return candidate.weight > 0.0f; };
    NucleusHistogram histogram;
    histogram.select(logits, weight, sum_of(all) * (1.0 + 1e-9), candidates);
    QCOMPARE(static_cast<std::ptrdiff_t>(candidates.size()),
             std::ranges::count_if(all, has_weight));
  }
};

QTEST_APPLESS_MAIN(TestNucleus)
#include "tst_nucleus.moc"
