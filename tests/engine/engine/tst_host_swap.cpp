// Keys and values that leave the pool under pressure come back from host memory: forced on the CPU,
// where it is off otherwise.

#include <QTest>

#include <algorithm>

#include "tests/engine/engine/engine_test_support.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

namespace {

constexpr int kPoolBlocks =
    45;  // Of the 6 chats, which take 14 each at the end of a turn, then 23.
constexpr int kChats = 6;
constexpr int kPromptTokens = 100;
constexpr int kAnswerTokens = 120;

Request chat_request(int chat, std::vector<TokenId> prompt) {
  return {.prompt = std::move(prompt),
          .sampling = {.temperature = 0.0f,
                       .max_tokens = kAnswerTokens,
                       .num_logprobs = 3,
                       .ignore_eos = true},
          .chat = chat + 1};
}

std::vector<Request> first_turns() {
  std::vector<Request> requests;
  for (int i = 0; i < kChats; ++i) {
    requests.push_back(chat_request(i, random_tokens(kPromptTokens, 100 + i)));
  }
  return requests;
}

/// What each chat says after its first answer.
std::vector<Request> next_turns(const std::vector<Completion>& answers) {
  std::vector<Request> requests;
  for (int i = 0; i < kChats; ++i) {
    const auto said = joined(random_tokens(kPromptTokens, 100 + i), answers[i].tokens);
    requests.push_back(chat_request(i, joined(said, random_tokens(20, 200 + i))));
  }
  return requests;
}

bool same_answers(const std::vector<Completion>& a, const std::vector<Completion>& b) {
  const auto same_bits = [](const TokenLogprob& x, const TokenLogprob& y) {
    return x.id == y.id && x.logprob == y.logprob;
  };
  for (size_t i = 0; i < a.size(); ++i) {
    const bool is_same = std::ranges::equal(
        a[i].logprobs, b[i].logprobs,
        [&](const auto& x, const auto& y) { return std::ranges::equal(x, y, same_bits); });
    if (!is_same || a[i].tokens.size() != kAnswerTokens || a[i].tokens != b[i].tokens) return false;
  }
  return a.size() == b.size();
}

size_t block_bytes() {
  return open_draft().engine().stats().bytes_per_block;
}

/// Both turns of all chats, and what they cost.
/// Without guesses, whose number depends on what steps are measured to take.
struct Talk {
  explicit Talk(EngineOptions options)
      : llm(open_draft(plain(std::move(options)))),
        first(llm.generate(first_turns())),
        next(llm.generate(next_turns(first))),
        stats(llm.engine().stats()) {}

  static EngineOptions plain(EngineOptions options) {
    options.speculation = SpeculationMode::kOff;
    return options;
  }
  uint64_t swapped_tokens() const {
    uint64_t sum = 0;
    for (const Completion& answer : first) sum += answer.usage.swapped_tokens;
    for (const Completion& answer : next) sum += answer.usage.swapped_tokens;
    return sum;
  }

  Llm llm;
  std::vector<Completion> first, next;
  EngineStats stats;
};

}  // namespace

class TestHostSwap : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_roomy.emplace(EngineOptions{.kv_bytes = 300 * block_bytes()}); }

  void smallPool_computesNothingTwice() {
    const size_t block = block_bytes();
    const Talk without({.kv_bytes = kPoolBlocks * block});
    const Talk with({.kv_bytes = kPoolBlocks * block, .host_kv_bytes = 300 * block});
    qInfo(
        "rows computed: %llu with room for all, %llu in a small pool, %llu with host memory "
        "(%llu swapped in, %llu preemptions, %d blocks there)",
        static_cast<unsigned long long>(m_roomy->stats.computed_tokens),
        static_cast<unsigned long long>(without.stats.computed_tokens),
        static_cast<unsigned long long>(with.stats.computed_tokens),
        static_cast<unsigned long long>(with.stats.swapped_tokens),
        static_cast<unsigned long long>(with.stats.preemptions), with.stats.host_blocks);
    QVERIFY(same_answers(with.first, m_roomy->first) && same_answers(with.next, m_roomy->next));
    QVERIFY(same_answers(without.first, m_roomy->first) &&
            same_answers(without.next, m_roomy->next));
    QCOMPARE(without.stats.swapped_tokens, uint64_t{0});
    QCOMPARE(without.stats.host_blocks, 0);
    QVERIFY(with.stats.preemptions > 0);
    QCOMPARE(with.stats.swapped_tokens, with.swapped_tokens());
    QVERIFY(with.stats.computed_tokens < without.stats.computed_tokens);
    // What is computed again is the last, partial block of a sequence that was preempted or whose
    // chat goes on.
    const uint64_t tails = (with.stats.preemptions + kChats) * kBlockSize;
    QVERIFY(with.stats.computed_tokens <= m_roomy->stats.computed_tokens + tails);
  }

  void budget_isKept_data() {
    QTest::addColumn<int>("host_blocks");
    QTest::newRow("a block") << 1;
    QTest::newRow("less than a chat") << 7;
    QTest::newRow("some chats") << 40;
  }
  void budget_isKept() {
    QFETCH(int, host_blocks);
    const size_t block = block_bytes();
    // Not quite another block.
    const uint64_t budget = host_blocks * block + block - 1;
    const Talk talk({.kv_bytes = kPoolBlocks * block, .host_kv_bytes = budget});
    QCOMPARE(talk.stats.host_blocks, host_blocks);
    QVERIFY(same_answers(talk.first, m_roomy->first) && same_answers(talk.next, m_roomy->next));
  }

  void cpu_hasNoneByDefault() {
    const Talk talk({.kv_bytes = kPoolBlocks * block_bytes()});
    QCOMPARE(talk.stats.host_blocks, 0);
    QCOMPARE(talk.stats.swapped_tokens, uint64_t{0});
  }

  void cacheOff_keepsNothing() {
    const size_t block = block_bytes();
    const Talk talk(
        {.kv_bytes = kPoolBlocks * block, .host_kv_bytes = 100 * block, .prefix_cache = false});
    QCOMPARE(talk.stats.host_blocks, 0);
  }

  void usage_countsWhatCameBackOfThePrompt() {
    const size_t block = block_bytes();
    Llm llm = open_draft({.kv_bytes = kPoolBlocks * block, .host_kv_bytes = 300 * block});
    const Request first = chat_request(0, random_tokens(kPromptTokens, 1));
    QCOMPARE(llm.generate({first}).front().usage.swapped_tokens, 0);
    llm.generate({chat_request(1, random_tokens(kPoolBlocks * kBlockSize - 60, 2))});
    const RequestUsage usage = llm.generate({first}).front().usage;
    QVERIFY(usage.swapped_tokens > kPromptTokens / 2);
    QCOMPARE(usage.cached_tokens, (kPromptTokens - 1) / kBlockSize * kBlockSize);
    QCOMPARE(usage.disk_tokens, 0);
    QVERIFY(usage.miss.reason == PrefixMiss::Reason::kNone);
  }

  void store_isAskedOnlyForWhatHostMemoryLacks() {
    const size_t block = block_bytes();
    auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    const Request first = chat_request(0, random_tokens(kPromptTokens, 1));
    {
      Llm llm = open_draft({.prefix_store = store});
      llm.generate({first});
      while (llm.engine().has_work()) llm.engine().step();
    }
    QVERIFY(store->blocks().size() >= kPromptTokens / kBlockSize);
    // Host memory keeps the beginning of the first chat; the rest is on disk alone.
    Llm llm = open_draft(
        {.kv_bytes = kPoolBlocks * block, .host_kv_bytes = 60 * block, .prefix_store = store});
    const Completion expected = llm.generate({first}).front();
    const int fetches = store->num_fetches;
    QVERIFY(expected.usage.disk_tokens > 0);
    llm.generate({chat_request(1, random_tokens(kPoolBlocks * kBlockSize - 60, 2))});
    while (llm.engine().has_work()) llm.engine().step();
    const Completion again = llm.generate({first}).front();
    QCOMPARE(again.tokens, expected.tokens);
    QCOMPARE(again.usage.disk_tokens, 0);
    QVERIFY(again.usage.swapped_tokens > 0);
    QCOMPARE(store->num_fetches, fetches);
  }

 private:
  std::optional<Talk> m_roomy;  ///< With room for everything.
};

QTEST_APPLESS_MAIN(TestHostSwap)
#include "tst_host_swap.moc"
