#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

void settings(Stage& stage) {
  stage.fill();
  stage.backend().setModels({{.path = "/m.gguf", .name = "Qwen3-8B-Q4_K_M", .primary = true}});
  stage.app().settings()->generation()->set(0, "0.9");
  stage.app().navigation()->setPage(Navigation::Page::Settings);
  stage.waitFor("settingsPage");
  stage.rest();
}

/// The page down to that part of the way to its end.
void scrollTo(Stage& stage, double part) {
  QQuickItem* page = stage.waitFor("settingsPage");
  const double far = page->property("contentHeight").toDouble() - page->height();
  page->setProperty("contentY", std::max(0.0, far * part));
}

void wrongBudget(Stage& stage) {
  settings(stage);
  stage.app().settings()->setChatMiB(isKorean() ? "많이" : "much");
  stage.settle(200);
  scrollTo(stage, 1.0);
}

/// Two values of one's own, one that is none, and a model that still runs without them.
void engineValues(Stage& stage) {
  settings(stage);
  stage.backend().devices = {{.name = "cpu",
                              .description = "CPU, AVX-512",
                              .available = true,
                              .threads = 8,
                              .cacheTypes = {"f32", "f16", "bf16", "i8"},
                              .defaultCacheType = "f32"}};
  stage.app().models()->cards().devices().prepare();
  ModelState model = {.path = "/m.gguf", .name = "Qwen3-8B-Q4_K_M", .primary = true};
  model.state = ModelState::State::kReady;
  model.serving = true;
  model.request.path = model.path;
  stage.backend().setModels({model});
  EngineSettings& values = *stage.app().models()->engineSettings();
  values.set(EngineSettings::kThreads, "6");
  values.set(EngineSettings::kContext, "16384");
  values.set(EngineSettings::kPrecision, "i8");
  values.set(EngineSettings::kBatch, "9");
  stage.settle(200);
  scrollTo(stage, 0.6);
}

void backups(Stage& stage) {
  settings(stage);
  stage.app().transfer()->backUpNow();
  stage.settle(500);
  stage.app().transfer()->backups()->refresh();
  stage.settle(300);
  scrollTo(stage, 0.75);
}

void chatSettings(Stage& stage) {
  stage.fill();
  stage.app().chatSettings()->open(&stage.chat());
  stage.app().chatSettings()->generation()->set(0, "1.1");
  stage.app().chatSettings()->generation()->set(2, "-4");
}

}  // namespace

QList<State> settingsStates() {
  return {
      {"settings", "top", settings},
      {"settings", "whole", settings, {1200, 2600}},
      {"settings", "engine", engineValues},
      {"settings", "end", wrongBudget},
      {"settings", "backups", backups},
      {"settings", "chat", chatSettings},
      {"settings", "large-text",
       [](Stage& s) {
         s.app().appearance()->setTextPercent(130);
         settings(s);
       }},
  };
}

}  // namespace quire::gallery
