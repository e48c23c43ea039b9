#include <QTest>

#include <numeric>

#include "engine/scheduler/prefix_transfer.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

namespace {

const CacheLayout kLayout = CacheLayout::uniform(2, {.num_kv_heads = 1, .head_dim = 16});

std::vector<int32_t> tokens(int count, int first = 0) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// A pool whose blocks hold bytes made of their tokens, as if a model had computed them.
struct Pool {
  Pool(std::shared_ptr<PrefixStore> store, int num_blocks, const PrefixTransferLimits& limits = {},
       int host_blocks = 0)
      : backend(std::move(*create_backend({.device = "cpu", .num_threads = 1}))),
        kv(std::move(*CacheStorage::allocate(*backend, kLayout, {num_blocks}))),
        host(*backend, kLayout.bytes_per_block(), host_blocks * kLayout.bytes_per_block()),
        cache(num_blocks, true, &host),
        scheduler(cache, {.max_batch_tokens = 4096, .max_sequences = 8}),
        transfer(std::move(store), cache, kv, limits) {}

  Sequence* add(std::vector<int32_t> prompt) {
    Sequence* added =
        scheduler.add(std::make_unique<Sequence>(++last_id, root_key("test"), std::move(prompt)));
    transfer.request(*added);
    return added;
  }

  static std::vector<std::byte> content(std::span<const int32_t> block_tokens) {
    std::vector<std::byte> bytes(kLayout.bytes_per_block());
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(block_tokens[i % kBlockSize] * 7 + static_cast<int>(i));
    }
    return bytes;
  }

  void compute() {
    const StepPlan plan = scheduler.schedule();
    QVERIFY(transfer.make(plan.copies));
    for (const ScheduledRows& rows : plan.rows) {
      const BlockTable& table = rows.sequence->table;
      for (int i = rows.begin / kBlockSize; i < (rows.begin + rows.count) / kBlockSize; ++i) {
        QVERIFY(kv.write_block(table.blocks()[i], content(table.block_tokens(i))));
      }
    }
    for (const ScheduledRows& rows : plan.rows) scheduler.mark_computed(rows);
  }

  /// How many leading blocks of the sequence's table hold what they should.
  int num_right(const Sequence& sequence) {
    const BlockTable& table = sequence.table;
    std::vector<std::byte> bytes(kLayout.bytes_per_block());
    int count = 0;
    for (; count < table.num_computed() / kBlockSize; ++count) {
      const auto read = kv.read_block(table.blocks()[count], bytes);
      if (!read || bytes != content(table.block_tokens(count))) break;
    }
    return count;
  }

  std::unique_ptr<Backend> backend;
  CacheStorage kv;
  HostBlockStore host;
  BlockCache cache;
  Scheduler scheduler;
  PrefixTransfer transfer;
  SequenceId last_id = 0;
};

/// A store that has the first `count` tokens' blocks of tokens(count).
std::shared_ptr<MemoryPrefixStore> filled_store(int count, int delay = 0) {
  auto store = std::make_shared<MemoryPrefixStore>(delay);
  Pool pool(store, blocks_for(count) + 1);
  const Sequence* sequence = pool.add(tokens(count + 1));
  pool.compute();
  pool.transfer.keep(sequence->table, count / kBlockSize, {PrefixOwner::Kind::kPersona, 5});
  while (pool.transfer.is_sending()) {
    if (!pool.transfer.send()) qFatal("the device failed");
  }
  return store;
}

}  // namespace

class TestPrefixTransfer : public QObject {
  Q_OBJECT

 private slots:
  void receive_bringsBackWhatWasKept_data() {
    QTest::addColumn<int>("blocks_at_once");
    QTest::addColumn<int>("num_fetches");
    QTest::newRow("all at once") << 100 << 1;
    QTest::newRow("in portions") << 3 << 4;
    QTest::newRow("one by one") << 1 << 10;
  }
  void receive_bringsBackWhatWasKept() {
    QFETCH(int, blocks_at_once);
    QFETCH(int, num_fetches);
    const auto store = filled_store(160);
    QCOMPARE(store->blocks().size(), size_t{10});
    Pool pool(store, 20, {.max_fetched_bytes = blocks_at_once * kLayout.bytes_per_block()});
    Sequence* sequence = pool.add(tokens(170));
    for (int i = 0; i < num_fetches; ++i) {
      QVERIFY(sequence->awaits_store);
      QVERIFY(pool.transfer.receive(pool.scheduler, true));
    }
    QVERIFY(!sequence->awaits_store);
    QCOMPARE(store->num_fetches, num_fetches);
    QCOMPARE(sequence->stored_begin, 0);
    QCOMPARE(sequence->stored_end, 160);
    const StepPlan plan = pool.scheduler.schedule();
    QCOMPARE(plan.num_tokens, 10);
    QCOMPARE(pool.num_right(*sequence), 10);
  }

  void receive_stopsWhereThePoolIsFull() {
    const auto store = filled_store(160);
    Pool pool(store, 12, {.max_fetched_bytes = 3 * kLayout.bytes_per_block()});
    Sequence* busy = pool.add(tokens(100, 5000));
    pool.compute();
    QCOMPARE(busy->table.num_computed(), 100);
    Sequence* sequence = pool.add(tokens(160));
    for (int i = 0; i < 10 && sequence->awaits_store; ++i) {
      QVERIFY(pool.transfer.receive(pool.scheduler, true));
    }
    QVERIFY(!sequence->awaits_store);
    // The beginning of what is stored, as much as there is room for beside the running one.
    QCOMPARE(pool.cache.count_matching(sequence->table).blocks, 5);
  }

  void receive_givesALongerChatTheRestOfIts() {
    const auto store = filled_store(160);
    Pool pool(store, 30);
    Sequence* persona = pool.add(tokens(65));
    Sequence* longer = pool.add(tokens(161));
    QCOMPARE(store->num_fetches, 1);
    QVERIFY(pool.transfer.receive(pool.scheduler, true));
    QVERIFY(!persona->awaits_store);
    QVERIFY(longer->awaits_store);
    QVERIFY(pool.transfer.receive(pool.scheduler, true));
    QVERIFY(!longer->awaits_store);
    QCOMPARE(longer->stored_end, 160);
    QCOMPARE(pool.scheduler.schedule().num_tokens, 2);
    QCOMPARE(pool.num_right(*longer), 10);
  }

  void receive_givesUpWaiting() {
    const auto store = filled_store(64, /*delay=*/5);
    Pool pool(store, 20, {.max_wait = std::chrono::milliseconds(0)});
    Sequence* sequence = pool.add(tokens(70));
    QVERIFY(sequence->awaits_store);
    QVERIFY(pool.transfer.receive(pool.scheduler, true));
    QVERIFY(!sequence->awaits_store);
    QCOMPARE(pool.scheduler.schedule().num_tokens, 70);
    // What comes too late is nobody's.
    for (int i = 0; i < 6; ++i) QVERIFY(pool.transfer.receive(pool.scheduler, true));
    QCOMPARE(sequence->stored_end, 0);
  }

  void receive_survivesThatTheSequenceIsGone() {
    const auto store = filled_store(64);
    Pool pool(store, 20);
    const SequenceId gone = pool.add(tokens(70))->id;
    Sequence* other = pool.add(tokens(80));
    QCOMPARE(store->num_fetches, 1);
    pool.scheduler.remove(gone);
    QVERIFY(pool.transfer.receive(pool.scheduler, true));
    QVERIFY(!other->awaits_store);
    QCOMPARE(pool.scheduler.schedule().num_tokens, 16);
    QCOMPARE(pool.num_right(*other), 4);
  }

  void receive_putsWhatIsOnDiskBehindWhatIsInHostMemory() {
    const auto store = filled_store(160);
    Pool pool(store, 12, {}, /*host_blocks=*/20);
    const SequenceId first = pool.add(tokens(97))->id;  // Six blocks of the ten.
    QVERIFY(pool.transfer.receive(pool.scheduler, true));
    pool.compute();
    pool.scheduler.remove(first);
    const SequenceId other = pool.add(tokens(190, 5000))->id;
    pool.compute();
    pool.scheduler.remove(other);
    QCOMPARE(pool.host.num_blocks(), 6);
    Sequence* longer = pool.add(tokens(165));
    QCOMPARE(store->num_fetches, 2);
    QVERIFY(pool.transfer.receive(pool.scheduler, true));
    QVERIFY(!longer->awaits_store);
    QCOMPARE(longer->stored_begin, 96);
    QCOMPARE(longer->stored_end, 160);
    QCOMPARE(longer->num_swapped, 96);
    const StepPlan plan = pool.scheduler.schedule();
    QVERIFY(pool.transfer.make(plan.copies));
    QCOMPARE(plan.num_tokens, 5);
    QCOMPARE(pool.num_right(*longer), 10);
  }

  void send_findsWhatMovedToHostMemory() {
    const auto store = std::make_shared<MemoryPrefixStore>();
    Pool pool(store, 5, {}, /*host_blocks=*/20);
    const Sequence* sequence = pool.add(tokens(65));
    pool.compute();
    const BlockTable kept = sequence->table;
    pool.transfer.keep(kept, 4, {PrefixOwner::Kind::kPersona, 5});
    pool.scheduler.remove(sequence->id);
    pool.add(tokens(70, 5000));
    pool.compute();
    QVERIFY(pool.transfer.send());
    QCOMPARE(store->blocks().size(), size_t{4});
    for (int i = 0; i < 4; ++i) {
      QVERIFY(store->blocks().at(kept.keys()[i]).payload == Pool::content(kept.block_tokens(i)));
    }
  }

  void keep_savesOnceForEachOwner() {
    const auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    Pool pool(store, 20);
    const Sequence* sequence = pool.add(tokens(65));
    pool.compute();
    const PrefixOwner persona = {PrefixOwner::Kind::kPersona, 5};
    const PrefixOwner chat = {PrefixOwner::Kind::kChat, 6};
    for (int i = 0; i < 3; ++i) pool.transfer.keep(sequence->table, 2, persona);
    pool.transfer.keep(sequence->table, 4, chat);
    QVERIFY(pool.transfer.send());
    QVERIFY(!pool.transfer.is_sending());
    QCOMPARE(store->owners.at(5).size(), size_t{2});
    QCOMPARE(store->owners.at(6).size(), size_t{4});
    pool.transfer.keep(sequence->table, 4, chat);
    QVERIFY(!pool.transfer.is_sending());
    QCOMPARE(store->touched.at(6), 4);
  }

  void send_passesOverWhatWasTaken() {
    const auto store = std::make_shared<MemoryPrefixStore>();
    Pool pool(store, 5);
    const Sequence* sequence = pool.add(tokens(65));
    pool.compute();
    pool.transfer.keep(sequence->table, 4, {PrefixOwner::Kind::kPersona, 5});
    pool.scheduler.remove(sequence->id);
    pool.add(tokens(40, 5000));
    pool.compute();
    QVERIFY(pool.transfer.send());
    QVERIFY(!pool.transfer.is_sending());
    QCOMPARE(store->blocks().size(), size_t{2});
  }
};

QTEST_APPLESS_MAIN(TestPrefixTransfer)
#include "tst_prefix_transfer.moc"
