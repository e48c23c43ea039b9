#include <QTest>

#include <chrono>
#include <map>
#include <numeric>

#include "engine/scheduler/scheduler.h"
#include "engine/speculation/speculation.h"

using namespace quire;

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

void compute_for(double milliseconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (Milliseconds(std::chrono::steady_clock::now() - begin).count() < milliseconds) {
  }
}

/// A text that never repeats itself.
TokenId token_at(size_t position) {
  return static_cast<TokenId>(position * position % 30011);
}

/// Is always right. Reading a prompt takes 200 ms and 0.4 for each token, a guess `ms_per_guess`.
class SlowDrafter final : public Drafter {
 public:
  explicit SlowDrafter(double ms_per_guess) : m_ms_per_guess(ms_per_guess) {}
  bool is_free() const override { return false; }
  void guess(std::span<DraftRequest> requests) override {
    for (DraftRequest& request : requests) {
      size_t& read = m_read[request.id];
      if (read == 0) compute_for(200.0 + 0.4 * static_cast<double>(request.tokens.size()));
      read = request.tokens.size();
      for (int i = 0; i < request.most; ++i) {
        compute_for(m_ms_per_guess);
        request.guess.push_back(token_at(read + static_cast<size_t>(i)));
      }
    }
  }
  void forget(SequenceId id) override { m_read.erase(id); }

 private:
  double m_ms_per_guess;
  std::map<SequenceId, size_t> m_read;
};

}  // namespace

/// When a draft model is asked. A step of the served model takes 20 ms, each row of a draft 0.2
/// more.
class TestModelGuesses : public QObject {
  Q_OBJECT

 private slots:
  /// What reading the prompt takes is no part of what a guess costs.
  void cheapModel_guessesBehindAnyPrompt_data() {
    QTest::addColumn<int>("num_tokens");
    QTest::newRow("short") << 12;
    QTest::newRow("long") << 2000;
  }
  void cheapModel_guessesBehindAnyPrompt() {
    QFETCH(const int, num_tokens);
    const int accepted = count_accepted(/*ms_per_guess=*/0.5, num_tokens, 60);
    QVERIFY2(accepted > 30, qPrintable(QString::number(accepted)));
  }

  void expensiveModel_isNotAsked() {
    const int accepted = count_accepted(/*ms_per_guess=*/40.0, 50, 60);
    QVERIFY2(accepted < 10, qPrintable(QString::number(accepted)));
  }

  /// A long prompt of low priority does not keep a focused chat from being guessed.
  void focusedChat_isGuessedBesideLowPriority() {
    const int accepted = count_accepted(/*ms_per_guess=*/0.5, 12, 60, /*is_beside=*/true);
    QVERIFY2(accepted > 30, qPrintable(QString::number(accepted)));
  }

 private:
  /// The drafts of one sequence in so many steps.
  static int count_accepted(double ms_per_guess, int prompt, int num_steps,
                            bool is_beside = false) {
    BlockCache cache(400);
    Scheduler scheduler(cache, {.max_batch_tokens = 4096, .max_sequences = 4, .max_logits = 64});
    std::vector<TokenId> tokens;
    for (int i = 0; i < prompt; ++i) tokens.push_back(token_at(size_t(i)));
    Sequence& sequence =
        *scheduler.add(std::make_unique<Sequence>(1, root_key("test"), std::move(tokens)));
    sequence.priority = kFocusedPriority;
    if (is_beside) {
      scheduler.add(std::make_unique<Sequence>(2, root_key("test"), std::vector<TokenId>(5000, 7)));
    }
    Speculation speculation(SpeculationMode::kAuto, std::make_shared<SlowDrafter>(ms_per_guess));
    const SamplingParams sampling;
    int accepted = 0;
    for (int step = 0; step <= num_steps; ++step) {
      speculation.propose(scheduler, [&](DraftRequest& request) {
        request.most = 7;
        request.sampling = &sampling;
        request.vocab_size = 30011;
      });
      const StepPlan plan = scheduler.schedule();
      const ScheduledRows& rows = plan.rows.front();
      for (const ScheduledRows& computed : plan.rows) scheduler.mark_computed(computed);
      std::vector<TokenId> sampled;
      for (int i = 0; i <= rows.num_drafts; ++i) {
        sampled.push_back(token_at(sequence.table.tokens().size()));
        sequence.table.append(sampled.back());
        if (i < rows.num_drafts) scheduler.accept_draft(sequence);
      }
      scheduler.drop_drafts(sequence);
      accepted += rows.num_drafts;
      if (step > 0) {
        speculation.note_step(1 + rows.num_drafts, 20.0 + 0.2 * rows.num_drafts, rows.num_drafts);
        speculation.judge(sequence.id, sampled);
      }
    }
    return accepted;
  }
};

QTEST_APPLESS_MAIN(TestModelGuesses)
#include "tst_model_guesses.moc"
