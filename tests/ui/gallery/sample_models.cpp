#include "tests/ui/gallery/sample_models.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

constexpr double kGigabyte = 1e9;

struct Sample {
  const char* folder;
  const char* file;
  const char* architecture;
  double billions;
  const char* quantisation;
  double gigabytes;
  int context;
};

const Sample kSamples[] = {
    {".lmstudio/models/unsloth/Qwen3-8B-GGUF/", "Qwen3-8B-Q4_K_M", "qwen3", 8.2, "Q4_K_M", 5.03,
     40'960},
    {".lmstudio/models/unsloth/Qwen3-30B-A3B-GGUF/", "Qwen3-30B-A3B-Q4_K_M", "qwen3moe", 30.5,
     "Q4_K_M", 18.6, 40'960},
    {".lmstudio/models/lmstudio-community/gemma-3-4b-it-GGUF/", "gemma-3-4b-it-Q8_0", "gemma3", 3.9,
     "Q8_0", 4.13, 131'072},
    {".local/share/nomic.ai/GPT4All/", "Meta-Llama-3.1-8B-Instruct-Q5_K_M", "llama", 8.0, "Q5_K_M",
     5.73, 131'072},
    {"", "quire-mini", "llama", 0.011, "BF16", 0.022, 2048},
    {"", "mamba", "mamba", 2.8, "Q8_0", 2.94, 8192},
    {"models/", "Phi-4-mini-instruct-Q6_K", "phi3", 3.8, "Q6_K", 3.16, 131'072},
};

ModelFacts factsOf(const QString& path) {
  ModelFacts facts = {.architecture = "llama", .quantisation = "BF16", .parameters = 1'700'000'000};
  facts.fileBytes = 3'400'000'000;
  facts.contextLength = 8192;
  for (const Sample& sample : kSamples) {
    if (!path.contains(QLatin1String(sample.file))) continue;
    facts.architecture = sample.architecture;
    facts.parameters = static_cast<qint64>(sample.billions * 1e9);
    facts.quantisation = sample.quantisation;
    facts.fileBytes = static_cast<quint64>(sample.gigabytes * kGigabyte);
    facts.contextLength = sample.context;
  }
  if (path.contains("mmproj")) facts.kind = ModelKind::kProjector;
  if (path.contains("mamba")) {
    facts.obstacle.message =
        "The architecture mamba is not supported; Quire runs llama, "
        "mistral, qwen2, qwen3, gemma2, gemma3, phi3, smollm3, olmo2, granite or gpt-oss.";
  }
  return facts;
}

LoadPlan planOf(double weights, double free) {
  LoadPlan plan;
  plan.memory = {.weights = static_cast<quint64>(weights * kGigabyte),
                 .cache = static_cast<quint64>((0.35 + weights / 12) * kGigabyte),
                 .workspace = static_cast<quint64>(0.21 * kGigabyte),
                 .free = static_cast<quint64>(free * kGigabyte)};
  plan.fits = plan.memory.total() <= plan.memory.free;
  return plan;
}

}  // namespace

std::unique_ptr<ModelScanner> sampleScanner(const QString& home, const QString& systemRoot) {
  return std::make_unique<ModelScanner>(
      ModelScanner::Options{.reader = factsOf,
                            .environment = {.home = home,
                                            .variable = [](const char*) { return QString(); },
                                            .systemRoot = systemRoot}});
}

void addFile(Stage& stage, const QString& belowHome) {
  QDir().mkpath(QFileInfo(stage.home(belowHome)).path());
  QFile file(stage.home(belowHome));
  if (!file.open(QIODevice::WriteOnly)) qFatal("No file.");
}

void addSampleFiles(Stage& stage) {
  for (const Sample& sample : kSamples) {
    if (!*sample.folder) continue;
    const QString path =
        QLatin1String(sample.folder) + QLatin1String(sample.file) + QLatin1String(".gguf");
    addFile(stage, path);
    stage.backend().plans[stage.home(path)] = planOf(sample.gigabytes * 1.02, 12.4);
  }
  addFile(stage, ".lmstudio/models/lmstudio-community/gemma-3-4b-it-GGUF/mmproj-model-f16.gguf");
  addFile(stage, "models/mamba-2.8b-Q8_0.gguf");
  stage.backend().devices = {
      {.name = "cpu",
       .description = "CPU, AVX-512, 16 threads",
       .freeBytes = 12'400'000'000,
       .available = true,
       .cacheTypes = {"f32", "f16", "bf16", "i8"},
       .defaultCacheType = "f32"},
      {.name = "cuda:0",
       .reason = "No GPU is used: NVIDIA's driver 470 is too old, 525 or later is needed."}};
}

ModelState bundledModel() {
  ModelState state = {.path = "/quire/quire-mini", .name = "quire-mini"};
  state.state = ModelState::State::kReady;
  state.serving = state.primary = state.isDemonstration = true;
  state.deviceName = "CPU · AVX-512 · 2 threads";
  state.contextLength = 2048;
  state.memory = {.weights = 46'000'000, .cache = 60'000'000, .workspace = 14'000'000};
  return state;
}

ModelState ownModel(const Stage& stage) {
  return {.path = stage.home("models/Phi-4-mini-instruct-Q6_K.gguf"),
          .name = "Phi-4-mini-instruct-Q6_K"};
}

}  // namespace quire::gallery
