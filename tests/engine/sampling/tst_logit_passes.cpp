#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "engine/sampling/logit_passes.h"
#include "kernels/base/instruction_set.h"

using namespace quire;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Some masked, some far below the largest, and so on up to it.
std::vector<float> some_logits(size_t count) {
  std::mt19937 random(static_cast<uint32_t>(count));
  std::normal_distribution<float> normal(0.0f, 40.0f);
  std::vector<float> logits(count);
  for (float& logit : logits) logit = random() % 7 == 0 ? -kInfinity : normal(random);
  return logits;
}

SoftmaxWeight weight_of(const std::vector<float>& logits, float temperature) {
  return {.max = *std::max_element(logits.begin(), logits.end()),
          .inverse_temperature = 1.0f / temperature};
}

std::vector<uint32_t> bits(const std::vector<float>& values) {
  std::vector<uint32_t> result;
  for (const float value : values) result.push_back(std::bit_cast<uint32_t>(value));
  return result;
}

/// The sum of a block as it is defined, weight by weight.
float sum_of_block(std::span<const float> block, SoftmaxWeight weight) {
  float lanes[16] = {};
  for (size_t i = 0; i < block.size(); ++i) lanes[i % 16] += weight(block[i]);
  float sum = 0.0f;
  for (const float lane : lanes) sum += lane;
  return sum;
}

std::span<const float> block(const std::vector<float>& logits, size_t b) {
  const size_t begin = b * kLogitBlock;
  return std::span(logits).subspan(begin, std::min(kLogitBlock, logits.size() - begin));
}

}  // namespace

/// The passes of every instruction set that this processor has against their definitions.
class TestLogitPasses : public QObject {
  Q_OBJECT

 private slots:
  void passes_giveTheBitsOfTheirDefinition_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 15, 16, 63, 64, 65, 100, 128, 511, 512, 1000, 1024, 32000}) {
      QTest::addRow("%d", count) << count;
    }
  }
  void passes_giveTheBitsOfTheirDefinition() {
    QFETCH(int, count);
    const std::vector<float> logits = some_logits(static_cast<size_t>(count));
    const size_t num_blocks = (logits.size() + kLogitBlock - 1) / kLogitBlock;
    for (const float temperature : {0.01f, 0.7f, 1.0f, 30.0f}) {
      const SoftmaxWeight weight = weight_of(logits, temperature);
      if (std::isinf(weight.max)) continue;
      std::vector<float> weights, sums, maxima;
      std::vector<int32_t> buckets;
      for (const float logit : logits) {
        weights.push_back(weight(logit));
        const float distance = (weight.max - logit) * weight.inverse_temperature;
        buckets.push_back(distance <= 87.0f ? static_cast<int32_t>(distance * kBucketsPerE)
                                            : kNumBuckets - 1);
      }
      for (size_t b = 0; b < num_blocks; ++b) {
        sums.push_back(sum_of_block(block(logits, b), weight));
        maxima.push_back(*std::ranges::max_element(block(logits, b)));
      }
      for (const LogitPasses& passes : logit_passes()) {
        std::vector<float> got_weights(logits.size()), got_sums(num_blocks), got_maxima(num_blocks);
        std::vector<int32_t> got_buckets(logits.size());
        passes.weigh(logits, weight, got_weights, got_buckets);
        passes.sum(logits, weight, got_sums);
        QVERIFY2(passes.scan(logits, got_maxima), passes.name);
        QVERIFY2(bits(got_weights) == bits(weights), passes.name);
        QVERIFY2(got_buckets == buckets, passes.name);
        QVERIFY2(bits(got_sums) == bits(sums), passes.name);
        QVERIFY2(got_maxima == maxima, passes.name);
      }
    }
  }

  void sumKept_addsWhatIsInFrontOfTheEdgeAndLargeEnough() {
    // Whole numbers, whose sums are exact in any order.
    std::vector<float> weights(150);
    std::vector<int32_t> buckets(150);
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(i % 11);
      buckets[i] = static_cast<int32_t>(i * 7 % 13);
    }
    for (const KeptWeights kept : {KeptWeights{5, 0.0f}, {13, 3.0f}, {0, 0.0f}, {6, 10.0f}}) {
      std::vector<double> expected(3);
      for (size_t i = 0; i < weights.size(); ++i) {
        if (kept.has(weights[i], buckets[i])) expected[i / kLogitBlock] += weights[i];
      }
      for (const LogitPasses& passes : logit_passes()) {
        std::vector<double> sums(3, -1.0);
        passes.sum_kept(weights, buckets, kept, sums);
        QVERIFY2(sums == expected, passes.name);
      }
    }
  }

  void part_listsTheWindowAndAddsUpWhatIsBeforeIt_data() {
    passes_giveTheBitsOfTheirDefinition_data();
  }
  void part_listsTheWindowAndAddsUpWhatIsBeforeIt() {
    QFETCH(int, count);
    const std::vector<float> logits = some_logits(static_cast<size_t>(count));
    const SoftmaxWeight weight = weight_of(logits, 30.0f);
    if (std::isinf(weight.max)) return;
    std::vector<float> weights(logits.size());
    std::vector<int32_t> buckets(logits.size());
    logit_passes().back().weigh(logits, weight, weights, buckets);
    WindowTokens tokens;
    for (const BucketWindow window : {BucketWindow{60, 64}, {0, 90}, {40, 40}, {0, 1}, {9, 2784}}) {
      for (const float least : {0.0f, 0.25f, 0.9f}) {
        std::vector<double> expected((logits.size() + kLogitBlock - 1) / kLogitBlock);
        double before = 0.0;
        std::vector<int32_t> ids;
        for (size_t i = 0; i < logits.size(); ++i) {
          if (buckets[i] >= window.begin && buckets[i] < window.end)
            ids.push_back(static_cast<int32_t>(i));
          if (buckets[i] >= window.begin) continue;
          before += static_cast<double>(weights[i]);
          if (weights[i] >= least) expected[i / kLogitBlock] += static_cast<double>(weights[i]);
        }
        for (const LogitPasses& passes : logit_passes()) {
          tokens.reset(logits.size());
          std::vector<double> sums(expected.size(), -1.0);
          const double got = passes.part(logits, weight, {window, least}, sums, tokens);
          QVERIFY2(std::abs(got - before) <= 1e-12 * before, passes.name);
          for (size_t b = 0; b < sums.size(); ++b) {
            QVERIFY2(std::abs(sums[b] - expected[b]) <= 1e-12 * expected[b], passes.name);
          }
          QCOMPARE(tokens.count, ids.size());
          for (size_t i = 0; i < ids.size(); ++i) {
            const auto id = static_cast<size_t>(ids[i]);
            QCOMPARE(tokens.ids[i], ids[i]);
            QCOMPARE(tokens.buckets[i], buckets[id]);
            QCOMPARE(std::bit_cast<uint32_t>(tokens.weights[i]),
                     std::bit_cast<uint32_t>(weights[id]));
          }
        }
      }
    }
  }

  void logitPasses_followTheForcedInstructionSet() {
    qputenv("QUIRE_CPU_ISA", "scalar");
    QCOMPARE(logit_passes().size(), size_t{1});
    const bool hasAvx2 =
        std::ranges::count(supported_instruction_sets(), InstructionSet::kAvx2) > 0;
    qputenv("QUIRE_CPU_ISA", "avx2");
    if (hasAvx2) QCOMPARE(std::string(logit_passes().front().name), std::string("avx2"));
    qunsetenv("QUIRE_CPU_ISA");
  }

  /// All tokens are in the window, so that the last vector is written beyond them.
  void part_listsAWholeVocabulary() {
    for (const size_t count : {size_t{16}, size_t{65}, size_t{127}, size_t{1000}}) {
      const std::vector<float> logits(count, 3.0f);
      for (const LogitPasses& passes : logit_passes()) {
        WindowTokens tokens;
        tokens.reset(count);
        std::vector<double> sums((count + kLogitBlock - 1) / kLogitBlock, -1.0);
        const Parting all = {.window = {0, kNumBuckets - 1}};
        QCOMPARE(passes.part(logits, weight_of(logits, 1.0f), all, sums, tokens), 0.0);
        QCOMPARE(tokens.count, count);
        for (size_t i = 0; i < count; ++i) QCOMPARE(tokens.ids[i], static_cast<int32_t>(i));
        QCOMPARE(sums, std::vector<double>(sums.size(), 0.0));
      }
    }
  }

  void scan_findsWhatIsNoNumberBelowInfinity() {
    for (const LogitPasses& passes : logit_passes()) {
      for (const float bad : {kInfinity, std::nanf(""), -std::nanf("")}) {
        for (size_t place = 0; place < 150; ++place) {
          std::vector<float> logits(150, -1.0f);
          std::vector<float> maxima(3);
          QVERIFY2(passes.scan(logits, maxima), passes.name);
          logits[place] = bad;
          QVERIFY2(!passes.scan(logits, maxima), passes.name);
        }
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestLogitPasses)
#include "tst_logit_passes.moc"
