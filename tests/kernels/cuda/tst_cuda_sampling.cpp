// Sampling on the device under the SIMT harness: the same tokens as on the CPU.

#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cuda/host_staging.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/sampling/softmax_weight.h"
#include "tests/engine/sampling/sample_one.h"
#include "tests/kernels/cuda/random_sample_rows.h"
#include "tests/kernels/cuda/test_gpu.h"

using namespace quire;
using namespace quire::test;

namespace {

bool wants_long_tests() {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
}

/// What the device leaves: tokens, and logits with penalties.
struct Outcome {
  std::vector<int32_t> tokens;
  std::vector<float> logits;
};

Outcome sample_on(TestGpu& gpu, int64_t vocab, int64_t stride, const std::vector<float>& logits,
                  const SampleBatch& batch) {
  const auto num_rows = static_cast<int64_t>(batch.rows.size());
  const GpuArray<float> on_device(logits);
  const GpuArray<int32_t> tokens(std::vector<int32_t>(batch.rows.size(), -99));
  cuda::sample(*gpu.queue, *gpu.staging, {tokens.data(), DType::kI32, {num_rows}},
               TensorView(on_device.data(), DType::kF32, {num_rows, stride}).columns(0, vocab),
               batch);
  return {tokens.download(*gpu.queue), on_device.download(*gpu.queue)};
}

/// Empty, or what differs between the device and the CPU for rows of one vocabulary.
QString difference(TestGpu& gpu, std::vector<LogitsRow>& rows, int64_t padding) {
  const auto vocab = static_cast<int64_t>(rows[0].logits.size());
  SampleRows batch;
  std::vector<float> logits;
  for (const LogitsRow& row : rows) {
    batch.add(row.params, row.history, row.position, row.allowed);
    logits.insert(logits.end(), row.logits.begin(), row.logits.end());
    logits.insert(logits.end(), static_cast<size_t>(padding), NAN);
  }
  const Outcome outcome = sample_on(gpu, vocab, vocab + padding, logits, batch.batch());
  cpu::RowSampler sampler;
  for (size_t r = 0; r < rows.size(); ++r) {
    const int32_t expected = sample_one(sampler, rows[r].logits, rows[r].params, rows[r].history,
                                        rows[r].position, rows[r].allowed);
    const float* const after = outcome.logits.data() + r * static_cast<size_t>(vocab + padding);
    if (outcome.tokens[r] != expected) {
      return QString("%1, not %2: %3").arg(outcome.tokens[r]).arg(expected).arg(rows[r].text());
    }
    if (expected >= 0 && !same_bits(after, rows[r].logits.data(), vocab)) {
      return "the logits differ: " + rows[r].text();
    }
  }
  return {};
}

}  // namespace

class TestCudaSampling : public QObject {
  Q_OBJECT

 private slots:
  void exp_isTheEnginesBits() {
    const uint32_t step = wants_long_tests() ? 7 : 997;
    // From -0 beyond -88, and what is far below.
    for (uint32_t bits = 0x80000000u; bits < 0xc2b10000u; bits += step) {
      const float x = std::bit_cast<float>(bits);
      const float got = cuda::exp_nonpositive(x);
      QVERIFY(std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(exp_nonpositive(x)));
    }
    for (const float x : {0.0f, -87.0f, -100.0f, -3e38f, -INFINITY}) {
      QCOMPARE(cuda::exp_nonpositive(x), exp_nonpositive(x));
    }
  }

  void sample_drawsTheSamplersTokens_data() {
    QTest::addColumn<int>("vocab");
    QTest::addColumn<int>("rows");
    const bool is_long = wants_long_tests();
    for (const int vocab : {1, 2, 63, 64, 65, 257, 1000, 3000}) {
      QTest::addRow("V=%d", vocab) << vocab << (is_long ? 300 : 20);
    }
    QTest::addRow("V=9001") << 9001 << (is_long ? 200 : 25);
    QTest::addRow("V=32003") << 32003 << (is_long ? 100 : 12);
    QTest::addRow("V=131075") << 131075 << (is_long ? 40 : 4);
    if (is_long) QTest::addRow("V=262144") << 262144 << 20;
  }
  void sample_drawsTheSamplersTokens() {
    QFETCH(int, vocab);
    QFETCH(int, rows);
    const auto seed = static_cast<uint32_t>(vocab);
    RandomSampleRows random(seed);
    TestGpu gpu(seed);
    for (int done = 0; done < rows;) {
      std::vector<LogitsRow> batch;
      for (int count = random.pick({1, 2, 5, 9}); count > 0; --count) {
        batch.push_back(random.next(static_cast<size_t>(vocab)));
      }
      done += static_cast<int>(batch.size());
      const QString wrong = difference(gpu, batch, random.pick({0, 1, 4}));
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
  }

  /// The paths that a random row seldom takes.
  void sample_drawsTheSamplersTokensOfHardRows_data() {
    QTest::addColumn<int>("vocab");
    QTest::addColumn<float>("deviation");
    QTest::addColumn<float>("grid");
    QTest::addColumn<int>("top_k");
    QTest::addColumn<float>("top_p");
    QTest::addColumn<float>("min_p");
    QTest::newRow("nucleus of hundreds") << 9000 << 1.0f << 0.0f << 0 << 0.15f << 0.0f;
    QTest::newRow("nucleus of most") << 20000 << 0.5f << 0.0f << 0 << 0.9f << 0.0f;
    QTest::newRow("nucleus of equals") << 5000 << 0.0f << 0.0f << 0 << 0.7f << 0.0f;
    QTest::newRow("nucleus of few sizes") << 9000 << 1.0f << 1.0f << 0 << 0.8f << 0.0f;
    QTest::newRow("nucleus and min_p") << 9000 << 0.7f << 0.0f << 0 << 0.9f << 0.3f;
    QTest::newRow("top_k of equals") << 5000 << 0.0f << 0.0f << 70 << 1.0f << 0.0f;
    QTest::newRow("top_k of thousands") << 9000 << 1.0f << 0.0f << 4000 << 1.0f << 0.0f;
    QTest::newRow("nucleus of top_k of thousands") << 9000 << 1.0f << 0.0f << 4000 << 0.6f << 0.1f;
    // More candidates than threads, by one, which once made the threads' sums race.
    QTest::newRow("nucleus of all by top_k") << 257 << 1.0f << 0.0f << 300 << 0.9f << 0.0f;
    QTest::newRow("nucleus of top_k of hundreds") << 9000 << 1.0f << 0.0f << 700 << 0.9f << 0.0f;
    QTest::newRow("min_p of thousands") << 9000 << 1.0f << 0.0f << 0 << 1.0f << 1e-3f;
    QTest::newRow("min_p of equals") << 9000 << 0.0f << 0.0f << 0 << 1.0f << 1.0f;
  }
  void sample_drawsTheSamplersTokensOfHardRows() {
    QFETCH(int, vocab);
    QFETCH(float, deviation);
    QFETCH(float, grid);
    QFETCH(int, top_k);
    QFETCH(float, top_p);
    QFETCH(float, min_p);
    std::mt19937 random(12);
    TestGpu gpu(7);
    for (int round = wants_long_tests() ? 5 : 1; round > 0; --round) {
      // More rows than there are lists for them.
      std::vector<LogitsRow> rows(9);
      for (LogitsRow& row : rows) {
        std::normal_distribution<float> normal(0.0f, deviation > 0.0f ? deviation : 1.0f);
        for (int i = 0; i < vocab; ++i) {
          const float x = deviation > 0.0f ? normal(random) : 1.0f;
          row.logits.push_back(grid > 0.0f ? std::round(x / grid) * grid : x);
        }
        row.params.top_k = top_k;
        row.params.top_p = top_p;
        row.params.min_p = min_p;
        row.position = random();
      }
      const QString wrong = difference(gpu, rows, 0);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
  }

  /// Random numbers on the edge between two tokens, and the largest there is.
  void sample_drawsOnTheEdgeAsTheEngine() {
    constexpr int kVocab = 200;
    std::vector<float> logits(kVocab, 1.0f);
    std::fill(logits.begin() + 150, logits.end(), -INFINITY);
    std::vector<SampleRow> rows;
    std::vector<int32_t> expected;
    cpu::LogitBlocks blocks;
    QVERIFY(blocks.scan(logits));
    const SoftmaxWeight weight{.max = 1.0f, .inverse_temperature = 1.0f};
    const double total = blocks.sum_weights(weight);
    for (int i = 0; i <= 150; ++i) {
      const double uniform = i < 150 ? i / 150.0 : 1.0 - 0x1p-53;
      rows.push_back({.temperature = 1.0f, .uniform = uniform});
      expected.push_back(blocks.find_running_sum(weight, uniform * total));
      rows.push_back({.temperature = 1.0f, .top_k = 100, .uniform = uniform});
      expected.push_back(std::min(static_cast<int32_t>(uniform * 100.0), 99));
    }
    std::vector<float> all;
    for (size_t r = 0; r < rows.size(); ++r) all.insert(all.end(), logits.begin(), logits.end());
    TestGpu gpu;
    QCOMPARE(sample_on(gpu, kVocab, kVocab, all, {.rows = rows}).tokens, expected);
  }

  /// Random numbers at the sums of uneven weights, where the last bit of every sum counts: blocks
  /// of floats in the engine's order, and candidates in double in the order of preference.
  void sample_addsWeightsInTheEnginesOrder() {
    constexpr int kVocab = 1501;
    constexpr int kTop = 300;
    std::mt19937 random(6);
    std::normal_distribution<float> normal(0.0f, 1.5f);
    std::vector<float> logits(kVocab);
    for (float& x : logits) x = normal(random);
    cpu::LogitBlocks blocks;
    QVERIFY(blocks.scan(logits));
    const SoftmaxWeight weight{.max = blocks.max(), .inverse_temperature = 1.0f / 0.9f};
    const double total = blocks.sum_weights(weight);
    std::vector<cpu::Candidate> top;
    blocks.select_top(kTop, top);
    double top_total = 0.0;
    for (cpu::Candidate& c : top) top_total += double{c.weight = weight(c.logit)};

    std::vector<SampleRow> rows;
    std::vector<int32_t> expected;
    double last = 0.0;
    for (TokenId id = 0; id < kVocab; ++id) {
      // Where the token changes from one id to the next, to the last bit of the random number.
      double low = last;
      double high = 1.0;
      if (blocks.find_running_sum(weight, low * total) > id) continue;
      while (std::nextafter(low, 1.0) < high) {
        const double middle = low + (high - low) / 2;
        (blocks.find_running_sum(weight, middle * total) > id ? high : low) = middle;
      }
      last = high;
      if (id % 16 != 0 && id % 64 != 63) continue;
      for (const double uniform : {low, std::min(high, 1.0 - 0x1p-53)}) {
        rows.push_back({.temperature = 0.9f, .uniform = uniform});
        expected.push_back(blocks.find_running_sum(weight, uniform * total));
      }
    }
    double sum = 0.0;
    for (size_t edge_of = 0; edge_of + 1 < top.size(); ++edge_of) {
      sum += double{top[edge_of].weight};
      if (edge_of % 4 != 0) continue;
      const double edge = sum / top_total;
      for (const double uniform : {std::nextafter(edge, 0.0), edge, std::nextafter(edge, 1.0)}) {
        rows.push_back({.temperature = 0.9f, .top_k = kTop, .uniform = uniform});
        double running = 0.0;
        size_t i = 0;
        while (i + 1 < top.size() && (running += double{top[i].weight}) <= uniform * top_total) ++i;
        expected.push_back(top[i].id);
      }
    }
    std::vector<float> all;
    for (size_t r = 0; r < rows.size(); ++r) all.insert(all.end(), logits.begin(), logits.end());
    TestGpu gpu;
    QCOMPARE(sample_on(gpu, kVocab, kVocab, all, {.rows = rows}).tokens, expected);
  }

  void sample_keepsTokensOfExactlyMinP() {
    std::mt19937 random(8);
    std::uniform_real_distribution<float> uniform(-3.0f, 3.0f);
    TestGpu gpu;
    std::vector<LogitsRow> rows(600);
    for (size_t r = 0; r < rows.size(); ++r) {
      LogitsRow& row = rows[r];
      row.logits = {uniform(random), uniform(random), uniform(random), uniform(random)};
      row.params.temperature = r % 2 == 0 ? 1.0f : 1.7f;
      row.position = r;
      const float max = *std::max_element(row.logits.begin(), row.logits.end());
      const SoftmaxWeight weight{.max = max, .inverse_temperature = 1.0f / row.params.temperature};
      row.params.min_p = weight(row.logits[r % 4]);
    }
    const QString wrong = difference(gpu, rows, 0);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  void sample_givesARowTheSameTokenInAnyBatch() {
    RandomSampleRows random(77);
    std::vector<LogitsRow> rows;
    while (rows.size() < 16) rows.push_back(random.next(700));
    TestGpu gpu(5);
    const auto run = [&](const std::vector<LogitsRow>& some) {
      SampleRows batch;
      std::vector<float> logits;
      for (const LogitsRow& row : some) {
        batch.add(row.params, row.history, row.position, row.allowed);
        logits.insert(logits.end(), row.logits.begin(), row.logits.end());
      }
      return sample_on(gpu, 700, 700, logits, batch.batch());
    };
    const Outcome together = run(rows);
    std::vector<LogitsRow> reversed(rows.rbegin(), rows.rend());
    const Outcome backwards = run(reversed);
    for (size_t r = 0; r < rows.size(); ++r) {
      QCOMPARE(backwards.tokens[rows.size() - 1 - r], together.tokens[r]);
      const Outcome alone = run({rows[r]});
      QCOMPARE(alone.tokens[0], together.tokens[r]);
      QVERIFY(same_bits(alone.logits.data(), together.logits.data() + r * 700, 700));
    }
  }

  /// More of the batch than the small pinned buffers take.
  void sample_takesLongHistories() {
    constexpr int kVocab = 40000;
    std::vector<LogitsRow> rows(2);
    for (LogitsRow& row : rows) {
      row.logits.resize(kVocab);
      row.history = TokenHistory(kVocab);
      for (TokenId id = kVocab - 1; id >= 0; --id) row.history.add_output(id);
      row.logits[123] = 0.25f;
      row.params.presence_penalty = 0.5f;
      row.params.temperature = 0.0f;
    }
    TestGpu gpu;
    const QString wrong = difference(gpu, rows, 0);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  /// A mask does not hide them.
  void sample_refusesUnsoundLogitsUnderAMask() {
    for (const float value : {NAN, INFINITY}) {
      std::vector<LogitsRow> rows(1);
      rows[0].logits.assign(100, 0.0f);
      rows[0].logits[70] = value;
      rows[0].params.logit_bias = {{70, -100.0f}};
      rows[0].allowed = {1u, 0u, 0u, 0u};
      TestGpu gpu;
      const QString wrong = difference(gpu, rows, 1);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
  }

  void sample_refusesUnsoundLogits() {
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (const float value : bad) {
      for (const bool everywhere : {false, true}) {
        std::vector<LogitsRow> rows(2);
        for (LogitsRow& row : rows) {
          row.logits.assign(200, everywhere ? value : 0.0f);
          row.logits[197] = value;
        }
        rows[1].params.temperature = 0.0f;
        TestGpu gpu;
        const QString wrong = difference(gpu, rows, 3);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestCudaSampling)
#include "tst_cuda_sampling.moc"
