#include <QTest>

#include <map>

#include "tests/engine/engine/engine_test_support.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

namespace {

/// Random requests, forks, cancellations, changes of focus and restarts against a small pool; every
/// token must be the one that a run alone, with a large pool and without a cache, gives.
class Schedule {
 public:
  explicit Schedule(uint32_t seed) : m_random(seed), m_alone(open_draft({.prefix_cache = false})) {
    m_bytes_per_block = m_alone.engine().stats().bytes_per_block;
    restart();
  }

  bool operate() {
    const uint32_t action = m_random() % 40;
    if (action < 8 && m_live.size() < 10) submit();
    if (action == 8) cancel();
    if (action == 9 && !m_live.empty()) {
      m_engine->set_focused(random_live().first, m_random() % 2 == 0);
    }
    if (action == 10) m_engine->set_chat_open(m_random() % 4, m_random() % 2 == 0);
    if (action == 11 && m_random() % 10 == 0) restart();
    return step();
  }

  bool drain() {
    for (int i = 0; i < 20000 && m_engine->has_work(); ++i) {
      if (!step()) return false;
    }
    return m_live.empty() && m_engine->stats().used_blocks == 0;
  }

  int num_compared() const { return m_num_compared; }
  uint64_t num_preemptions() const { return m_num_preemptions + m_engine->stats().preemptions; }
  uint64_t num_disk_tokens() const { return m_num_disk_tokens + m_engine->stats().disk_tokens; }
  uint64_t num_swapped_tokens() const {
    return m_num_swapped_tokens + m_engine->stats().swapped_tokens;
  }

 private:
  struct Live {
    size_t kind;  ///< Of m_kinds.
    size_t num_tokens = 0;
    bool is_cancelled = false;
  };

  /// A request of which several are made, with the answer to it alone.
  struct Kind {
    Request request;
    std::vector<TokenId> expected;
  };

  /// The engine of a new process: the pool is empty, the store is not.
  void restart() {
    if (m_engine) {
      m_num_preemptions += m_engine->stats().preemptions;
      m_num_disk_tokens += m_engine->stats().disk_tokens;
      m_num_swapped_tokens += m_engine->stats().swapped_tokens;
    }
    m_live.clear();
    m_store->keeps_chats = m_random() % 2 == 0;
    // From room for a single sequence (the longest is 220 + 30 tokens) to room for several.
    const int num_blocks = 16 + static_cast<int>(m_random() % 3) * 20;
    const size_t host_blocks = (m_random() % 3) * 20;
    m_llm.emplace(open_draft({.kv_bytes = num_blocks * m_bytes_per_block,
                              .host_kv_bytes = host_blocks * m_bytes_per_block,
                              .max_batch_tokens = 16 + static_cast<int>(m_random() % 60),
                              .max_sequences = 1 + static_cast<int>(m_random() % 8),
                              .prefix_store = m_store}));
    m_engine = &m_llm->engine();
  }

  size_t random_kind() {
    if (m_kinds.size() < 24 && m_random() % 3 > 0) {
      Kind kind;
      kind.request = {.prompt = random_prompt(),
                      .sampling = {.temperature = m_random() % 2 == 0 ? 0.0f : 0.9f,
                                   .seed = m_random(),
                                   .max_tokens = 1 + static_cast<int>(m_random() % 30),
                                   .ignore_eos = true},
                      .chat = static_cast<int64_t>(m_random() % 4),
                      .persona = 1 + static_cast<int64_t>(m_random() % 2),
                      .persona_tokens = static_cast<int>(m_random() % 100)};
      kind.expected = m_alone.generate({kind.request}).front().tokens;
      m_kinds.push_back(std::move(kind));
    }
    return m_kinds.empty() ? random_kind() : m_random() % m_kinds.size();
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
    request.focused = m_random() % 4 == 0;
    const auto id = m_engine->submit(std::move(request));
    if (!id) qFatal("%s", id.error().message.c_str());
    m_live[*id] = {kind};
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

  bool is_right_end(FinishReason finish, const Live& live) const {
    if (finish == FinishReason::kCancelled) return live.is_cancelled;
    const size_t expected = m_kinds[live.kind].expected.size();
    return finish == FinishReason::kLength && live.num_tokens == expected;
  }

  bool step() {
    for (const RequestEvent& event : m_engine->step()) {
      const auto live = m_live.find(event.id);
      if (live == m_live.end()) return false;
      const std::vector<TokenId>& expected = m_kinds[live->second.kind].expected;
      for (const TokenId token : event.tokens) {
        const size_t at = live->second.num_tokens++;
        if (at >= expected.size() || token != expected[at]) return false;
        ++m_num_compared;
      }
      if (event.finish && !is_right_end(*event.finish, live->second)) return false;
      if (event.finish) m_live.erase(live);
    }
    return true;
  }

  std::mt19937 m_random;
  std::shared_ptr<MemoryPrefixStore> m_store = std::make_shared<MemoryPrefixStore>(/*delay=*/2);
  Llm m_alone;
  size_t m_bytes_per_block = 0;
  std::optional<Llm> m_llm;
  Engine* m_engine = nullptr;
  std::vector<Kind> m_kinds;
  std::map<RequestId, Live> m_live;
  int m_num_compared = 0;
  uint64_t m_num_preemptions = 0;
  uint64_t m_num_disk_tokens = 0;
  uint64_t m_num_swapped_tokens = 0;
};

}  // namespace

class TestEngineProperty : public QObject {
  Q_OBJECT

 private slots:
  void randomSchedules_giveTheTokensOfARunAlone() {
    const bool is_long = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
    const auto seed = static_cast<uint32_t>(qEnvironmentVariableIsSet("QUIRE_SEED")
                                                ? qEnvironmentVariableIntValue("QUIRE_SEED")
                                                : 20261121);
    const int num_operations = is_long ? 100000 : 5000;
    qInfo("seed %u (QUIRE_SEED repeats another), %d operations", seed, num_operations);
    Schedule schedule(seed);
    for (int i = 0; i < num_operations; ++i) {
      QVERIFY2(schedule.operate(), qPrintable(QString("operation %1").arg(i)));
    }
    QVERIFY(schedule.drain());
    qInfo("%d tokens compared, %llu preemptions, %llu tokens from the store, %llu swapped in",
          schedule.num_compared(), static_cast<unsigned long long>(schedule.num_preemptions()),
          static_cast<unsigned long long>(schedule.num_disk_tokens()),
          static_cast<unsigned long long>(schedule.num_swapped_tokens()));
    QVERIFY(schedule.num_swapped_tokens() > 0);
    QVERIFY(schedule.num_compared() > num_operations / 2);
    QVERIFY(schedule.num_preemptions() > 0);
    QVERIFY(schedule.num_disk_tokens() > 0);
  }
};

QTEST_APPLESS_MAIN(TestEngineProperty)
#include "tst_engine_property.moc"
