// PrefixTransfer of models with window layers: blocks and window parts go to a store and to host
// memory, and come back where a sequence can go on with them.

#include <QTest>

#include <numeric>

#include "engine/scheduler/prefix_transfer.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

namespace {

constexpr int kWindow = 40;

/// Two layers with windows and one without, or none without.
CacheLayout layout_of(bool has_full_layer) {
  CacheLayout layout = CacheLayout::uniform(3, {.num_kv_heads = 1, .head_dim = 16});
  for (size_t i = has_full_layer ? 1 : 0; i < 3; ++i) layout.layers[i].pages->window = kWindow;
  return layout;
}

std::vector<int32_t> tokens(int count, int first = 0) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// Bytes made of a block's tokens.
std::vector<std::byte> content(std::span<const int32_t> block_tokens, size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(block_tokens[i % kBlockSize] * 7 + static_cast<int>(i));
  }
  return bytes;
}

struct PoolOptions {
  bool has_full_layer = true;
  int num_blocks = 20;
  int num_windows = 20;
  int host_blocks = 0;
  PrefixTransferLimits limits = {};
};

/// A pool whose blocks hold such bytes, as if a model had computed them.
struct Pool {
  Pool(std::shared_ptr<PrefixStore> store, const PoolOptions& options)
      : layout(layout_of(options.has_full_layer)),
        backend(std::move(*create_backend({.device = "cpu", .num_threads = 1}))),
        kv(std::move(*CacheStorage::allocate(
            *backend, layout,
            {.num_blocks = options.num_blocks, .num_windows = options.num_windows + 1}))),
        host(*backend, std::max<size_t>(1, layout.bytes_per_block()),
             static_cast<uint64_t>(options.host_blocks) * layout.bytes_per_block()),
        host_windows(*backend, layout.bytes_per_window(),
                     static_cast<uint64_t>(options.host_blocks) * layout.bytes_per_window()),
        cache(options.num_blocks, true, options.host_blocks > 0 ? &host : nullptr, {},
              {.num_slots = options.num_windows + 1,
               .window = kWindow,
               .host = options.host_blocks > 0 ? &host_windows : nullptr}),
        scheduler(cache, {.max_batch_tokens = 64, .max_sequences = 8}),
        transfer(std::move(store), cache, kv, options.limits) {}

  Sequence* add(std::vector<int32_t> prompt) {
    Sequence* added =
        scheduler.add(std::make_unique<Sequence>(++last_id, root_key("test"), std::move(prompt)));
    transfer.request(*added);
    return added;
  }

  /// Computes a step; returns its rows.
  int compute() {
    const StepPlan plan = scheduler.schedule();
    if (!transfer.make(plan.copies)) qFatal("the device failed");
    for (const ScheduledRows& rows : plan.rows) {
      const BlockTable& table = rows.sequence->table;
      for (int i = rows.begin / kBlockSize; i < (rows.begin + rows.count) / kBlockSize; ++i) {
        const auto at = static_cast<size_t>(i);
        const auto block = content(table.block_tokens(i), layout.bytes_per_block());
        const auto part = content(table.block_tokens(i), layout.bytes_per_window());
        if (!kv.write_block(table.blocks()[at], block)) qFatal("the device failed");
        if (!kv.write_window(table.windows().held[at], part)) qFatal("the device failed");
      }
    }
    for (const ScheduledRows& rows : plan.rows) scheduler.mark_computed(rows);
    return plan.num_tokens;
  }
  void compute_all(const Sequence& sequence) {
    while (sequence.table.num_uncomputed() > 0) compute();
  }

  /// Whether the sequence's whole blocks, and the parts that it holds, are what they should be.
  bool is_right(const Sequence& sequence) const {
    const BlockTable& table = sequence.table;
    std::vector<std::byte> block(layout.bytes_per_block()), part(layout.bytes_per_window());
    for (int i = 0; i < table.num_computed() / kBlockSize; ++i) {
      const auto at = static_cast<size_t>(i);
      if (!kv.read_block(table.blocks()[at], block)) return false;
      if (block != content(table.block_tokens(i), block.size())) return false;
      if (i < table.windows().first) continue;
      if (!kv.read_window(table.windows().held[at], part)) return false;
      if (part != content(table.block_tokens(i), part.size())) return false;
    }
    return true;
  }
  void receive(Sequence& sequence) {
    for (int i = 0; i < 30 && sequence.awaits_store; ++i) {
      if (!transfer.receive(scheduler, true)) qFatal("the device failed");
    }
  }

  CacheLayout layout;
  std::unique_ptr<Backend> backend;
  CacheStorage kv;
  HostBlockStore host;
  HostBlockStore host_windows;
  BlockCache cache;
  Scheduler scheduler;
  PrefixTransfer transfer;
  SequenceId last_id = 0;
};

/// A store that has the blocks of tokens(160), and the last window's parts.
std::shared_ptr<MemoryPrefixStore> filled_store(bool has_full_layer) {
  auto store = std::make_shared<MemoryPrefixStore>();
  Pool pool(store, {.has_full_layer = has_full_layer});
  const Sequence* sequence = pool.add(tokens(161));
  pool.compute_all(*sequence);
  pool.transfer.keep(sequence->table, 10, {PrefixOwner::Kind::kPersona, 5});
  while (pool.transfer.is_sending()) {
    if (!pool.transfer.send()) qFatal("the device failed");
  }
  return store;
}

BlockKey key_of_block(int index) {
  return BlockTable(root_key("test"), tokens(160)).keys().at(static_cast<size_t>(index));
}

}  // namespace

class TestWindowTransfer : public QObject {
  Q_OBJECT

 private slots:
  void receive_bringsBackTheLastWindow_data() {
    QTest::addColumn<bool>("has_full_layer");
    QTest::addColumn<int>("at_once");
    QTest::addColumn<int>("num_fetches");
    for (const bool has_full_layer : {true, false}) {
      const char* const name = has_full_layer ? "one full layer" : "windows alone";
      QTest::addRow("%s, all at once", name) << has_full_layer << 100 << 1;
      // Ten blocks in two portions, then the three parts.
      QTest::addRow("%s, in portions", name) << has_full_layer << 8 << 2;
      QTest::addRow("%s, one by one", name) << has_full_layer << 1 << 13;
    }
  }
  void receive_bringsBackTheLastWindow() {
    QFETCH(bool, has_full_layer);
    QFETCH(int, at_once);
    QFETCH(int, num_fetches);
    const auto store = filled_store(has_full_layer);
    QCOMPARE(store->blocks().size(), size_t{13});  // The row at 160 sees parts of blocks 7 to 9.
    const CacheLayout layout = layout_of(has_full_layer);
    const size_t bytes = layout.bytes_per_block() + layout.bytes_per_window();
    Pool pool(store, {.has_full_layer = has_full_layer,
                      .limits = {.max_fetched_bytes = static_cast<size_t>(at_once) * bytes}});
    Sequence* sequence = pool.add(tokens(170));
    QVERIFY(sequence->awaits_store);
    pool.receive(*sequence);
    QVERIFY(!sequence->awaits_store);
    QCOMPARE(store->num_fetches, num_fetches);
    QCOMPARE(sequence->stored_begin, 0);
    QCOMPARE(sequence->stored_end, 160);
    QCOMPARE(pool.compute(), 10);
    QVERIFY(pool.is_right(*sequence));
  }

  void windowWithAHole_isNotFetched() {
    const auto store = filled_store(true);
    store->discard(window_key(key_of_block(8)));
    Pool pool(store, {});
    QVERIFY(!pool.add(tokens(170))->awaits_store);
    QCOMPARE(store->num_fetches, 0);
  }

  void partOfAnotherSize_isDiscarded() {
    const auto store = filled_store(true);
    store->blocks().at(window_key(key_of_block(8))).payload.pop_back();
    Pool pool(store, {});
    Sequence* sequence = pool.add(tokens(170));
    pool.receive(*sequence);
    QVERIFY(!sequence->awaits_store);
    QVERIFY(!store->blocks().contains(window_key(key_of_block(8))));
    pool.compute_all(*sequence);
    QVERIFY(pool.is_right(*sequence));
    QCOMPARE(sequence->num_cached, 0);
  }

  void fullSlots_endTheWaiting() {
    const auto store = filled_store(true);
    Pool pool(store, {.num_blocks = 40, .num_windows = 9});
    Sequence* busy = pool.add(tokens(300, 5000));
    pool.compute_all(*busy);
    Sequence* other = pool.add(tokens(100, 8000));
    pool.compute();
    Sequence* sequence = pool.add(tokens(170));
    pool.receive(*sequence);
    QVERIFY(!sequence->awaits_store);
    for (const SequenceId id : {busy->id, other->id}) pool.scheduler.remove(id);
    pool.compute_all(*sequence);
    QVERIFY(pool.is_right(*sequence));
  }

  void evictedChats_comeBackFromHostMemory_data() {
    QTest::addColumn<bool>("has_full_layer");
    QTest::newRow("one full layer") << true;
    QTest::newRow("windows alone") << false;
  }
  void evictedChats_comeBackFromHostMemory() {
    QFETCH(bool, has_full_layer);
    // Blocks without bytes are never short.
    Pool pool(nullptr, {.has_full_layer = has_full_layer,
                        .num_blocks = has_full_layer ? 20 : 200,
                        .num_windows = 12,
                        .host_blocks = 100});
    for (int chat = 0; chat < 5; ++chat) {
      Sequence* sequence = pool.add(tokens(161, 1000 * chat));
      pool.compute_all(*sequence);
      pool.scheduler.remove(sequence->id);
    }
    for (int chat = 0; chat < 5; ++chat) {
      Sequence* sequence = pool.add(tokens(170, 1000 * chat));
      pool.compute_all(*sequence);
      QVERIFY(pool.is_right(*sequence));
      QVERIFY2(sequence->num_cached >= 160, qPrintable(QString::number(chat)));
      pool.scheduler.remove(sequence->id);
    }
  }
};

QTEST_APPLESS_MAIN(TestWindowTransfer)
#include "tst_window_transfer.moc"
