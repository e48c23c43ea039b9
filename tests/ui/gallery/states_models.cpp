#include <QDir>
#include <QFile>
#include <QTest>
#include <QThread>

#include "tests/ui/gallery/sample_errors.h"
#include "tests/ui/gallery/sample_models.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

void scanned(Stage& stage) {
  addSampleFiles(stage);
  stage.backend().setModels({bundledModel()});
  stage.app().models()->addFolder(QUrl::fromLocalFile(stage.home("models")));
  stage.app().navigation()->setPage(Navigation::Page::Models);
  stage.waitFor("modelOptions");
  stage.rest();
}

void loading(Stage& stage) {
  scanned(stage);
  ModelState state = ownModel(stage);
  state.phase = LoadPhase::kWeights;
  state.fraction = 0.42;
  state.bytesRead = 1'330'000'000;
  state.bytesToRead = 3'160'000'000;
  state.secondsLeft = 14.0;
  stage.backend().setModels({bundledModel(), state});
}

void failed(Stage& stage) {
  scanned(stage);
  ModelState state = ownModel(stage);
  state.state = ModelState::State::kFailed;
  state.error = cutOffGguf("Phi-4-mini-instruct-Q6_K.gguf");
  stage.backend().setModels({bundledModel(), state});
}

void twoLoaded(Stage& stage) {
  scanned(stage);
  ModelState small = bundledModel();
  small.primary = false;
  ModelState state = ownModel(stage);
  state.state = ModelState::State::kReady;
  state.serving = state.primary = true;
  state.deviceName = "CPU · AVX-512 · 16 threads";
  state.contextLength = 131'072;
  state.runningRequests = 2;
  state.draftName = "Phi-4-draft-Q8_0";
  small.draftNote = cutOffDraft("quire-mini-draft/model.safetensors");
  state.memory = {.weights = 3'200'000'000, .cache = 770'000'000, .workspace = 210'000'000};
  stage.backend().setModels({state, small});
  stage.serve(state.name);
  emit stage.backend().throughputChanged(38.4, 2);
}

/// The options of the model whose card is uppermost.
void openOptions(Stage& stage) {
  scanned(stage);
  QQuickItem* topmost = nullptr;
  QList<QQuickItem*> items = {stage.window().contentItem()};
  while (!items.isEmpty()) {
    QQuickItem* at = items.takeFirst();
    const bool isButton = at->objectName() == QLatin1String("modelOptions") && at->isVisible();
    if (isButton && (!topmost || at->mapToScene({}).y() < topmost->mapToScene({}).y()))
      topmost = at;
    items += at->childItems();
  }
  if (topmost) QMetaObject::invokeMethod(topmost, "clicked");
  const auto card = stage.app().models()->cards().find(ownModel(stage).path);
  if (!card) return;
  card->options()->setContextLength(8192);
  card->options()->setPrecisionIndex(3);
  card->setDrafts({{stage.home("models/Phi-4-draft-Q8_0.gguf"), "Phi-4-draft-Q8_0"}});
  card->options()->setDraftIndex(1);
}

void dropped(Stage& stage) {
  scanned(stage);
  const QString file = "Downloads/Phi-4-mini-instruct-Q6_K.gguf";
  addFile(stage, file);
  stage.backend().plans[stage.home(file)] = stage.backend().plans[ownModel(stage).path];
  stage.app().models()->open({QUrl::fromLocalFile(stage.home(file))});
}

void openPicker(Stage& stage) {
  scanned(stage);
  stage.app().navigation()->setPage(Navigation::Page::Chats);
  stage.settle();
  stage.click("modelChip");
}

void searchMenu(Stage& stage) {
  openPicker(stage);
  stage.rest();
  stage.app().models()->setPickerSearch("phi");
}

void waitUntil(const std::function<bool()>& holds) {
  constexpr int kMostMs = 5000;
  if (!QTest::qWaitFor(holds, kMostMs)) qFatal("The quantiser does not get there.");
}

/// What a 7 GB model could become, and a run that neither ends nor fails.
QuantizeTools sampleTools(bool ends) {
  return {.survey =
              [](const QString&) {
                return QuantizeSurvey{.types = {{"F16", 7'680'000'000},
                                                {"Q8_0", 4'080'000'000},
                                                {"Q6_K", 3'160'000'000},
                                                {"Q5_K_M", 2'850'000'000},
                                                {"Q4_K_M", 2'490'000'000},
                                                {"Q3_K_M", 2'120'000'000}},
                                      .sourceBytes = 7'680'000'000,
                                      .freeMemory = 48'000'000'000};
              },
          .run =
              [ends](const QuantizeRequest&, const std::function<void(const QuantizeStep&)>& report,
                     const std::atomic<bool>& cancelled) {
                report({QuantizeStage::Writing, 1'120'000'000, 2'490'000'000});
                while (!ends && !cancelled) QThread::msleep(5);
                return QuantizeResult{.bytes = 2'490'000'000,
                                      .comparison = QuantizeComparison{.perplexity = 8.312,
                                                                       .originalPerplexity = 8.24,
                                                                       .divergence = 0.01234,
                                                                       .sameTop = 0.952,
                                                                       .numTokens = 4'812}};
              }};
}

ModelQuantizer& openQuantizer(Stage& stage, bool ends = false) {
  scanned(stage);
  ModelLibrary& models = *stage.app().models();
  models.quantizer()->setTools(sampleTools(ends));
  models.quantizer()->open(models.cards().find(ownModel(stage).path));
  waitUntil([&] { return models.quantizer()->isChoosing(); });
  return *models.quantizer();
}

void quantizing(Stage& stage) {
  ModelQuantizer& quantizer = openQuantizer(stage);
  quantizer.start();
  waitUntil([&] { return quantizer.progress() > 0.0; });
}

/// A file of that many bytes, which takes no space on the disk.
void resize(Stage& stage, const QString& belowHome, qint64 bytes) {
  QFile file(stage.home(belowHome));
  if (!file.resize(bytes)) qFatal("No file.");
}

void deleting(Stage& stage) {
  scanned(stage);
  ModelLibrary& models = *stage.app().models();
  for (const char* part : {"models/Phi-4-mini-instruct-Q6_K.gguf"})
    resize(stage, part, 3'160'000'000);
  models.files()->removal()->setChatsUsing([](const QString&) { return words().titles.mid(0, 4); });
  models.files()->removal()->open(models.cards().find(ownModel(stage).path));
  waitUntil([&] { return models.files()->removal()->canDelete(); });
}

void duplicates(Stage& stage) {
  const QString copy = ".lmstudio/models/lmstudio-community/phi/Phi-4-mini-instruct-Q6_K.gguf";
  addSampleFiles(stage);
  addFile(stage, copy);
  for (const QString& path : {copy, QString("models/Phi-4-mini-instruct-Q6_K.gguf")})
    resize(stage, path, 31'600'000);
  scanned(stage);
  ModelFileActions& files = *stage.app().models()->files();
  files.findDuplicates();
  waitUntil([&] { return !files.duplicates()->isRunning(); });
}

void moving(Stage& stage) {
  scanned(stage);
  ModelLibrary& models = *stage.app().models();
  resize(stage, "models/Phi-4-mini-instruct-Q6_K.gguf", 3'160'000);
  QDir().mkpath(stage.home("disk"));
  models.files()->mover()->open(models.cards().find(ownModel(stage).path));
  models.files()->mover()->setFolder(stage.home("disk"));
  waitUntil([&] { return models.files()->mover()->canStart(); });
}

}  // namespace

QList<State> modelStates() {
  return {
      {"models", "empty",
       [](Stage& s) {
         s.backend().setModels({bundledModel()});
         s.app().navigation()->setPage(Navigation::Page::Models);
       }},
      {"models", "scanned", scanned},
      {"models", "whole", scanned, {1440, 1500}},
      {"models", "narrow", scanned, {1024, 640}},
      {"models", "loading", loading},
      {"models", "failed", failed},
      {"models", "two-loaded", twoLoaded},
      {"models", "options", openOptions, {1440, 1200}},
      {"models", "dropped", dropped},
      {"models", "menu", openPicker},
      {"models", "menu-search", searchMenu},
      {"models", "delete", deleting},
      {"models", "duplicates", duplicates},
      {"models", "move", moving},
      {"models", "rename",
       [](Stage& s) {
         scanned(s);
         ModelLibrary& models = *s.app().models();
         models.files()->askName(models.cards().find(ownModel(s).path));
       }},
      {"models", "verified",
       [](Stage& s) {
         scanned(s);
         ModelLibrary& models = *s.app().models();
         models.files()->verifier()->verify(models.cards().find(ownModel(s).path));
         waitUntil([&] { return !models.files()->verifier()->isRunning(); });
       }},
      {"models", "quantise", [](Stage& s) { openQuantizer(s); }},
      {"models", "quantise-refused",
       [](Stage& s) { openQuantizer(s).setFolder(QStringLiteral("/no/such/folder")); }},
      {"models", "quantising", quantizing},
      {"models", "quantising-behind",
       [](Stage& s) {
         quantizing(s);
         s.app().models()->quantizer()->close();
       }},
      {"models", "quantised",
       [](Stage& s) {
         ModelQuantizer& quantizer = openQuantizer(s, true);
         quantizer.start();
         waitUntil([&] { return quantizer.isFinished(); });
       }},
  };
}

}  // namespace quire::gallery
