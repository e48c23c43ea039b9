#include <QTest>

#include "engine/cache/block_table.h"
#include "tests/engine/engine/persona_chat.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

class TestEngineCache : public QObject {
  Q_OBJECT

 private slots:
  void sixteenChats_holdThePersonaOnce() {
    Llm llm = open_draft();
    std::vector<Request> requests;
    for (int i = 0; i < 16; ++i) {
      requests.push_back(chat_request(i + 1, random_tokens(180 + 5 * i, 100 + i), 60));
    }
    EngineStats most;
    double waste = 0.0;
    int full_steps = 0;
    llm.generate(requests, [&](size_t, const RequestEvent&) {
      const EngineStats stats = llm.engine().stats();
      if (stats.running == 16 && stats.batch_tokens == 16) {
        if (stats.used_blocks >= most.used_blocks) most = stats;
        waste += stats.kv_waste;
        ++full_steps;
      }
      return true;
    });
    QVERIFY(full_steps > 0);
    waste /= full_steps;
    const int persona_blocks = kPersonaTokens / kBlockSize;
    int own_blocks = 0, alone_blocks = 0;
    for (const Request& r : requests) {
      const int tokens = static_cast<int>(r.prompt.size()) + r.sampling.max_tokens;
      own_blocks += blocks_for(tokens) - persona_blocks;
      alone_blocks += blocks_for(tokens);
    }
    qInfo(
        "16 chats over %d tokens: %d blocks of %zu bytes, %d shared; 16 copies would hold %d; "
        "waste %.2f %% on average",
        kPersonaTokens, most.used_blocks, most.bytes_per_block, most.shared_blocks, alone_blocks,
        100 * waste);
    QCOMPARE(most.shared_blocks, persona_blocks);
    QVERIFY(most.used_blocks <= persona_blocks + own_blocks);
    QVERIFY(most.used_blocks >= persona_blocks + own_blocks - 16);
    QVERIFY(waste < 0.04);
  }

  void restart_readsThePersonaBack() {
    auto store = std::make_shared<MemoryPrefixStore>(/*delay=*/3);
    const Request first = chat_request(1, random_tokens(20, 5));
    const Request second = chat_request(2, random_tokens(30, 6));
    Completion cold, warm;
    {
      Llm llm = open_draft({.prefix_store = store});
      cold = answer(llm, first);
      QCOMPARE(cold.usage.disk_tokens, 0);
      warm = answer(llm, second);
      while (llm.engine().has_work()) llm.engine().step();
    }
    const int saved = kPersonaTokens / kBlockSize;
    QCOMPARE(store->blocks().size(), static_cast<size_t>(saved));
    QCOMPARE(store->owners.at(77).size(), static_cast<size_t>(saved));
    QCOMPARE(store->touched.at(77), saved);

    Llm restarted = open_draft({.prefix_store = store});
    const std::vector<Completion> both = restarted.generate({first, second});
    QVERIFY(same_answer(both[0], cold));
    QVERIFY(same_answer(both[1], warm));
    QCOMPARE(store->num_fetches, 1);
    for (const Completion& c : both) {
      QCOMPARE(c.usage.disk_tokens, saved * kBlockSize);
      QVERIFY(c.usage.cached_tokens >= saved * kBlockSize);
      QVERIFY(c.usage.computed_tokens < 60);
    }
    QCOMPARE(restarted.engine().stats().disk_tokens, uint64_t{2} * saved * kBlockSize);
  }

  void damagedStoredBlocks_areComputedAgain_data() {
    QTest::addColumn<int>("damage");
    QTest::newRow("too short") << 0;
    QTest::newRow("other tokens") << 1;
    QTest::newRow("another parent") << 2;
  }
  void damagedStoredBlocks_areComputedAgain() {
    QFETCH(int, damage);
    auto store = std::make_shared<MemoryPrefixStore>();
    const Request request = chat_request(1, random_tokens(20, 5));
    Completion cold;
    BlockKey tenth;
    {
      Llm llm = open_draft({.prefix_store = store});
      cold = answer(llm, request);
      while (llm.engine().has_work()) llm.engine().step();
      tenth = store->owners.at(77).at(10);
    }
    StoredBlock& block = store->blocks().at(tenth);
    if (damage == 0) block.payload.resize(5);
    if (damage == 1) ++block.tokens[3];
    if (damage == 2) block.parent.digest[0] ^= 1;
    Llm llm = open_draft({.prefix_store = store});
    const Completion again = answer(llm, request);
    QVERIFY(same_answer(again, cold));
    QCOMPARE(again.usage.disk_tokens, 10 * kBlockSize);
    while (llm.engine().has_work()) llm.engine().step();
    QCOMPARE(store->blocks().at(tenth).payload.size(), llm.engine().stats().bytes_per_block);
  }

  void chats_areKeptWhereTheStoreWantsThem() {
    auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    Request turn = chat_request(5, random_tokens(50, 5), 30);
    Completion first;
    {
      Llm llm = open_draft({.prefix_store = store});
      first = answer(llm, turn);
      while (llm.engine().has_work()) llm.engine().step();
    }
    turn.prompt = joined(joined(turn.prompt, first.tokens), random_tokens(10, 6));
    Llm llm = open_draft({.prefix_store = store});
    const Completion next = answer(llm, turn);
    const int computed_before = kPersonaTokens + 50 + 30 - 1;
    QCOMPARE(next.usage.disk_tokens, computed_before / kBlockSize * kBlockSize);
    QVERIFY(store->owners.at(5).size() > 0);
  }

  void regenerateForkAndReturn_computeWhatIsNew() {
    Llm llm = open_draft();
    const Request first = chat_request(1, random_tokens(37, 5), 30);
    const Completion answered = answer(llm, first);
    const auto computed_prompt = [](const Completion& c) {
      return c.usage.prompt_tokens - c.usage.cached_tokens;
    };
    Request regenerated = first;
    regenerated.sampling.temperature = 1.0f;
    QCOMPARE(computed_prompt(answer(llm, regenerated)), 1);
    // A fork in the middle of the answer, with three words of its own.
    Request fork = first;
    fork.chat = 2;
    fork.prompt = joined(first.prompt, answered.tokens);
    fork.prompt.resize(first.prompt.size() + 17);
    fork.prompt = joined(fork.prompt, {11, 12, 13});
    QCOMPARE(computed_prompt(answer(llm, fork)), 3);
    // An edit of the last message, then the return to the earlier version.
    Request edit = first;
    edit.prompt[kPersonaTokens + 20] += 1;
    QCOMPARE(computed_prompt(answer(llm, edit)), 17);
    Request back = first;
    back.prompt = joined(joined(first.prompt, answered.tokens), {21, 22});
    QCOMPARE(computed_prompt(answer(llm, back)), 3);  // The answer's last token was never computed.
  }

  void usage_saysWhyThePrefixEnded() {
    using Reason = PrefixMiss::Reason;
    Llm llm = open_draft();
    Request turn = chat_request(1, random_tokens(50, 5), 20);
    const Completion first = answer(llm, turn);
    QCOMPARE(first.usage.miss.reason, Reason::kNew);
    QCOMPARE(first.usage.miss.position, 0);
    turn.prompt = joined(joined(turn.prompt, first.tokens), random_tokens(40, 6));
    QCOMPARE(answer(llm, turn).usage.miss.reason, Reason::kNone);

    turn.prompt[kPersonaTokens + 7] += 1;
    turn.message_starts = {0, kPersonaTokens - 400, kPersonaTokens, kPersonaTokens + 60};
    const PrefixMiss changed = answer(llm, turn).usage.miss;
    QCOMPARE(changed.reason, Reason::kChanged);
    QCOMPARE(changed.position, kPersonaTokens + 7);
    QCOMPARE(changed.message, 2);
  }

  void usage_saysThatOthersTookTheBlocks() {
    Llm sized = open_draft();
    const size_t block = sized.engine().stats().bytes_per_block;
    Llm llm = open_draft({.kv_bytes = 100 * block});
    const Request first = chat_request(1, random_tokens(100, 5));
    answer(llm, first);
    answer(llm, {.prompt = random_tokens(1500, 9),
                 .sampling = {.temperature = 0.0f, .max_tokens = 4},
                 .chat = 2});
    const PrefixMiss miss = answer(llm, first).usage.miss;
    QCOMPARE(miss.reason, PrefixMiss::Reason::kEvicted);
    QVERIFY(miss.position < kPersonaTokens + 100);
  }

  void blockMap_saysWhoHoldsAndWhoHeldEachBlock() {
    auto store = std::make_shared<MemoryPrefixStore>();
    Llm llm = open_draft({.prefix_store = store});
    std::vector<Request> requests;
    for (int chat : {4, 9, 9}) requests.push_back(chat_request(chat, {chat, 8, chat}, 40));
    int most_chats = 0;
    llm.generate(requests, [&](size_t, const RequestEvent&) {
      for (const BlockState& state : llm.engine().block_map()) {
        most_chats = std::max(most_chats, state.num_chats);
        if (state.num_chats > state.ref_count) most_chats = 100;
      }
      return true;
    });
    QCOMPARE(most_chats, 2);  // One of them asked twice.
    while (llm.engine().has_work()) llm.engine().step();
    int on_disk = 0, kept = 0;
    for (const BlockState& state : llm.engine().block_map()) {
      on_disk += state.is_on_disk;
      kept += state.num_tokens > 0;
      QCOMPARE(state.num_chats, 0);
      if (state.num_tokens > 0) QVERIFY(state.chat == 4 || state.chat == 9);
    }
    QCOMPARE(on_disk, kPersonaTokens / kBlockSize);
    QVERIFY(kept > on_disk);
    QVERIFY(llm.engine().block_text(0).has_value());
    QVERIFY(!llm.engine().block_text(-1));
    QVERIFY(!llm.engine().block_text(1 << 30));
  }

  void blockMap_showsWhatTheStatsCount() {
    Llm llm = open_draft();
    std::vector<Request> requests;
    for (int i = 0; i < 4; ++i) requests.push_back(chat_request(i, random_tokens(40, 10 + i), 20));
    bool is_checked = false;
    llm.generate(requests, [&](size_t, const RequestEvent& event) {
      if (event.usage.output_tokens != 5) return true;
      const EngineStats stats = llm.engine().stats();
      int used = 0, shared = 0, cached = 0;
      for (const BlockState& state : llm.engine().block_map()) {
        used += state.ref_count > 0;
        shared += state.ref_count > 1;
        cached += state.ref_count == 0 && state.num_tokens > 0;
      }
      is_checked = used == stats.used_blocks && shared == stats.shared_blocks &&
                   cached == stats.cached_blocks && shared > 0;
      return true;
    });
    QVERIFY(is_checked);
    const auto persona = random_tokens(kPersonaTokens, 1);
    QCOMPARE(llm.engine().set_pinned(persona, true), kPersonaTokens / kBlockSize * kBlockSize);
    const auto map = llm.engine().block_map();
    QCOMPARE(std::ranges::count(map, BlockWorth::kPinned, &BlockState::worth),
             std::ptrdiff_t{kPersonaTokens / kBlockSize});
    QCOMPARE(llm.engine().set_pinned(persona, false), kPersonaTokens / kBlockSize * kBlockSize);
  }
};

QTEST_APPLESS_MAIN(TestEngineCache)
#include "tst_engine_cache.moc"
