#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "kernels/base/instruction_set.h"
#include "kernels/cpu/sampling/logit_passes.h"

using namespace quire;
using namespace quire::cpu;

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

  void logitPasses_followTheForcedInstructionSet() {
    qputenv("QUIRE_CPU_ISA", "scalar");
    QCOMPARE(logit_passes().size(), size_t{1});
    const bool hasAvx2 =
        std::ranges::count(supported_instruction_sets(), InstructionSet::kAvx2) > 0;
    qputenv("QUIRE_CPU_ISA", "avx2");
    if (hasAvx2) QCOMPARE(std::string(logit_passes().front().name), std::string("avx2"));
    qunsetenv("QUIRE_CPU_ISA");
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
