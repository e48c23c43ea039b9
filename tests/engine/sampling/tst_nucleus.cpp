#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "engine/sampling/nucleus.h"
#include "engine/sampling/quick_nucleus.h"

using namespace quire;

namespace {

std::vector<float> normal_logits(size_t vocab, float deviation) {
  std::mt19937 random(static_cast<uint32_t>(vocab));
  std::normal_distribution<float> normal(0.0f, deviation);
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
    all.push_back({static_cast<TokenId>(i), logits[i], weight(logits[i])});
  }
  std::sort(all.begin(), all.end(), is_preferred);
  return all;
}

double sum_of(const std::vector<Candidate>& candidates) {
  double sum = 0.0;
  for (const Candidate& candidate : candidates) sum += static_cast<double>(candidate.weight);
  return sum;
}

/// The definition of a draw: one running sum, token by token.
TokenId draw_one_by_one(std::vector<Candidate> candidates, float min_p, double uniform) {
  std::erase_if(candidates, [&](const Candidate& c) { return c.weight < min_p; });
  const double target = uniform * sum_of(candidates);
  double sum = 0.0;
  for (const Candidate& candidate : candidates) {
    sum += static_cast<double>(candidate.weight);
    if (sum > target) return candidate.id;
  }
  return candidates.back().id;
}

}  // namespace

class TestNucleus : public QObject {
  Q_OBJECT

 private slots:
  void wideNucleus_isTheSmallestSetAndDrawsFromIt_data() {
    QTest::addColumn<int>("vocab");
    QTest::addColumn<float>("deviation");
    QTest::addColumn<float>("temperature");
    QTest::addColumn<bool>("exact");
    QTest::newRow("flat") << 20000 << 0.5f << 1.0f << true;
    QTest::newRow("with peaks") << 20011 << 2.0f << 1.3f << true;
    QTest::newRow("uniform") << 7000 << 0.0f << 1.0f << true;
    QTest::newRow("hot") << 3001 << 8.0f << 100.0f << true;
    QTest::newRow("few") << 65 << 1.0f << 1.0f << true;
    QTest::newRow("one") << 1 << 0.0f << 1.0f << true;
    QTest::newRow("steep") << 5000 << 10.0f << 0.3f << false;
  }
  void wideNucleus_isTheSmallestSetAndDrawsFromIt() {
    QFETCH(int, vocab);
    QFETCH(float, deviation);
    QFETCH(float, temperature);
    QFETCH(bool, exact);
    const std::vector<float> logits = normal_logits(static_cast<size_t>(vocab), deviation);
    const SoftmaxWeight weight = weight_of(logits, temperature);
    const std::vector<Candidate> all = all_in_order(logits, weight);
    WideNucleus nucleus;
    std::vector<Candidate> kept;
    for (const double top_p : {0.1, 0.5, 0.9, 0.999, 0.99999999}) {
      const double target = top_p * sum_of(all);
      nucleus.find(logits, weight, target);
      nucleus.list(logits, kept);
      std::vector<Candidate> sorted = kept;
      std::sort(sorted.begin(), sorted.end(), is_preferred);
      QVERIFY(sorted.size() <= all.size());
      for (size_t i = 0; i < sorted.size(); ++i) QCOMPARE(sorted[i].id, all[i].id);
      QVERIFY(sum_of(sorted) >= target * (1.0 - 1e-12));
      sorted.pop_back();
      QVERIFY(sum_of(sorted) < target * (1.0 + 1e-12));
      if (!nucleus.has_exact_sums(0.0f)) QVERIFY(!exact || top_p > 0.999);
    }
  }

  void wideNucleus_drawsAsOneByOne_data() { wideNucleus_isTheSmallestSetAndDrawsFromIt_data(); }
  void wideNucleus_drawsAsOneByOne() {
    QFETCH(int, vocab);
    QFETCH(float, deviation);
    QFETCH(float, temperature);
    const std::vector<float> logits = normal_logits(static_cast<size_t>(vocab), deviation);
    const SoftmaxWeight weight = weight_of(logits, temperature);
    const double all = sum_of(all_in_order(logits, weight));
    WideNucleus nucleus;
    std::vector<Candidate> kept;
    int num_drawn = 0;
    for (const double top_p : {0.3, 0.9, 0.999}) {
      for (const float min_p : {0.0f, 0.01f, 0.6f, 1.0f}) {
        for (const double uniform : {0.0, 0.1, 0.37, 0.8, 0.95, 0.999, 1.0 - 0x1p-53}) {
          nucleus.find(logits, weight, top_p * all);
          nucleus.list(logits, kept);
          if (!nucleus.has_exact_sums(min_p)) continue;
          QCOMPARE(nucleus.draw(min_p, uniform), draw_one_by_one(kept, min_p, uniform));
          ++num_drawn;
        }
      }
    }
    QVERIFY(num_drawn >= 40);
  }

  void quickNucleus_drawsAsTheWideOne_data() {
    QTest::addColumn<int>("vocab");
    QTest::addColumn<float>("deviation");
    QTest::addColumn<float>("temperature");
    QTest::addColumn<int>("least_drawn");  // Of 126.
    QTest::addColumn<int>("most_drawn");
    QTest::newRow("flat") << 50000 << 0.5f << 1.0f << 120 << 126;
    QTest::newRow("with peaks") << 50011 << 2.0f << 1.3f << 100 << 126;
    QTest::newRow("hot") << 32003 << 8.0f << 100.0f << 120 << 126;
    QTest::newRow("uniform") << 9000 << 0.0f << 1.0f << 126 << 126;
    QTest::newRow("steep") << 20000 << 10.0f << 0.3f << 0 << 126;
    QTest::newRow("few") << 4000 << 0.5f << 1.0f << 0 << 0;
  }
  void quickNucleus_drawsAsTheWideOne() {
    QFETCH(int, vocab);
    QFETCH(float, deviation);
    QFETCH(float, temperature);
    QFETCH(int, least_drawn);
    QFETCH(int, most_drawn);
    const std::vector<float> logits = normal_logits(static_cast<size_t>(vocab), deviation);
    const int num_drawn = compare_draws(logits, temperature);
    QVERIFY2(num_drawn >= least_drawn && num_drawn <= most_drawn,
             qPrintable(QString::number(num_drawn)));
  }

  /// All that is sampled is unlikely, likely, or masked; in the last case nothing is known.
  void quickNucleus_isNotMisledByItsSample() {
    for (const auto& [in_sample, num_drawn] : {std::pair(-3.0f, 42), {3.0f, 42}, {-INFINITY, 0}}) {
      std::vector<float> logits = normal_logits(40000, 0.5f);
      for (size_t i = 0; i < logits.size(); ++i) {
        if (i % 512 < 16) logits[i] = in_sample;
      }
      QCOMPARE(compare_draws(logits, 1.0f), num_drawn);
    }
  }

 private:
  /// How many of some draws the quick one makes; all of them are the wide one's.
  static int compare_draws(const std::vector<float>& logits, float temperature) {
    const SoftmaxWeight weight = weight_of(logits, temperature);
    const double all = sum_of(all_in_order(logits, weight));
    WideNucleus wide;
    QuickNucleus quick;
    int num_drawn = 0;
    for (const double top_p : {0.02, 0.3, 0.8, 0.95, 0.99, 0.999}) {
      for (const float min_p : {0.0f, 0.1f, 0.6f}) {
        for (const double uniform : {0.0, 0.1, 0.37, 0.8, 0.95, 0.999, 1.0 - 0x1p-53}) {
          const auto drawn =
              quick.draw(logits, weight,
                         {.total = all, .target = top_p * all, .min_p = min_p, .uniform = uniform});
          if (!drawn) continue;
          ++num_drawn;
          wide.find(logits, weight, top_p * all);
          if (!wide.has_exact_sums(min_p)) qFatal("The quick one draws where sums are not exact.");
          const TokenId expected = wide.draw(min_p, uniform);
          if (*drawn != expected) qFatal("Drew %d, not %d.", *drawn, expected);
        }
      }
    }
    return num_drawn;
  }
};

QTEST_APPLESS_MAIN(TestNucleus)
#include "tst_nucleus.moc"
