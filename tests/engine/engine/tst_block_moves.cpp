// Blocks go to host memory and come back on a device that copies as late as it may.

#include <QTest>

#include <algorithm>
#include <list>
#include <random>

#include "engine/engine.h"
#include "engine/memory/kv_budget.h"
#include "engine/scheduler/prefix_transfer.h"
#include "tests/engine/engine/engine_test_support.h"
#include "tests/support/late_backend.h"

using namespace quire;

namespace {

const CacheLayout kLayout = CacheLayout::uniform(2, {.num_kv_heads = 1, .head_dim = 16});

std::vector<std::byte> content(std::span<const int32_t> block_tokens) {
  std::vector<std::byte> bytes(kLayout.bytes_per_block());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(block_tokens[i % kBlockSize] * 7 + static_cast<int>(i));
  }
  return bytes;
}

/// Sequences of a few families come and go in a pool that holds two of them; what a full block
/// holds is made of its tokens, as if a model had computed it.
class Pool {
 public:
  Pool(int num_blocks, int host_blocks)
      : kv(std::move(*CacheStorage::allocate(backend, kLayout, {num_blocks}))),
        host(backend, kLayout.bytes_per_block(), host_blocks * kLayout.bytes_per_block()),
        cache(num_blocks, true, &host),
        scheduler(cache, {.max_batch_tokens = 64, .max_sequences = 4, .max_restored_blocks = 3}),
        transfer(nullptr, cache, kv) {}

  void add(std::vector<int32_t> prompt) {
    scheduler.add(std::make_unique<Sequence>(++last_id, root_key("test"), std::move(prompt)));
  }

  /// A step; nothing of it waits for the device unless the copies do.
  bool step() {
    const StepPlan plan = scheduler.schedule();
    if (!transfer.make(plan.copies)) return false;
    for (const ScheduledRows& rows : plan.rows) {
      const BlockTable& table = rows.sequence->table;
      for (int i = rows.begin / kBlockSize; i < (rows.begin + rows.count) / kBlockSize; ++i) {
        computed.push_back(content(table.block_tokens(i)));
        kv.upload_block(table.blocks()[i], computed.back());
      }
    }
    for (const ScheduledRows& rows : plan.rows) scheduler.mark_computed(rows);
    for (const SequenceId id : plan.exhausted) scheduler.remove(id);
    for (const ScheduledRows& rows : plan.rows) {
      if (!rows.samples) continue;
      const bool is_long = rows.sequence->table.num_tokens() > rows.sequence->num_prompt + 20;
      is_long ? scheduler.remove(rows.sequence->id) : rows.sequence->table.append(3);
    }
    return true;
  }

  /// Waits for the device, and looks whether all full blocks of the running sequences are right.
  bool is_right() {
    for (const auto& sequence : scheduler.running()) {
      const BlockTable& table = sequence->table;
      std::vector<std::byte> bytes(kLayout.bytes_per_block());
      for (int i = 0; i < table.num_computed() / kBlockSize; ++i) {
        const auto read = kv.read_block(table.blocks()[i], bytes);
        if (!read || bytes != content(table.block_tokens(i))) return false;
      }
    }
    return backend.num_violations == 0;
  }

  std::list<std::vector<std::byte>> computed;  ///< Read by the backend until the end.
  LateBackend backend;
  CacheStorage kv;
  HostBlockStore host;
  BlockCache cache;
  Scheduler scheduler;
  PrefixTransfer transfer;
  SequenceId last_id = 0;
};

LoadedModel load_on(Backend& backend) {
  auto model = load_model(draft_model_folder(), backend);
  if (!model) qFatal("%s", model.error().message.c_str());
  return std::move(*model);
}

RequestEvent run_to_end(Engine& engine, const std::vector<TokenId>& prompt) {
  if (!engine.submit({.prompt = prompt, .sampling = {.max_tokens = 3, .ignore_eos = true}})) {
    qFatal("refused");
  }
  RequestEvent last;
  while (engine.has_work()) {
    for (RequestEvent& event : engine.step()) last = std::move(event);
    if (const std::optional<Error> failure = engine.device_failure()) {
      for (RequestEvent& event : engine.end_all(*failure)) last = std::move(event);
    }
  }
  return last;
}

}  // namespace

class TestBlockMoves : public QObject {
  Q_OBJECT

 private slots:
  void randomSequences_findWhatTheyLeft_data() {
    QTest::addColumn<int>("host_blocks");
    QTest::newRow("one place") << 1;
    QTest::newRow("few places") << 5;
    QTest::newRow("many places") << 60;
  }
  void randomSequences_findWhatTheyLeft() {
    QFETCH(int, host_blocks);
    std::mt19937 random(7);
    Pool pool(10, host_blocks);
    for (int i = 0; i < 2000; ++i) {
      if (random() % 4 == 0 && pool.scheduler.waiting().size() < 5) {
        std::vector<int32_t> prompt(20 + random() % 80, static_cast<int32_t>(random() % 6));
        pool.add(std::move(prompt));
      }
      QVERIFY(pool.step());
      if (random() % 10 == 0) QVERIFY2(pool.is_right(), qPrintable(QString("step %1").arg(i)));
    }
    QVERIFY(pool.is_right());
    qInfo("%llu blocks came back", static_cast<unsigned long long>(pool.cache.num_restored()));
    QVERIFY(pool.cache.num_restored() > 0);
    QVERIFY(pool.host.num_blocks() <= host_blocks);
  }

  void copies_doNotWaitForTheDevice() {
    Pool pool(10, 60);
    pool.add(std::vector<int32_t>(100, 1));
    while (pool.scheduler.has_work()) QVERIFY(pool.step());
    pool.add(std::vector<int32_t>(130, 2));
    while (pool.scheduler.has_work()) QVERIFY(pool.step());
    QVERIFY(pool.host.num_blocks() > 0);
    QCOMPARE(pool.backend.num_synchronized, 0);
    QVERIFY(pool.is_right());
  }

  void copies_areWaitedForAtTheEnd() {
    LateBackend backend;
    std::vector<std::byte> bytes(kLayout.bytes_per_block());
    auto kv = std::move(*CacheStorage::allocate(backend, kLayout, {2}));
    HostBlockStore host(backend, kLayout.bytes_per_block(), 2 * kLayout.bytes_per_block());
    BlockCache cache(2, true, &host);
    const std::vector<int32_t> tokens(kBlockSize, 1);
    const auto place = host.add(child_key(root_key("x"), tokens), root_key("x"), tokens);
    {
      PrefixTransfer transfer(nullptr, cache, kv);
      QVERIFY(transfer.make(std::vector<BlockCopy>{{0, *place, BlockCopy::Kind::kToHost}}));
      QCOMPARE(backend.num_synchronized, 0);
    }
    QCOMPARE(backend.num_synchronized, 1);
  }

  void deviceFailure_forgetsWhatTheCacheHeld() {
    LateBackend backend;
    const size_t block = cache_layout(load_on(backend).config, DType::kF32).bytes_per_block();
    auto engine =
        *Engine::create(load_on(backend), {.kv_bytes = 10 * block, .kv_dtype = DType::kF32});
    QVERIFY(run_to_end(*engine, random_tokens(130, 1)).finish == FinishReason::kLength);
    QVERIFY(run_to_end(*engine, random_tokens(130, 2)).finish == FinishReason::kLength);
    QVERIFY(engine->stats().host_blocks > 0);
    QVERIFY(engine->stats().cached_blocks > 0);
    backend.fails = true;
    const RequestEvent failed = run_to_end(*engine, random_tokens(100, 3));
    QVERIFY(failed.finish == FinishReason::kFailed);
    QCOMPARE(failed.error.message, std::string("The device failed."));
    QCOMPARE(engine->stats().host_blocks, 0);
    QCOMPARE(engine->stats().cached_blocks, 0);
    QCOMPARE(engine->stats().used_blocks, 0);
    QVERIFY(engine->resume(load_on(backend).decoder));
    const RequestEvent next = run_to_end(*engine, random_tokens(130, 1));
    QVERIFY(next.finish == FinishReason::kLength);
    QCOMPARE(next.usage.cached_tokens, 0);
  }

  void hostMemory_isTakenWhereTheDeviceHasItsOwn() {
    LateBackend own;
    const auto cpu = *create_backend({.device = "cpu", .num_threads = 1});
    const uint64_t available = available_host_bytes();
    QVERIFY(available > 0);
    const uint64_t bytes = pick_host_bytes({}, place_all(own, 4));
    QVERIFY(bytes > 0 && bytes <= uint64_t{8} << 30);
    QCOMPARE(pick_host_bytes({}, place_all(*cpu, 4)), uint64_t{0});
    const LayerPlacement both = {{&own, 0, 2}, {cpu.get(), 2, 2}};
    QVERIFY(pick_host_bytes({}, both) > 0);
    QCOMPARE(pick_host_bytes({.host_kv_bytes = 0}, both), uint64_t{0});
    QCOMPARE(pick_host_bytes({.host_kv_bytes = 77}, place_all(*cpu, 4)), uint64_t{77});
  }
};

QTEST_APPLESS_MAIN(TestBlockMoves)
#include "tst_block_moves.moc"
