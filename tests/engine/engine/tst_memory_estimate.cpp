#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

#include "engine/engine.h"
#include "engine/memory/memory_estimate.h"
#include "tests/bench/random_gguf.h"
#include "tests/support/bundled_model.h"
#include "tests/support/draft_like.h"
#include "tests/support/memory_meter.h"

using namespace quire;
namespace fs = std::filesystem;

namespace {

constexpr int kThreads = 2;

EngineOptions engine_options(int context, uint64_t kv_bytes = 0) {
  EngineOptions options;
  options.max_context = context;
  options.kv_bytes = kv_bytes;
  return options;
}

DeviceInfo cpu() {
  return list_devices().front();
}

MemoryEstimate estimate(const fs::path& path, const EngineOptions& options) {
  auto made = estimate_memory(
      {.path = path, .engine = options, .num_threads = kThreads, .devices = {cpu()}});
  if (!made) qFatal("%s", made.error().message.c_str());
  return std::move(*made);
}

/// What a loaded model took, at most, while it answered `num_chats` chats at once.
struct Measured {
  uint64_t most = 0;
  uint64_t resident = 0;
  EngineStats stats;
};

void answer(Engine& engine, int num_chats, int num_tokens, uint64_t before, Measured& measured) {
  const int vocab = engine.model().config.vocab_size;
  for (int chat = 0; chat < num_chats; ++chat) {
    Request request;
    for (int i = 0; i < num_tokens; ++i) {
      request.prompt.push_back(static_cast<TokenId>((chat * 131 + i * 7) % vocab));
    }
    request.sampling.temperature = 0.7f;
    request.sampling.top_p = 0.9f;
    request.sampling.max_tokens = 4;
    request.sampling.ignore_eos = true;
    if (!engine.submit(std::move(request))) qFatal("The request was refused.");
  }
  while (engine.has_work()) {
    static_cast<void>(engine.step());
    measured.most = std::max(measured.most, test::allocated_bytes() - before);
  }
}

Measured measure(const fs::path& path, const EngineOptions& options) {
  Measured measured;
  const uint64_t before = test::allocated_bytes();
  auto backend = create_backend({.device = "cpu", .num_threads = kThreads});
  auto model = load_model(path, **backend, {.max_context = options.max_context});
  if (!model) qFatal("%s", model.error().message.c_str());
  auto engine = Engine::create(std::move(*model), options);
  if (!engine) qFatal("%s", engine.error().message.c_str());
  const int context = (*engine)->max_context();
  answer(**engine, 8, std::min(600, context / 2), before, measured);
  measured.resident = test::resident_bytes();
  measured.stats = (*engine)->stats();
  return measured;
}

/// Whether the estimate is never under what was taken, and at most 5 % over.
bool is_near(const char* name, const MemoryEstimate& estimate, uint64_t taken) {
  const MemoryEstimate::Part& host = estimate.host();
  const auto mib = [](uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double ratio =
      static_cast<double>(host.total_bytes()) / static_cast<double>(std::max<uint64_t>(taken, 1));
  std::printf("%-20s context %5d: %7.2f MiB (%.2f weights, %.2f cache, %.2f work), %.4f of %.2f\n",
              name, estimate.max_context, mib(host.total_bytes()), mib(host.weight_bytes),
              mib(host.kv_bytes), mib(host.work_bytes), ratio, mib(taken));
  return ratio >= 1.0 && ratio <= 1.05;
}

fs::path tiny(const char* name) {
  return fs::path(QUIRE_SOURCE_DIR "/tests/data/gguf") / name;
}

/// A Llama of 154 million parameters.
fs::path write_random(const QTemporaryDir& folder, DType dtype) {
  const fs::path path = folder.filePath("random.gguf").toStdString();
  bench::write_random_gguf(path, dtype,
                           {.num_layers = 8,
                            .hidden_size = 1024,
                            .num_heads = 16,
                            .num_kv_heads = 4,
                            .intermediate_size = 4096,
                            .vocab_size = 32000});
  return path;
}

}  // namespace

/// What loading will take against what it took, by counting allocations.
class TestMemoryEstimate : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    if (!test::can_meter_memory()) QSKIP("A sanitizer counts otherwise.");
    if (qEnvironmentVariable("QUIRE_CPU_ISA") == "scalar") {
      QSKIP("Its kernels go without the scratch memory that others take.");
    }
  }

  void bundledModels_areEstimatedWithinFivePercent_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("context");
    for (const int context : {512, 2048}) {
      QTest::addRow("model %d", context)
          << QString::fromStdString(bundled_model_folder()) << context;
      QTest::addRow("draft %d", context) << QString::fromStdString(draft_model_folder()) << context;
    }
  }
  void bundledModels_areEstimatedWithinFivePercent() {
    QFETCH(const QString, folder);
    QFETCH(const int, context);
    const fs::path path = folder.toStdString();
    if (!fs::exists(path)) QSKIP("The bundled models are not there.");
    const EngineOptions options = engine_options(context);
    const MemoryEstimate made = estimate(path, options);
    const Measured measured = measure(path, options);
    QVERIFY(is_near(QTest::currentDataTag(), made, measured.most));
    QCOMPARE(made.num_blocks, measured.stats.total_blocks);
    QCOMPARE(made.host().kv_bytes, made.num_blocks * measured.stats.bytes_per_block);
    QVERIFY(made.fits());
  }

  void tinyModels_areEstimatedWithinFivePercent_data() {
    QTest::addColumn<QString>("file");
    for (const char* const file :
         {"deepseek2.gguf",   "deepseek2_lite.gguf", "gemma3.gguf",
          "gpt_oss.gguf",     "gpt_oss_mxfp4.gguf",  "llama.gguf",
          "llama_bias.gguf",  "llama_f16.gguf",      "llama_split-00002-of-00003.gguf",
          "mixtral.gguf",     "phi3.gguf",           "quant_iq4_xs.gguf",
          "quant_iq3_m.gguf", "quant_iq1_m.gguf",    "quant_q2_k.gguf",
          "quant_q4_0.gguf",  "quant_q4_k_m.gguf",   "quant_q8_0.gguf",
          "qwen3.gguf",       "qwen3_moe.gguf",      "smollm3.gguf",
          "qwen3_5.gguf",     "qwen3_5_moe.gguf",    "qwen3_next.gguf",
          "lfm2.gguf",        "lfm2_moe.gguf",       "granite_hybrid.gguf",
          "nemotron_h.gguf",  "nemotron_h_moe.gguf", "granite_hybrid_moe.gguf",
          "falcon_h1.gguf",   "falcon_h1_norm.gguf", "cohere2.gguf",
          "exaone4.gguf",     "gemma4.gguf",         "gemma4_moe.gguf",
          "gemma3n.gguf"}) {
      QTest::newRow(file) << file;
    }
  }
  void tinyModels_areEstimatedWithinFivePercent() {
    QFETCH(const QString, file);
    const fs::path path = tiny(qPrintable(file));
    const EngineOptions options = engine_options(1024);  // Some claim a million tokens.
    const MemoryEstimate made = estimate(path, options);
    QVERIFY(is_near(qPrintable(file), made, measure(path, options).most));
  }

  /// Convolutions beside layers with and without windows; there are no GGUF files of it.
  void lfm3_isEstimatedWithinFivePercent() {
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("lfm3").toStdString();
    write_draft_like("lfm3", path);
    const EngineOptions options = engine_options(1024);
    const MemoryEstimate made = estimate(path, options);
    QVERIFY(is_near("lfm3", made, measure(path, options).most));
  }

  void largerModels_areEstimatedWithinFivePercent_data() {
    QTest::addColumn<int>("dtype");
    QTest::newRow("q4_0") << static_cast<int>(DType::kQ4_0);
    QTest::newRow("q8_0") << static_cast<int>(DType::kQ8_0);
    QTest::newRow("f16") << static_cast<int>(DType::kF16);
  }
  void largerModels_areEstimatedWithinFivePercent() {
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) QSKIP("QUIRE_LONG_TESTS=1 measures them.");
    QFETCH(const int, dtype);
    const QTemporaryDir folder;
    const fs::path path = write_random(folder, static_cast<DType>(dtype));
    for (const int context : {1024, 4096}) {
      const EngineOptions options = engine_options(context, uint64_t{64} << 20);
      const MemoryEstimate made = estimate(path, options);
      const uint64_t before = test::resident_bytes();
      const Measured measured = measure(path, options);
      QVERIFY(is_near(QTest::currentDataTag(), made, measured.most));
      // The pool was filled, so that it has pages; the logits of 64 chats were not all used.
      const double resident = static_cast<double>(measured.resident - before);
      const double ratio = static_cast<double>(made.total_bytes()) / resident;
      std::printf("  resident: %.4f of %.2f MiB\n", ratio, resident / (1 << 20));
      QVERIFY(ratio >= 1.0 && ratio < 1.1);
    }
  }

  void smallerFreeMemory_makesASmallerPool() {
    DeviceInfo small = cpu();
    small.free_bytes = uint64_t{40} << 20;
    const auto made = estimate_memory({.path = bundled_model_folder(),
                                       .engine = engine_options(2048),
                                       .num_threads = kThreads,
                                       .devices = {small}});
    QVERIFY(made);
    QVERIFY(made->num_blocks > 0 && made->host().kv_bytes < small.free_bytes / 4);
    QCOMPARE(made->host().free_bytes, small.free_bytes);
    const MemoryEstimate whole = estimate(bundled_model_folder(), engine_options(2048));
    QVERIFY(made->max_context < whole.max_context);
    QCOMPARE(made->full_context, whole.max_context);
  }

  void modelThatIsTooLarge_doesNotFit() {
    DeviceInfo small = cpu();
    small.free_bytes = uint64_t{8} << 20;
    const auto made = estimate_memory({.path = bundled_model_folder(),
                                       .engine = engine_options(2048),
                                       .num_threads = kThreads,
                                       .devices = {small}});
    QVERIFY(made);
    QVERIFY(!made->fits());
    QVERIFY(made->host().weight_bytes > small.free_bytes);
  }

  void gpu_takesTheLayersThatFit() {
    DeviceInfo gpu;
    gpu.name = "cuda:0";
    gpu.has_own_memory = true;
    gpu.kv_dtype = DType::kF16;
    gpu.free_bytes = uint64_t{4} << 30;
    const auto whole = estimate_memory({.path = bundled_model_folder(),
                                        .engine = engine_options(2048),
                                        .num_threads = kThreads,
                                        .devices = {gpu, cpu()}});
    QVERIFY(whole);
    QCOMPARE(whole->parts.size(), size_t{2});
    QCOMPARE(whole->parts[0].device, std::string("cuda:0"));
    QVERIFY(whole->parts[0].weight_bytes > 0 && whole->parts[0].kv_bytes > 0);
    QCOMPARE(whole->host().num_layers, 0);
    QCOMPARE(whole->host().weight_bytes, uint64_t{0});
    QVERIFY(whole->fits());

    gpu.free_bytes = uint64_t{222} << 20;
    const auto spread = estimate_memory({.path = bundled_model_folder(),
                                         .engine = engine_options(2048),
                                         .num_threads = kThreads,
                                         .devices = {gpu, cpu()}});
    QVERIFY(spread);
    QVERIFY(spread->host().num_layers > 0 && spread->host().weight_bytes > 0);
  }

  void missingFile_isAnError() {
    const auto made = estimate_memory(
        {.path = "/nonexistent/model", .engine = {}, .num_threads = kThreads, .devices = {cpu()}});
    QVERIFY(!made);
    QVERIFY(made.error().message.find("/nonexistent/model") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestMemoryEstimate)
#include "tst_memory_estimate.moc"
