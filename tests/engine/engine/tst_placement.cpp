// Layers on several backends: the same bits as on one, and what placing them counts.

#include <QTest>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>

#include "engine/memory/kv_budget.h"
#include "engine/memory/measuring_backend.h"
#include "engine/memory/place_layers.h"
#include "engine/models/model_files.h"
#include "engine/models/model_runner.h"
#include "tests/support/bundled_model.h"
#include "tests/support/must.h"

using namespace quire;
using test::must;

namespace {

constexpr int kTokens = 37;
constexpr int kBlocks = 4;

std::unique_ptr<Backend> make_cpu() {
  return must(create_backend({.device = "cpu", .num_threads = 1}));
}

/// One sequence of kTokens tokens, the logits of two of its rows.
ForwardBatch one_prefill(int vocab_size, bool has_windows) {
  ForwardBatch batch;
  for (int i = 0; i < kTokens; ++i) {
    batch.ids.push_back((300 + 7 * i) % vocab_size);
    batch.positions.push_back(i);
    batch.slot_mapping.push_back(i);
  }
  batch.query_start = {0, kTokens};
  batch.context_len = {kTokens};
  batch.block_tables = {0, 1, 2, 3};
  batch.max_blocks = kBlocks;
  batch.logits_rows = {5, kTokens - 1};
  if (!has_windows) return batch;
  // Each block's window part lies in the slot after the block's number.
  batch.window_slots = batch.slot_mapping;
  for (int32_t& slot : batch.window_slots) slot += kBlockSize;
  batch.window_tables = {1, 2, 3, 4};
  return batch;
}

std::vector<float> logits_with(const ModelFiles& files, const LayerPlacement& placement) {
  const auto decoder = must(make_decoder(files, placement));
  const CacheLayout layout = cache_layout(files.config, DType::kF32);
  const bool has_windows = layout.window() > 0;
  const auto kv = must(CacheStorage::allocate(
      layer_backends(placement), layout,
      {.num_blocks = kBlocks, .num_windows = has_windows ? kBlocks + 1 : 0}));
  auto runner = must(ModelRunner::create(
      *decoder, {.max_tokens = 64, .max_sequences = 2, .max_blocks = kBlocks, .max_logits = 2}));
  const std::span<float> logits =
      must(runner.run(one_prefill(files.config.vocab_size, has_windows), kv));
  return {logits.begin(), logits.end()};
}

ModelFiles tiny_gemma4() {
  return must(
      open_model_files(std::filesystem::path(QUIRE_SOURCE_DIR "/tests/data/models/gemma4")));
}

/// A GPU with that much memory, and a CPU; neither computes.
ModelDevices counting_devices(uint64_t gpu_bytes) {
  DeviceInfo gpu = {.name = "cuda:0", .description = {}, .free_bytes = gpu_bytes, .reason = {}};
  gpu.has_own_memory = true;
  DeviceInfo cpu = list_devices().front();
  return must(ModelDevices::open_with(
      {gpu.name, cpu.name}, [=](const BackendOptions& options) -> Result<std::unique_ptr<Backend>> {
        return std::unique_ptr<Backend>(
            std::make_unique<MeasuringBackend>(options.device == gpu.name ? gpu : cpu, 1));
      }));
}

/// Links between devices without memory.
class NoLinks final : public DeviceLinks {
 public:
  void all_gather(std::span<void* const>, size_t) override {}
  void join_columns(int, TensorView, const void*, const RowDivision&) override {}
  void select_rows(int, TensorView, ConstTensorView, ConstTensorView, int64_t) override {}
  void local_ids(int, TensorView, ConstTensorView, int64_t, int64_t) override {}
  void launch_graph(uint64_t, const std::function<void()>& operations) override { operations(); }
};

/// A GPU without memory, or several as one, that can be joined with others.
class JoinableGpu final : public NullBackend {
 public:
  JoinableGpu(std::string name, uint64_t bytes, int num_devices = 1)
      : m_name(std::move(name)), m_bytes(bytes), m_num_devices(num_devices) {}

  DeviceInfo info() const override {
    DeviceInfo info = NullBackend::info();
    info.name = m_name;
    info.description = "GPU";
    info.has_own_memory = info.available = true;
    info.free_bytes = info.total_bytes = m_bytes;
    info.num_devices = m_num_devices;
    return info;
  }
  Result<std::unique_ptr<DeviceLinks>> connect(std::span<Backend* const>) override {
    return std::unique_ptr<DeviceLinks>(std::make_unique<NoLinks>());
  }

 private:
  std::string m_name;
  uint64_t m_bytes;
  int m_num_devices;
};

/// Two such GPUs and a CPU. Joined ones do not start anew.
ModelDevices joinable_devices(uint64_t gpu_bytes) {
  return must(ModelDevices::open_with(
      {"cuda:0", "cuda:1", "cpu"},
      [gpu_bytes](const BackendOptions& asked) -> Result<std::unique_ptr<Backend>> {
        if (asked.device == "cpu") return std::unique_ptr<Backend>(make_cpu());
        if (asked.device.find('+') != std::string::npos) {
          return Error{ErrorCode::kDevice, "One of them is gone."};
        }
        return std::unique_ptr<Backend>(std::make_unique<JoinableGpu>(asked.device, gpu_bytes));
      },
      /*may_join=*/true));
}

}  // namespace

class TestPlacement : public QObject {
  Q_OBJECT

 private slots:
  /// Nothing would limit the number of their blocks.
  void modelsThatKeepNoKeys_areRefused() {
    ModelConfig config = must(open_model_files(bundled_model_folder())).config;
    config.max_positions = 1 << 28;
    const auto backend = make_cpu();
    const LayerPlacement placement = place_all(*backend, config.num_layers);
    const EngineOptions options = {.kv_bytes = 16 << 20};
    QVERIFY(must(pick_pool(config, options, placement)).num_blocks > 0);
    for (LayerConfig& layer : config.layers) layer.mixer = MixerKind::kNone;
    const auto refused = pick_pool(config, options, placement);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kUnsupported);
    QVERIFY(refused.error().message.starts_with("No layer of " + config.name + " attends; "));
    config.layers.back().mixer = MixerKind::kAttention;
    QVERIFY(must(pick_pool(config, options, placement)).num_blocks > 0);
  }

  /// What Quire notes of each block is in no budget.
  void tinyModelsOfHugeContexts_haveBoundedPools() {
    ModelConfig config = must(open_model_files(draft_model_folder())).config;
    config.max_positions = 1 << 28;
    config.num_kv_heads = 1;
    config.head_dim = 2;
    const auto backend = make_cpu();
    const LayerPlacement placement = place_all(*backend, config.num_layers);
    const EngineOptions options = {.kv_bytes = uint64_t{1} << 40};
    for (const int window : {0, 64}) {
      for (LayerConfig& layer : config.layers) {
        layer.num_kv_heads = 1;
        layer.sliding_window = window;
      }
      const PoolSizes sizes = must(pick_pool(config, options, placement));
      QVERIFY(sizes.num_blocks > 0 && sizes.num_blocks <= 1 << 20);
      QVERIFY(sizes.windows.num_slots <= (1 << 20) + 1);
    }
  }

  void initTestCase() { m_files = must(open_model_files(draft_model_folder())); }

  void layersOnSeveralBackends_giveTheSameBits() {
    const auto a = make_cpu();
    const auto b = make_cpu();
    const auto c = make_cpu();
    const int num_layers = m_files.config.num_layers;
    QVERIFY(num_layers >= 2);
    const std::vector<float> alone = logits_with(m_files, place_all(*a, num_layers));
    LayerPlacement placement = {{a.get(), 0, 1}, {b.get(), 1, num_layers - 1}};
    if (num_layers > 2)
      placement = {{a.get(), 0, 1}, {b.get(), 1, 1}, {c.get(), 2, num_layers - 2}};
    const std::vector<float> spread = logits_with(m_files, placement);
    QCOMPARE(spread.size(), alone.size());
    QVERIFY(std::memcmp(spread.data(), alone.data(), alone.size() * sizeof(float)) == 0);
  }

  void perLayerEmbeddings_areCarriedToTheNextBackend() {
    const auto a = make_cpu();
    const auto b = make_cpu();
    const ModelFiles files = tiny_gemma4();
    const std::vector<float> alone = logits_with(files, place_all(*a, files.config.num_layers));
    const LayerPlacement placement = {{a.get(), 0, 2}, {b.get(), 2, files.config.num_layers - 2}};
    const std::vector<float> spread = logits_with(files, placement);
    QCOMPARE(spread.size(), alone.size());
    QVERIFY(std::memcmp(spread.data(), alone.data(), alone.size() * sizeof(float)) == 0);
  }

  /// Layers 4 to 6 read what layers 2 and 3 keep.
  void layersThatShareACache_stayTogether() {
    const ModelFiles files = tiny_gemma4();
    EngineOptions options;
    options.kv_bytes = uint64_t{1} << 20;
    const ModelNeeds needs = estimate_needs(files, options, DType::kF32);
    const uint64_t all = std::accumulate(needs.layer_bytes.begin(), needs.layer_bytes.end(),
                                         needs.work_bytes + needs.end_bytes);
    std::set<int> counts;
    for (uint64_t bytes = needs.work_bytes; bytes < all + 8192; bytes += 4096) {
      ModelDevices devices = counting_devices(bytes);
      const LayerPlacement placement = must(place_layers(files, options, devices));
      const LayerRange& first = placement.front();
      counts.insert(first.backend->info().has_own_memory ? first.count : 0);
    }
    QCOMPARE(counts, (std::set<int>{0, 1, 2, 7}));
  }

  void needs_countEveryTensorOnce() {
    EngineOptions options;
    options.kv_bytes = uint64_t{1} << 20;
    const ModelNeeds needs = estimate_needs(m_files, options, DType::kF32);
    const auto layers = static_cast<uint64_t>(m_files.config.num_layers);
    uint64_t weights = needs.end_bytes;
    for (const uint64_t bytes : needs.layer_bytes) weights += bytes - options.kv_bytes / layers;
    uint64_t expected = 0;
    for (const TensorInfo& tensor : m_files.weights->tensors()) expected += tensor.bytes;
    QCOMPARE(weights, expected);
    QVERIFY(needs.end_bytes > 0 && needs.end_bytes < expected);
  }

  /// Ten layers of 100 MB on two GPUs that read 1 GB/s: half a second is saved.
  void joining_paysOffIfExchangesTakeLessThanItSaves() {
    ModelNeeds needs = {.layer_bytes = std::vector<uint64_t>(10, 100'000'000)};
    needs.read_bytes = 1'000'000'000;
    QVERIFY(pays_off({.exchange_seconds = 0.0099, .bytes_per_second = 1e9}, needs, 2));
    QVERIFY(!pays_off({.exchange_seconds = 0.0101, .bytes_per_second = 1e9}, needs, 2));
    QVERIFY(pays_off({.exchange_seconds = 0.0101, .bytes_per_second = 1e9}, needs, 3));
    needs.read_bytes /= 8;  // Most of it is of experts that a token does not read.
    QVERIFY(!pays_off({.exchange_seconds = 0.0099, .bytes_per_second = 1e9}, needs, 2));
  }

  /// These copy and exchange in no time, so that nothing would be saved.
  void gpusThatWouldGainNothing_haveLayersOfTheirOwn_data() {
    QTest::addColumn<double>("share");  // Of what the two layers need, on each GPU.
    QTest::addColumn<QStringList>("devices");
    QTest::newRow("together they hold the model") << 0.8 << QStringList{"cuda:0", "cuda:1"};
    QTest::newRow("one holds it") << 1.1 << QStringList{"cuda:0"};
    QTest::newRow("together they do not") << 0.3 << QStringList{"cpu"};
  }
  void gpusThatWouldGainNothing_haveLayersOfTheirOwn() {
    QFETCH(const double, share);
    QFETCH(const QStringList, devices);
    const EngineOptions options = {.kv_bytes = uint64_t{4} << 30, .max_batch_tokens = 16};
    const ModelNeeds needs = estimate_needs(m_files, options, DType::kF32);
    uint64_t layers = 0;
    for (const uint64_t bytes : needs.layer_bytes) layers += bytes;
    ModelDevices opened = joinable_devices(needs.work_bytes + needs.end_bytes +
                                           static_cast<uint64_t>(share * double(layers)));
    QStringList used;
    for (const LayerRange& range : must(place_layers(m_files, options, opened))) {
      used.append(QString::fromStdString(range.backend->info().name));
    }
    QCOMPARE(used, devices);
  }

  void joinedDevices_areOneUntilTheyFail() {
    ModelDevices devices = joinable_devices(1 << 20);
    must(devices.at(1));
    QCOMPARE(must(devices.join(2))->info().name, std::string("cuda:0+cuda:1"));
    QCOMPARE(devices.size(), size_t{2});
    devices.separate();
    QCOMPARE(devices.size(), size_t{3});
    QVERIFY(devices.may_join());
    QCOMPARE(must(devices.at(1))->info().name, std::string("cuda:1"));

    must(devices.join(2));
    QVERIFY(devices.separate_for_good());
    QCOMPARE(devices.front().info().name, std::string("cuda:0"));
    QVERIFY(!devices.may_join() && !devices.separate_for_good());

    ModelDevices lost = joinable_devices(1 << 20);
    must(lost.at(1));
    must(lost.join(2));
    lost.close();
    QCOMPARE(must(lost.at(0))->info().name, std::string("cuda:0"));
    QCOMPARE(lost.size(), size_t{3});
  }

  void groups_areFoundByTheirNames() {
    std::vector<DeviceInfo> all;
    for (const char* name : {"cpu", "cuda:0", "cuda:1"}) {
      all.push_back(
          {.name = name, .description = {}, .free_bytes = 10, .available = true, .reason = {}});
    }
    QCOMPARE(find_device(all, "cuda:1")->name, std::string("cuda:1"));
    QCOMPARE(find_device(all, "cuda:1+cuda:0")->free_bytes, uint64_t{20});
    QVERIFY(!find_device(all, "cuda:2") && !find_device(all, "cuda:0+cuda:2"));
    all[2].available = false;
    all[2].reason = "busy";
    QCOMPARE(find_device(all, "cuda:0+cuda:1")->reason, std::string("busy"));
  }

  /// Two devices keep everything twice of layers whose KV heads they cannot divide.
  void pools_countTheCopiesOfAGroup() {
    ModelConfig config = m_files.config;
    JoinableGpu group("cuda:0+cuda:1", uint64_t{1} << 30, 2);
    const LayerPlacement placement = place_all(group, config.num_layers);
    for (const uint64_t kv_bytes : {uint64_t{0}, uint64_t{64} << 20}) {
      const EngineOptions options = {.max_context = 1 << 20, .kv_bytes = kv_bytes};
      const auto block_bytes = [&](int num_kv_heads) {
        config.num_kv_heads = num_kv_heads;
        for (LayerConfig& layer : config.layers) layer.num_kv_heads = num_kv_heads;
        config.max_positions = 1 << 28;
        return 1.0 / must(pick_pool(config, options, placement)).num_blocks;
      };
      const double of_two = block_bytes(2), of_three = block_bytes(3);
      QVERIFY2(std::abs(of_three / of_two - 3.0) < 0.01,
               qPrintable(QString::number(of_three / of_two)));
    }
  }

  void estimates_countTheCopiesOfAGroup() {
    constexpr size_t kBytes = size_t{6} << 20;
    MeasuringBackend group(JoinableGpu("cuda:0+cuda:1", uint64_t{1} << 30, 2).info(), 1);
    must(group.allocate(kBytes));
    QCOMPARE(group.take_counted(), uint64_t{2 * kBytes});
    must(group.allocate_pages(kBytes / 2, 2, 4));
    QCOMPARE(group.take_counted(), uint64_t{kBytes});
    must(group.allocate_pages(kBytes / 2, 2, 3));
    QCOMPARE(group.take_counted(), uint64_t{2 * kBytes});
  }

  void theCpu_takesEverything() {
    ModelDevices devices = must(ModelDevices::open({.device = "cpu", .num_threads = 1}));
    const LayerPlacement placement = must(place_layers(m_files, {}, devices));
    QCOMPARE(placement.size(), size_t{1});
    QCOMPARE(placement[0].count, m_files.config.num_layers);
    QVERIFY(placement[0].backend == &devices.front());
  }

 private:
  ModelFiles m_files;
};

QTEST_APPLESS_MAIN(TestPlacement)
#include "tst_placement.moc"
