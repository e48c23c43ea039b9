// Draws the page of models in its states, for the eye: quire_model_page_pictures FOLDER
// [light|dark] [state...]. Not run by ctest.
#include <QDir>
#include <QGuiApplication>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <functional>
#include <map>

#include "app/viewmodels/app_model.h"
#include "app/window.h"
#include "tests/support/fake_backend.h"

namespace {

using namespace quire;

constexpr quint64 kGigabyte = 1'000'000'000;

/// The page with a backend of its own and a scanner that finds what the state says.
struct Stage {
  QTemporaryDir folder;
  FakeBackend backend;
  std::unique_ptr<AppModel> app;
  std::unique_ptr<QQmlApplicationEngine> engine;

  QQuickWindow* window() const {
    return qobject_cast<QQuickWindow*>(engine->rootObjects().constFirst());
  }
  QString home(const QString& below) const { return folder.filePath("home/" + below); }
  void open(const QString& theme);
  void add(const QString& path) const;
};

struct Sample {
  const char* file;
  const char* architecture;
  double billions;
  const char* quantisation;
  double gigabytes;
  int context;
};

const Sample kSamples[] = {
    {"Qwen3-8B-Q4_K_M", "qwen3", 8.2, "Q4_K_M", 5.03, 40'960},
    {"Qwen3-30B-A3B-Q4_K_M", "qwen3moe", 30.5, "Q4_K_M", 18.6, 40'960},
    {"gemma-3-4b-it-Q8_0", "gemma3", 3.9, "Q8_0", 4.13, 131'072},
    {"Meta-Llama-3.1-8B-Instruct-Q5_K_M", "llama", 8.0, "Q5_K_M", 5.73, 131'072},
    {"Phi-4-mini-instruct-Q6_K", "phi3", 3.8, "Q6_K", 3.16, 131'072},
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
    facts.fileBytes = static_cast<quint64>(sample.gigabytes * 1e9);
    facts.contextLength = sample.context;
  }
  if (path.contains("mmproj")) facts.kind = ModelKind::kProjector;
  if (path.contains("mamba")) {
    facts.architecture = "mamba";
    facts.obstacle =
        "The architecture \"mamba\" is not one that Quire computes. Choose a model of llama, "
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

ModelState bundled() {
  ModelState state = {.path = "/quire/quire-mini", .name = "quire-mini"};
  state.state = ModelState::State::kReady;
  state.serving = state.primary = state.isDemonstration = true;
  state.deviceName = "CPU · AVX-512 · 2 threads";
  state.contextLength = 2048;
  state.memory = {.weights = 46'000'000, .cache = 60'000'000, .workspace = 14'000'000};
  return state;
}

void Stage::add(const QString& path) const {
  QDir().mkpath(QFileInfo(home(path)).path());
  QFile file(home(path));
  if (!file.open(QIODevice::WriteOnly)) qFatal("No file.");
}

void Stage::open(const QString& theme) {
  app = std::make_unique<AppModel>(backend, folder.filePath("data"), QByteArray());
  app->models()->setScanner(std::make_unique<ModelScanner>(
      ModelScanner::Options{.reader = factsOf,
                            .environment = {.home = folder.filePath("home"),
                                            .variable = [](const char*) { return QString(); },
                                            .systemRoot = folder.path()}}));
  app->open();
  app->setThemeChoice(theme);
  engine = openWindow(*app);
  window()->resize(1440, 900);
}

void addFiles(Stage& stage) {
  stage.add(".lmstudio/models/unsloth/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf");
  stage.add(".lmstudio/models/unsloth/Qwen3-30B-A3B-GGUF/Qwen3-30B-A3B-Q4_K_M.gguf");
  stage.add(".lmstudio/models/lmstudio-community/gemma-3-4b-it-GGUF/gemma-3-4b-it-Q8_0.gguf");
  stage.add(".lmstudio/models/lmstudio-community/gemma-3-4b-it-GGUF/mmproj-model-f16.gguf");
  stage.add(".local/share/nomic.ai/GPT4All/Meta-Llama-3.1-8B-Instruct-Q5_K_M.gguf");
  stage.add("models/Phi-4-mini-instruct-Q6_K.gguf");
  stage.add("models/mamba-2.8b-Q8_0.gguf");
  for (const Sample& sample : kSamples) {
    for (const char* folder :
         {".lmstudio/models/unsloth/Qwen3-8B-GGUF/", ".lmstudio/models/unsloth/Qwen3-30B-A3B-GGUF/",
          ".lmstudio/models/lmstudio-community/gemma-3-4b-it-GGUF/",
          ".local/share/nomic.ai/GPT4All/", "models/"})
      stage.backend
          .plans[stage.home(QLatin1String(folder)) + QLatin1String(sample.file) + ".gguf"] =
          planOf(sample.gigabytes * 1.02, 12.4);
  }
  stage.backend.devices = {
      {.name = "cpu",
       .description = "CPU, AVX-512, 16 threads",
       .freeBytes = 12'400'000'000,
       .available = true},
      {.name = "cuda:0",
       .reason = "No GPU is used: NVIDIA's driver 470 is too old, 525 or later is needed."}};
}

void full(Stage& stage) {
  addFiles(stage);
  stage.backend.setModels({bundled()});
  stage.app->models()->addFolder(QUrl::fromLocalFile(stage.home("models")));
  stage.app->setPage(AppModel::Page::Models);
  QTest::qWait(600);
}

QString ownModel(const Stage& stage) {
  return stage.home("models/Phi-4-mini-instruct-Q6_K.gguf");
}

void loading(Stage& stage) {
  full(stage);
  ModelState state = {.path = ownModel(stage), .name = "Phi-4-mini-instruct-Q6_K"};
  state.phase = LoadPhase::kWeights;
  state.fraction = 0.42;
  state.bytesRead = 1'330'000'000;
  state.bytesToRead = 3'160'000'000;
  state.secondsLeft = 14.0;
  stage.backend.setModels({bundled(), state});
}

void failed(Stage& stage) {
  full(stage);
  ModelState state = {.path = ownModel(stage), .name = "Phi-4-mini-instruct-Q6_K"};
  state.state = ModelState::State::kFailed;
  state.error =
      "“Phi-4-mini-instruct-Q6_K.gguf” ends after 1.9 of 3.2 GB: the download was cut off. "
      "Download it "
      "again.";
  stage.backend.setModels({bundled(), state});
}

void loaded(Stage& stage) {
  full(stage);
  ModelState small = bundled();
  small.primary = false;
  ModelState state = {.path = ownModel(stage), .name = "Phi-4-mini-instruct-Q6_K"};
  state.state = ModelState::State::kReady;
  state.serving = state.primary = true;
  state.deviceName = "CPU · AVX-512 · 16 threads";
  state.contextLength = 131'072;
  state.runningRequests = 2;
  state.memory = {.weights = 3'200'000'000, .cache = 770'000'000, .workspace = 210'000'000};
  stage.backend.setModels({state, small});
  emit stage.backend.throughputChanged(38.4, 2);
}

void openOptions(Stage& stage) {
  full(stage);
  QQuickItem* topmost = nullptr;
  QList<QQuickItem*> items = {stage.window()->contentItem()};
  while (!items.isEmpty()) {
    QQuickItem* at = items.takeFirst();
    const bool isButton = at->objectName() == QLatin1String("modelOptions") && at->isVisible();
    if (isButton && (!topmost || at->mapToScene({}).y() < topmost->mapToScene({}).y()))
      topmost = at;
    items += at->childItems();
  }
  if (topmost) QMetaObject::invokeMethod(topmost, "clicked");
  const auto card =
      stage.app->models()->shelf().find(stage.home("models/Phi-4-mini-instruct-Q6_K.gguf"));
  if (card) card->options()->setContextLength(8192);
}

const std::map<QString, std::function<void(Stage&)>>& states() {
  static const std::map<QString, std::function<void(Stage&)>> kStates = {
      {"full", full},
      {"loading", loading},
      {"failed", failed},
      {"loaded", loaded},
      {"options", openOptions},
      {"empty", [](Stage& stage) { stage.app->setPage(AppModel::Page::Models); }},
      {"dropped",
       [](Stage& stage) {
         full(stage);
         stage.add("Downloads/Phi-4-mini-instruct-Q6_K.gguf");
         stage.app->openModels(
             {QUrl::fromLocalFile(stage.home("Downloads/Phi-4-mini-instruct-Q6_K.gguf"))});
       }},
  };
  return kStates;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("QT_QUICK_BACKEND", "software");
  QGuiApplication application(argc, argv);
  setUpLook();
  const QStringList arguments = QGuiApplication::arguments();
  const QString folder = arguments.value(1, QStringLiteral("."));
  const QString theme = arguments.value(2, QStringLiteral("light"));
  QDir().mkpath(folder);
  for (const auto& [name, drive] : states()) {
    if (arguments.size() > 3 && !arguments.mid(3).contains(name)) continue;
    Stage stage;
    stage.open(theme);
    drive(stage);
    QTest::qWait(500);
    const QString path = QStringLiteral("%1/models-%2-%3.png").arg(folder, name, theme);
    std::printf("%s %s\n", qPrintable(path),
                stage.window()->grabWindow().save(path) ? "" : "NOT WRITTEN");
  }
  return 0;
}
