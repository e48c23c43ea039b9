#include <QtTest>
#include <cmath>

#include "engine/sampling/logits_processor.h"
#include "tests/engine/sampling/golden.h"

using namespace quire;

class TestLogitsProcessor : public QObject {
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

  void clear_makesAHistoryNew() {
    TokenHistory history(10);
    history.add_prompt(std::vector<TokenId>{3, 3, 4});
    history.add_output(4);
    QCOMPARE(history.seen().size(), size_t{2});
    QCOMPARE(history.output_count(4), 1u);
    history.clear();
    QVERIFY(history.seen().empty());
    history.add_prompt(std::vector<TokenId>{4});
    QCOMPARE(history.seen().size(), size_t{1});
    QCOMPARE(history.output_count(4), 0u);
  }
};

QTEST_APPLESS_MAIN(TestLogitsProcessor)
#include "tst_logits_processor.moc"
