#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "engine/speculation/drafter.h"
#include "tests/engine/engine/ahead_engine.h"
#include "tests/support/draft_like.h"

using namespace quire;

namespace {

/// Knows some answers, and guesses their next tokens with a few mistakes.
class Oracle final : public Drafter {
 public:
  bool is_free() const override { return true; }
  void guess(std::span<DraftRequest> requests) override {
    for (DraftRequest& request : requests) guess_next(request);
  }
  void forget(SequenceId) override {}

  std::vector<std::vector<TokenId>> texts;  ///< Prompts and their answers.

 private:
  void guess_next(DraftRequest& request) {
    const auto& tokens = request.tokens;
    for (const std::vector<TokenId>& text : texts) {
      if (text.size() <= tokens.size() || !std::equal(tokens.begin(), tokens.end(), text.begin())) {
        continue;
      }
      const auto left = std::min<size_t>(text.size() - tokens.size(), size_t(request.most));
      const auto next = text.begin() + std::ssize(tokens);
      request.guess.assign(next, next + std::ptrdiff_t(std::min<size_t>(left, m_random() % 8)));
      if (!request.guess.empty() && m_random() % 3 == 0) {
        // Also one that is no token of the model.
        request.guess[m_random() % request.guess.size()] ^= m_random() % 2 == 0 ? 1 : 1 << 20;
      }
      request.match = static_cast<int>(m_random() % 20);
      return;
    }
  }

  std::mt19937 m_random{20261126};
};

/// Random requests, forks, cancellations, changes of priority and restarts against a small pool;
/// every token must be the one that a run alone, with a large pool and without a cache, gives, and
/// every block that the store gets must have the bytes that such a run computes. With a control, on
/// a device whose steps run ahead, and which fails now and then.
class Schedule {
 public:
  Schedule(uint32_t seed, std::shared_ptr<AheadControl> control, bool has_draft_layer = false)
      : m_random(seed),
        m_control(std::move(control)),
        m_bytes_per_block(m_alone.bytes_per_block()),
        m_bytes_per_window(m_alone.bytes_per_window()),
        m_bytes_per_state(m_alone.bytes_per_state()) {
    m_store->checks_bytes = !has_draft_layer;
    restart();
  }

  bool operate() {
    // Nothing runs ahead while someone waits: there must be times when few come.
    if (m_random() % (m_is_quiet ? 60 : 150) == 0) m_is_quiet = !m_is_quiet;
    const uint32_t action = m_random() % 40;
    if (action < (m_is_quiet ? 2u : 8u) && m_live.size() < (m_is_quiet ? 2u : 10u)) submit();
    if (action == 8) cancel();
    if (action == 9 && !m_live.empty()) {
      m_engine->set_priority(random_live().first, random_priority());
    }
    if (action == 10) m_engine->set_chat_open(m_random() % 4, m_random() % 2 == 0);
    // Deleted chats leave no texts to guess from, also while they are answered.
    if (++m_num_operations % 97 == 0) m_engine->forget_chat(m_num_operations / 97 % 4);
    if (action == 11 && m_random() % 10 == 0) restart();
    if (action == 12 && m_random() % 10 == 0 && m_control) fail_soon();
    return step() && m_store->num_wrong == 0;
  }

  bool drain() {
    for (int i = 0; i < 20000 && m_engine->has_work(); ++i) {
      if (!step()) return false;
    }
    return m_live.empty() && m_engine->stats().used_blocks == 0 && m_store->num_wrong == 0;
  }

  int num_compared() const { return m_num_compared; }
  int num_saved_blocks() const { return m_store->num_saved; }
  int num_failed() const { return m_num_failed; }
  uint64_t num_preemptions() const { return m_num_preemptions + m_engine->stats().preemptions; }
  uint64_t num_disk_tokens() const { return m_num_disk_tokens + m_engine->stats().disk_tokens; }
  uint64_t num_drafted() const { return m_num_drafted + m_engine->stats().drafted_tokens; }
  uint64_t num_accepted() const { return m_num_accepted + m_engine->stats().accepted_tokens; }
  uint64_t num_swapped_tokens() const {
    return m_num_swapped_tokens + m_engine->stats().swapped_tokens;
  }

 private:
  struct Live {
    size_t kind;  ///< Of m_kinds.
    size_t num_tokens = 0;
    std::string text = {};
    bool is_cancelled = false;
  };

  /// A request of which several are made, with the answer to it alone.
  struct Kind {
    Request request;
    std::vector<TokenId> expected;
    FinishReason finish = FinishReason::kLength;
    std::string text;
  };

  /// The engine of a new process: the pool is empty, the store mostly is not.
  void restart() {
    if (m_engine) {
      m_num_preemptions += m_engine->stats().preemptions;
      m_num_disk_tokens += m_engine->stats().disk_tokens;
      m_num_swapped_tokens += m_engine->stats().swapped_tokens;
      m_num_drafted += m_engine->stats().drafted_tokens;
      m_num_accepted += m_engine->stats().accepted_tokens;
    }
    m_live.clear();
    if (m_control) m_control->fault.reset();
    m_store->keeps_chats = m_random() % 2 == 0;
    if (m_random() % 3 == 0) m_store->blocks().clear();
    // From room for a single sequence (the longest is 220 + 30 tokens) to room for several.
    const int num_blocks = 16 + static_cast<int>(m_random() % 3) * 20;
    const size_t host_blocks = (m_random() % 3) * 20;
    // States take a quarter of the budget, but at least three of them: one sequence's.
    // With one more window part: slot 0.
    const size_t part_bytes = m_bytes_per_block + m_bytes_per_window;
    const size_t block_bytes = num_blocks * part_bytes + m_bytes_per_window;
    size_t budget = block_bytes;
    if (m_bytes_per_state > 0) {
      const size_t num_states = 3 + m_random() % 3 * 4;
      budget = std::max(block_bytes + 3 * m_bytes_per_state, 4 * num_states * m_bytes_per_state);
    }
    m_served.emplace(EngineOptions{.kv_bytes = budget,
                                   .host_kv_bytes = host_blocks * part_bytes,
                                   .max_batch_tokens = 16 + static_cast<int>(m_random() % 60),
                                   .max_sequences = 1 + static_cast<int>(m_random() % 8),
                                   .speculation = static_cast<SpeculationMode>(m_random() % 3),
                                   // Every third engine guesses from its personas' texts.
                                   .drafter = m_num_restarts++ % 3 == 1 ? nullptr : m_oracle,
                                   .prefix_store = m_store},
                     m_control);
    m_engine = m_served->engine.get();
  }

  /// In this step or one of the next.
  void fail_soon() {
    m_control->fault = {.operations_left = static_cast<int>(m_random() % 300),
                        .at_submission = m_random() % 2 == 0,
                        .code = m_random() % 2 == 0 ? ErrorCode::kDevice : ErrorCode::kOutOfMemory};
  }

  size_t random_kind() {
    if (m_kinds.size() < 24 && m_random() % 3 > 0) {
      Kind kind;
      kind.request = {.prompt = random_prompt(),
                      .sampling = {.temperature = m_random() % 2 == 0 ? 0.0f : 0.9f,
                                   .repetition_penalty = m_random() % 12 == 0 ? 1.3f : 1.0f,
                                   .seed = m_random(),
                                   .max_tokens = 1 + static_cast<int>(m_random() % 30),
                                   .num_logprobs = m_random() % 12 == 0 ? 0 : -1,
                                   .ignore_eos = m_random() % 4 > 0},
                      .chat = static_cast<int64_t>(m_random() % 4),
                      .persona = 1 + static_cast<int64_t>(m_random() % 2),
                      .persona_tokens = static_cast<int>(m_random() % 100)};
      if (m_random() % 4 == 0) {
        SamplingParams& sampling = kind.request.sampling;
        sampling.min_tokens =
            static_cast<int>(m_random() % static_cast<uint32_t>(sampling.max_tokens));
        sampling.stop_token_ids = {300, 301, 302, 303};
      }
      answer_alone(kind);
      if (m_random() % 4 == 0 && add_stop(kind)) answer_alone(kind);
      m_oracle->texts.push_back(joined(kind.request.prompt, kind.expected));
      m_kinds.push_back(std::move(kind));
    }
    return m_kinds.empty() ? random_kind() : m_random() % m_kinds.size();
  }

  void answer_alone(Kind& kind) {
    Completion alone = m_alone.run(kind.request);
    kind.expected = std::move(alone.tokens);
    kind.finish = alone.finish;
    kind.text = std::move(alone.text);
  }

  /// Some of what it says becomes what it must not say.
  bool add_stop(Kind& kind) {
    const std::string stop = kind.text.substr(kind.text.size() / 2, 3);
    const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };
    if (stop.empty() || !std::ranges::all_of(stop, is_plain)) return false;
    kind.request.sampling.stop = {stop};
    return true;
  }

  /// One of two personas, or what some answer began with, then something new.
  std::vector<TokenId> random_prompt() {
    std::vector<TokenId> prompt = random_tokens(100, 1 + m_random() % 2);
    if (!m_kinds.empty() && m_random() % 2 == 0) {
      const Kind& base = m_kinds[m_random() % m_kinds.size()];
      prompt = joined(base.request.prompt, base.expected);
      prompt.resize(1 + m_random() % prompt.size());
    }
    prompt =
        joined(std::move(prompt), random_tokens(1 + static_cast<int>(m_random() % 30), m_random()));
    prompt.resize(std::min<size_t>(prompt.size(), 220));
    return prompt;
  }

  void submit() {
    const size_t kind = random_kind();
    Request request = m_kinds[kind].request;
    request.priority = random_priority();
    const auto id = m_engine->submit(std::move(request));
    if (!id) qFatal("%s", id.error().message.c_str());
    m_live[*id] = {kind};
  }

  int random_priority() {
    const uint32_t which = m_random() % 8;
    if (which < 2) return kFocusedPriority;
    return which < 5 ? kChatPriority : static_cast<int>(m_random() % 3);
  }

  void cancel() {
    if (m_live.empty()) return;
    auto& [id, live] = random_live();
    live.is_cancelled = true;
    m_engine->cancel(id);
  }

  std::pair<const RequestId, Live>& random_live() {
    return *std::next(m_live.begin(), m_random() % m_live.size());
  }

  bool is_right_end(FinishReason finish, const Live& live) {
    if (finish == FinishReason::kCancelled) return live.is_cancelled;
    if (finish == FinishReason::kFailed) return ++m_num_failed > 0 && m_control;
    const Kind& kind = m_kinds[live.kind];
    return finish == kind.finish && live.num_tokens == kind.expected.size() &&
           live.text == kind.text;
  }

  bool step() {
    bool has_failed = false;
    for (const RequestEvent& event : m_engine->step()) {
      const auto live = m_live.find(event.id);
      if (live == m_live.end() || !is_right(event, live->second)) return false;
      has_failed = has_failed || event.finish == FinishReason::kFailed;
      if (event.finish) m_live.erase(live);
    }
    has_failed = has_failed || m_engine->device_failure();
    if (has_failed &&
        m_control->num_failures == std::exchange(m_num_met, m_control->num_failures)) {
      return false;  // A failure is met with once.
    }
    if (m_engine->device_failure()) {
      m_control->fault.reset();
      m_served->reopen();
    }
    return true;
  }

  bool is_right(const RequestEvent& event, Live& live) {
    const Kind& kind = m_kinds[live.kind];
    for (const TokenId token : event.tokens) {
      const size_t at = live.num_tokens++;
      if (at >= kind.expected.size() || token != kind.expected[at]) return false;
      ++m_num_compared;
    }
    live.text += event.text;
    return !event.finish || is_right_end(*event.finish, live);
  }

  std::mt19937 m_random;
  std::shared_ptr<AheadControl> m_control;
  RunAlone m_alone;
  std::shared_ptr<CheckedPrefixStore> m_store =
      std::make_shared<CheckedPrefixStore>(m_alone, /*delay=*/2);
  size_t m_bytes_per_block = 0;
  size_t m_bytes_per_window = 0;
  size_t m_bytes_per_state = 0;
  std::shared_ptr<Oracle> m_oracle = std::make_shared<Oracle>();
  std::optional<AheadEngine> m_served;
  Engine* m_engine = nullptr;
  std::vector<Kind> m_kinds;
  std::map<RequestId, Live> m_live;
  bool m_is_quiet = false;
  int m_num_operations = 0;
  int m_num_restarts = 0;
  int m_num_met = 0;  ///< Of the device's failures, those that the engine has told of.
  int m_num_compared = 0;
  int m_num_failed = 0;
  uint64_t m_num_preemptions = 0;
  uint64_t m_num_disk_tokens = 0;
  uint64_t m_num_swapped_tokens = 0;
  uint64_t m_num_drafted = 0;
  uint64_t m_num_accepted = 0;
};

}  // namespace

class TestEngineProperty : public QObject {
  Q_OBJECT

 private slots:
  void randomSchedules_giveTheTokensOfARunAlone_data() {
    QTest::addColumn<bool>("runs_ahead");
    QTest::addColumn<QString>("layers");  // Of a folder of tests/data/models; else the draft's.
    QTest::newRow("the CPU") << false << "";
    QTest::newRow("a device whose steps run ahead") << true << "";
    for (const char* layers :
         {"lfm2", "qwen3_5", "granite_hybrid", "nemotron_h_moe", "falcon_h1", "gemma3", "exaone4",
          "mistral_window", "gemma4", "gemma3n", "llama4", "lfm3"}) {
      QTest::addRow("%s", layers) << false << layers;
      QTest::addRow("%s, ahead", layers) << true << layers;
    }
    for (const char* layers : {"glm4_moe", "deepseek_v3", "qwen3_5"}) {
      QTest::addRow("%s with a draft layer", layers) << false << QString(layers) + "+";
      QTest::addRow("%s with a draft layer, ahead", layers) << true << QString(layers) + "+";
    }
  }
  void randomSchedules_giveTheTokensOfARunAlone() {
    QFETCH(bool, runs_ahead);
    QFETCH(QString, layers);
    const QTemporaryDir folder;
    const std::string model = folder.filePath("model").toStdString();
    const bool has_draft_layer = layers.endsWith('+');
    if (has_draft_layer) layers.chop(1);
    if (!layers.isEmpty()) {
      const int window = layers == "gemma3" ? 40 : 0;
      const int like = has_draft_layer ? (layers == "qwen3_5" ? 1 : 2) : -1;
      write_draft_like(layers.toStdString(), model + "-draft",
                       {.window = window, .mtp_like = like});
      qputenv("QUIRE_TEST_MODEL", model.c_str());
    }
    const auto restore = qScopeGuard([] { qunsetenv("QUIRE_TEST_MODEL"); });
    const bool is_long = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
    const auto seed = static_cast<uint32_t>(qEnvironmentVariableIsSet("QUIRE_SEED")
                                                ? qEnvironmentVariableIntValue("QUIRE_SEED")
                                                : 20261121);
    const int num_operations = is_long ? 100000 : 5000;
    qInfo("seed %u (QUIRE_SEED repeats another), %d operations", seed, num_operations);
    const auto control = std::make_shared<AheadControl>();
    {
      Schedule schedule(seed, runs_ahead ? control : nullptr, has_draft_layer);
      // Large states leave few slots, whose snapshots go before the blocks come back.
      // Blocks without bytes, of a model whose layers all have windows, need no other place.
      const bool swaps = layers.isEmpty() || layers == "lfm2" || layers == "gemma3" ||
                         layers == "exaone4" || layers == "gemma4" || layers == "gemma3n" ||
                         layers == "llama4";
      run(schedule, num_operations, swaps);
      if (QTest::currentTestFailed()) return;
    }
    QCOMPARE(control->num_violations, 0);
    if (!runs_ahead) return;
    qInfo("%d steps ran ahead, %d came again, %d failures of the device", control->num_ahead,
          control->num_replayed, control->num_failures);
    QCOMPARE(control->max_open_marks, 2);
    QVERIFY(control->num_ahead > num_operations / 20);
    QVERIFY(control->num_failures > 0);
  }

 private:
  static void run(Schedule& schedule, int num_operations, bool swaps) {
    for (int i = 0; i < num_operations; ++i) {
      QVERIFY2(schedule.operate(), qPrintable(QString("operation %1").arg(i)));
    }
    QVERIFY(schedule.drain());
    qInfo("%d tokens compared, %llu preemptions, %llu tokens from the store, %llu swapped in",
          schedule.num_compared(), static_cast<unsigned long long>(schedule.num_preemptions()),
          static_cast<unsigned long long>(schedule.num_disk_tokens()),
          static_cast<unsigned long long>(schedule.num_swapped_tokens()));
    qInfo("%d blocks given to the store, %d requests failed with the device",
          schedule.num_saved_blocks(), schedule.num_failed());
    qInfo("%llu drafts, %llu accepted", static_cast<unsigned long long>(schedule.num_drafted()),
          static_cast<unsigned long long>(schedule.num_accepted()));
    QVERIFY(schedule.num_accepted() > 0);
    // Recurrent layers leave few slots for drafts where steps run ahead.
    if (schedule.num_drafted() > 100) QVERIFY(schedule.num_drafted() > schedule.num_accepted());
    QVERIFY(schedule.num_saved_blocks() > 0);
    if (swaps) QVERIFY(schedule.num_swapped_tokens() > 0);
    QVERIFY(schedule.num_compared() > num_operations / 2);
    QVERIFY(schedule.num_preemptions() > 0);
    QVERIFY(schedule.num_disk_tokens() > 0);
  }
};

QTEST_APPLESS_MAIN(TestEngineProperty)
#include "tst_engine_property.moc"
