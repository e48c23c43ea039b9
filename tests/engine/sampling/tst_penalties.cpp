#include <QtTest>
#include <cmath>

#include "engine/sampling/sample_rows.h"
#include "kernels/cpu/sampling/row_sampler.h"
#include "tests/engine/sampling/golden.h"

using namespace quire;

static void apply_penalties(std::span<float> logits, const SamplingParams& params,
                            const TokenHistory& history) {
  SampleRows rows;
  rows.add(params, history, 0);
  const SampleBatch batch = rows.batch();
  cpu::apply_penalties(logits, batch.rows.front(), batch);
}

class TestPenalties : public QObject {
  Q_OBJECT
 private slots:
  void applyPenalties_workedByHand() {
    TokenHistory history(5);
    history.add_prompt(std::vector<TokenId>{0, 1, 0, 99, -1});
    history.add_output(1);
    history.add_output(2);
    history.add_output(1);
    SamplingParams params;
    params.repetition_penalty = 2.0f;
    params.presence_penalty = 0.5f;
    params.frequency_penalty = 0.25f;
    std::vector<float> logits = {3.0f, -1.0f, 4.0f, 4.0f, -INFINITY};
    apply_penalties(logits, params, history);
    // 0 is only in the prompt; 1 is negative and twice in the answer; 3 is new.
    QCOMPARE(logits, (std::vector<float>{1.5f, -3.0f, 1.25f, 4.0f, -INFINITY}));
  }

  void applyPenalties_equalsTheReference() {
    const auto cases = load_sampling_golden();
    QVERIFY(cases.size() >= 15);
    for (const SamplingGolden& golden : cases) {
      std::vector<float> logits = golden.logits;
      apply_penalties(logits, golden.params, golden.history());
      for (size_t i = 0; i < logits.size(); ++i) {
        QVERIFY(std::abs(logits[i] - golden.penalised[i]) <= 1e-5f);
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestPenalties)
#include "tst_penalties.moc"
