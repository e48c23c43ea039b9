#include <QtTest>
#include <cmath>
#include <random>

#include "engine/sampling/logprobs.h"
#include "engine/sampling/philox.h"
#include "tests/engine/sampling/golden.h"
#include "tests/engine/sampling/sample_one.h"

using namespace quire;
using cpu::RowSampler;

static const TokenHistory kNoHistory;

static std::vector<float> normal_logits(size_t vocab, float deviation, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, std::max(deviation, 1e-30f));
  std::vector<float> logits(vocab);
  for (float& logit : logits) logit = normal(random);
  return logits;
}

static TokenId draw(RowSampler& sampler, std::vector<float> logits, const SamplingParams& params,
                    uint64_t position) {
  return sample_one(sampler, logits, params, kNoHistory, position);
}

/// The definition in double precision with a full sort: each token's probability of being drawn.
static std::vector<double> reference(const std::vector<float>& logits,
                                     const SamplingParams& params) {
  std::vector<size_t> order(logits.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  if (params.top_k > 0) order.resize(std::min(order.size(), static_cast<size_t>(params.top_k)));
  std::vector<double> weights(logits.size());
  double total = 0.0;
  for (const size_t i : order) {
    weights[i] = std::exp((static_cast<double>(logits[i]) - logits[order[0]]) / params.temperature);
    total += weights[i];
  }
  double before = 0.0;
  double kept = 0.0;
  for (const size_t i : order) {
    const double weight = weights[i];
    if (before >= params.top_p * total || weight < params.min_p) weights[i] = 0.0;
    before += weight;
    kept += weights[i];
  }
  for (double& weight : weights) weight /= kept;
  return weights;
}

/// Pearson's statistic in units of its standard deviation from its mean; tokens expected fewer than
/// 5 times are one class. Fails if anything impossible was drawn.
static double chi_square_deviation(const std::vector<int>& counts,
                                   const std::vector<double>& probabilities, int num_draws) {
  double statistic = 0.0;
  double rare_expected = 0.0;
  int rare_count = 0;
  int classes = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 && probabilities[i] <= 0.0) return INFINITY;
    const double expected = probabilities[i] * num_draws;
    if (expected < 5.0) {
      rare_expected += expected;
      rare_count += counts[i];
      continue;
    }
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
    ++classes;
  }
  if (rare_expected >= 5.0) {
    statistic += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
    ++classes;
  }
  const int freedom = classes - 1;
  return freedom <= 0 ? 0.0 : (statistic - freedom) / std::sqrt(2.0 * freedom);
}

class TestSampler : public QObject {
  Q_OBJECT
 private slots:
  void philox_givesTheKnownAnswers() {
    // Random123's kat_vectors for philox4x32-10.
    using Block = std::array<uint32_t, 4>;
    QCOMPARE(philox4x32({0, 0, 0, 0}, {0, 0}),
             (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QCOMPARE(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
             (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QCOMPARE(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
             (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  }

  void exp_isAccurate() {
    for (float x = 0.0f; x > -87.0f; x -= 0.0137f) {
      const double exact = std::exp(static_cast<double>(x));
      QVERIFY(std::abs(static_cast<double>(exp_nonpositive(x)) - exact) <= 2e-7 * exact);
    }
    QCOMPARE(exp_nonpositive(0.0f), 1.0f);
    QCOMPARE(exp_nonpositive(-87.1f), 0.0f);
    QCOMPARE(exp_nonpositive(-INFINITY), 0.0f);
  }

  void sample_followsTheReferencesDistribution() {
    RowSampler sampler;
    constexpr int kDraws = 8000;
    for (const SamplingGolden& golden : load_sampling_golden()) {
      const TokenHistory history = golden.history();
      std::vector<int> counts(golden.logits.size());
      for (int position = 0; position < kDraws; ++position) {
        std::vector<float> logits = golden.logits;
        const TokenId token =
            sample_one(sampler, logits, golden.params, history, static_cast<uint64_t>(position));
        ++counts[static_cast<size_t>(token)];
      }
      const double deviation = chi_square_deviation(counts, golden.probabilities, kDraws);
      QVERIFY2(deviation < 4.0, qPrintable(QString::number(deviation)));
    }
  }

  void sample_followsTheDefinitionOnLargerVocabularies_data() {
    QTest::addColumn<int>("vocab");
    QTest::addColumn<float>("deviation");
    QTest::addColumn<float>("temperature");
    QTest::addColumn<int>("top_k");
    QTest::addColumn<float>("top_p");
    QTest::addColumn<float>("min_p");
    QTest::newRow("all") << 1000 << 2.0f << 1.0f << 0 << 1.0f << 0.0f;
    QTest::newRow("not a multiple of the block") << 197 << 1.0f << 0.7f << 0 << 1.0f << 0.0f;
    QTest::newRow("top_k") << 1000 << 1.0f << 1.0f << 10 << 1.0f << 0.0f;
    QTest::newRow("top_k beyond the blocks") << 1000 << 1.0f << 1.0f << 300 << 1.0f << 0.0f;
    QTest::newRow("top_k beyond the vocabulary") << 50 << 1.0f << 1.0f << 300 << 1.0f << 0.0f;
    QTest::newRow("nucleus in few") << 1000 << 3.0f << 1.0f << 0 << 0.5f << 0.0f;
    QTest::newRow("nucleus in hundreds") << 3000 << 1.0f << 1.0f << 0 << 0.3f << 0.0f;
    QTest::newRow("nucleus in most") << 2000 << 0.5f << 1.0f << 0 << 0.9f << 0.0f;
    QTest::newRow("min_p") << 1000 << 1.0f << 1.3f << 0 << 1.0f << 0.1f;
    QTest::newRow("nucleus, min_p") << 1000 << 1.0f << 0.9f << 0 << 0.6f << 0.2f;
    QTest::newRow("three") << 1000 << 1.5f << 1.2f << 40 << 0.8f << 0.1f;
  }
  void sample_followsTheDefinitionOnLargerVocabularies() {
    QFETCH(int, vocab);
    QFETCH(float, deviation);
    QFETCH(float, temperature);
    QFETCH(int, top_k);
    QFETCH(float, top_p);
    QFETCH(float, min_p);
    SamplingParams params;
    params.temperature = temperature;
    params.top_k = top_k;
    params.top_p = top_p;
    params.min_p = min_p;
    params.seed = 99;
    const auto logits = normal_logits(static_cast<size_t>(vocab), deviation, 3);
    const std::vector<double> expected = reference(logits, params);
    constexpr int kDraws = 6000;
    RowSampler sampler;
    std::vector<int> counts(logits.size());
    for (uint64_t position = 0; position < kDraws; ++position) {
      ++counts[static_cast<size_t>(draw(sampler, logits, params, position))];
    }
    const double off = chi_square_deviation(counts, expected, kDraws);
    QVERIFY2(off < 4.0, qPrintable(QString::number(off)));
  }

  void sample_dependsOnSeedAndPositionAlone() {
    const auto logits = normal_logits(5000, 1.0f, 8);
    SamplingParams params;
    params.seed = 12345;
    std::vector<TokenId> forward;
    RowSampler sampler;
    for (uint64_t i = 0; i < 50; ++i) forward.push_back(draw(sampler, logits, params, i));
    RowSampler other;
    SamplingParams between = params;
    between.top_p = 0.9f;
    between.num_logprobs = 3;
    for (uint64_t i = 50; i-- > 0;) {
      QCOMPARE(draw(other, logits, params, i), forward[i]);
      draw(other, normal_logits(100, 1.0f, 1), between, i);
    }
    params.seed = 12346;
    int same = 0;
    for (uint64_t i = 0; i < 50; ++i) same += draw(sampler, logits, params, i) == forward[i];
    QVERIFY(same < 5);
  }

  void sample_greedyTakesTheLowestOfEquals() {
    std::vector<float> logits(300, 1.0f);
    SamplingParams params;
    params.temperature = 0.0f;
    RowSampler sampler;
    QCOMPARE(draw(sampler, logits, params, 0), 0);
    logits[130] = logits[131] = logits[299] = 2.0f;
    QCOMPARE(draw(sampler, logits, params, 0), 130);
    params.temperature = 1.0f;
    params.top_k = 1;
    QCOMPARE(draw(sampler, logits, params, 7), 130);
    params.top_k = 0;
    params.top_p = 1e-6f;
    QCOMPARE(draw(sampler, logits, params, 7), 130);
  }

  void sample_topKKeepsExactlyKOfEquals() {
    SamplingParams params;
    params.top_k = 5;
    RowSampler sampler;
    const std::vector<float> logits(1000, 0.0f);
    for (uint64_t i = 0; i < 200; ++i) QVERIFY(draw(sampler, logits, params, i) < 5);
  }

  void sample_neverDrawsMaskedTokens() {
    std::vector<float> logits(1000, -INFINITY);
    logits[77] = -30.0f;
    logits[900] = -30.0f;
    RowSampler sampler;
    for (const float top_p : {1.0f, 0.99f}) {
      for (const int top_k : {0, 50}) {
        SamplingParams params;
        params.top_p = top_p;
        params.top_k = top_k;
        for (uint64_t i = 0; i < 200; ++i) {
          const TokenId id = draw(sampler, logits, params, i);
          QVERIFY(id == 77 || id == 900);
        }
      }
    }
  }

  /// Biases are added after penalties and before everything else; masked tokens count as if their
  /// logits were -inf.
  void sample_addsBiasesAndMasksTokens() {
    constexpr size_t kVocab = 700;
    std::mt19937 random(21);
    RowSampler sampler;
    for (int round = 0; round < 60; ++round) {
      const auto logits = normal_logits(kVocab, 2.0f, static_cast<uint32_t>(round));
      SamplingParams params = {.temperature = round % 4 == 0 ? 0.0f : 0.8f, .seed = 5};
      if (round % 3 == 1) params.top_p = 0.9f;
      if (round % 5 == 1) params.top_k = 20;
      if (round % 2 == 1) params.repetition_penalty = 1.4f;
      TokenHistory history(static_cast<int>(kVocab));
      for (TokenId id = 3; id < 400; id += 7) history.add_output(id);
      std::vector<uint32_t> allowed((kVocab + 31) / 32, round % 6 == 5 ? ~0u : 0u);
      allowed[random() % 20] |= 1u << (random() % 32);
      for (int i = 0; i < 40; ++i) allowed[random() % 20] |= 1u << (random() % 32);
      SamplingParams plain = params;
      for (TokenId id = 0; id < 700; id += 10) {
        params.logit_bias.push_back({id, static_cast<float>(random() % 9) - 4.0f});
      }
      std::vector<float> expected = logits;
      SampleRows rows;
      rows.add(params, history, 0);
      if (round % 2 == 1) {
        cpu::apply_penalties(expected, rows.batch().rows.front(), rows.batch());
        plain.repetition_penalty = 1.0f;
      }
      for (const LogitBias& bias : params.logit_bias) {
        expected[static_cast<size_t>(bias.id)] += bias.bias;
      }
      for (size_t id = 0; id < kVocab; ++id) {
        if ((allowed[id / 32] >> (id % 32) & 1u) == 0) expected[id] = -INFINITY;
      }
      const auto position = static_cast<uint64_t>(round);
      const TokenId wanted = sample_one(sampler, expected, plain, history, position);
      std::vector<float> changed = logits;
      QCOMPARE(sample_one(sampler, changed, params, history, position, allowed), wanted);
      QCOMPARE(changed, expected);
    }
  }

  void sample_aMaskHidesNoUnsoundLogit() {
    std::vector<float> logits(64, 0.0f);
    const std::vector<uint32_t> allowed = {2u, 0u};
    RowSampler sampler;
    QCOMPARE(sample_one(sampler, logits, {}, kNoHistory, 3, allowed), 1);
    logits.assign(64, 0.0f);
    logits[40] = std::nanf("");
    QCOMPARE(sample_one(sampler, logits, {}, kNoHistory, 3, allowed), -1);
    logits.assign(64, 0.0f);
    logits[1] = -INFINITY;
    QCOMPARE(sample_one(sampler, logits, {}, kNoHistory, 3, allowed), -1);
  }

  void sample_refusesUnsoundLogits_data() {
    QTest::addColumn<float>("value");
    QTest::addColumn<bool>("everywhere");
    QTest::newRow("one NaN") << std::nanf("") << false;
    QTest::newRow("all NaN") << std::nanf("") << true;
    QTest::newRow("one infinite") << INFINITY << false;
    QTest::newRow("all masked") << -INFINITY << true;
  }
  void sample_refusesUnsoundLogits() {
    QFETCH(float, value);
    QFETCH(bool, everywhere);
    std::vector<float> logits(200, everywhere ? value : 0.0f);
    logits[197] = value;
    RowSampler sampler;
    QCOMPARE(sample_one(sampler, logits, {}, kNoHistory, 3), -1);
    QCOMPARE(sample_one(sampler, {}, {}, kNoHistory, 3), -1);
  }

  void sample_survivesExtremes() {
    RowSampler sampler;
    SamplingParams params;
    params.temperature = 1e-30f;
    std::vector<float> logits = {-3e38f, 1.0f, 3e38f, 2.0f};
    QCOMPARE(draw(sampler, logits, params, 1), 2);
    params.temperature = 100.0f;
    params.min_p = 1.0f;
    QCOMPARE(draw(sampler, logits, params, 1), 2);
    QCOMPARE(draw(sampler, {-5.0f}, params, 1), 0);
  }

  /// A distribution that is too flat for the 512 likeliest. The hash was computed when these tokens
  /// were sampled by exact sums over blocks of the vocabulary.
  void sample_ofALargeNucleusDoesNotChange() {
    std::mt19937 random(3);
    std::vector<float> logits(20000);
    for (float& logit : logits) logit = static_cast<float>(random() % 4096) / 1024.0f;
    for (size_t i = 0; i < logits.size(); i += 3000) logits[i] += 8.0f;
    RowSampler sampler;
    uint64_t hash = 0;
    for (const float min_p : {0.0f, 0.001f, 0.05f}) {
      const SamplingParams params = {.temperature = 1.3f, .top_p = 0.9f, .min_p = min_p, .seed = 5};
      for (uint64_t position = 0; position < 100; ++position) {
        std::vector<float> given = logits;
        const TokenId token = sample_one(sampler, given, params, TokenHistory(20000), position);
        hash = hash * 6364136223846793005u + static_cast<uint64_t>(token);
      }
    }
    QCOMPARE(hash, uint64_t{0x5f8ca64b033e6a23});
  }

  /// Rounding of a sum must not leave an uniform number close to 1 without a token.
  void sample_findsATokenForEveryUniform() {
    std::mt19937 random(9);
    std::normal_distribution<float> normal(0.0f, 3.0f);
    for (int round = 0; round < 200; ++round) {
      std::vector<float> logits(1 + random() % 3000);
      for (float& logit : logits) logit = normal(random);
      RowSampler sampler;
      const SamplingParams params = {.temperature = 0.1f + 0.02f * static_cast<float>(round),
                                     .top_p = 0.99f,
                                     .seed = random()};
      for (uint64_t position = 0; position < 20; ++position) {
        std::vector<float> given = logits;
        QVERIFY(sample_one(sampler, given, params, kNoHistory, position) >= 0);
      }
    }
  }

  void computeLogprobs_equalsTheReference() {
    for (const SamplingGolden& golden : load_sampling_golden()) {
      const auto& expected = golden.raw_logprobs;
      const auto sampled = static_cast<TokenId>(golden.logits.size() / 2);
      const auto logprobs = compute_logprobs(golden.logits, sampled, 4);
      QCOMPARE(logprobs.size(), size_t{5});
      QCOMPARE(logprobs[0].id, sampled);
      for (const TokenLogprob& token : logprobs) {
        QVERIFY(std::abs(token.logprob - expected[static_cast<size_t>(token.id)]) < 1e-5f);
      }
      QVERIFY(std::abs(logprobs[1].logprob - *std::ranges::max_element(expected)) < 1e-5f);
      for (size_t i = 2; i < 5; ++i) {
        QVERIFY(logprobs[i - 1].logprob > logprobs[i].logprob ||
                (logprobs[i - 1].logprob == logprobs[i].logprob &&
                 logprobs[i - 1].id < logprobs[i].id));
      }
      QCOMPARE(compute_logprobs(golden.logits, sampled, 0).size(), size_t{1});
    }
  }

  void computeLogprobs_leavesOutMaskedTokens() {
    const std::vector<float> logits = {-INFINITY, 1.0f, -INFINITY, 1.0f};
    const auto logprobs = compute_logprobs(logits, 3, 4);
    QCOMPARE(logprobs.size(), size_t{3});
    QCOMPARE(logprobs[1].id, 1);
    QCOMPARE(logprobs[2].id, 3);
    QVERIFY(std::abs(logprobs[2].logprob - std::log(0.5f)) < 1e-6f);
  }
};

QTEST_APPLESS_MAIN(TestSampler)
#include "tst_sampler.moc"
