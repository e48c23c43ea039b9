#include "tests/support/fake_api_server.h"
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

void show(Stage& stage, SettingsSection section) {
  stage.app().settingsSearch()->open(static_cast<int>(section));
  stage.settle(200);
}

void section(Stage& stage, SettingsSection section) {
  settings(stage);
  show(stage, section);
}

void search(Stage& stage, const QString& query) {
  settings(stage);
  stage.app().settingsSearch()->setQuery(query);
  stage.settle(200);
}

void wrongBudget(Stage& stage) {
  settings(stage);
  stage.app().settings()->setChatMiB(isKorean() ? "많이" : "much");
  show(stage, SettingsSection::kData);
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
  show(stage, SettingsSection::kEngine);
}

void backups(Stage& stage) {
  settings(stage);
  stage.app().transfer()->backUpNow();
  stage.settle(500);
  stage.app().transfer()->backups()->refresh();
  show(stage, SettingsSection::kData);
}

/// Kept for the whole program: the window asks it until it is closed.
FakeApiServer& fakeServer() {
  static FakeApiServer server;
  return server;
}

FakeServerKeys& fakeKeys() {
  static FakeServerKeys keys;
  return keys;
}

void server(Stage& stage) {
  fakeKeys().keepProblem.clear();
  FakeApiServer& fake = fakeServer();
  fake.runs = false;
  fake.refusal.clear();
  fake.models = {"Qwen3-8B-Q4_K_M", "bge-m3"};
  fake.clients = 3;
  fake.requests = 2;
  settings(stage);
  stage.app().server()->setControl(&fake, &fakeKeys());
  show(stage, SettingsSection::kServer);
}

void serverOn(Stage& stage) {
  server(stage);
  stage.app().server()->start();
  stage.app().server()->toggleKey();
  stage.settle(200);
}

void serverWithoutKeychain(Stage& stage) {
  server(stage);
  fakeKeys().keepProblem =
      isKorean() ? "이 컴퓨터에 키체인이 없습니다." : "This computer has no keychain.";
  stage.app().server()->renewKey();
  stage.app().server()->start();
  stage.settle(200);
}

void serverRefused(Stage& stage) {
  server(stage);
  fakeServer().refusal =
      isKorean() ? "포트 8000은 다른 프로그램이 사용하고 있습니다. 다른 포트를 고르세요."
                 : "Port 8000 is in use by another program. Choose another one.";
  stage.app().server()->chooseReach(1);
  stage.app().server()->start();
  stage.app().server()->setPort("80000");
  stage.settle(200);
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
      {"settings", "answers", [](Stage& s) { section(s, SettingsSection::kAnswers); }},
      {"settings",
       "answers-advanced",
       [](Stage& s) {
         section(s, SettingsSection::kAnswers);
         s.app().settingsSearch()->setShowsAdvanced(true);
         s.settle(200);
       },
       {1440, 1400}},
      {"settings", "privacy", [](Stage& s) { section(s, SettingsSection::kPrivacy); }},
      {"settings", "about", [](Stage& s) { section(s, SettingsSection::kAbout); }},
      {"settings", "search", [](Stage& s) { search(s, isKorean() ? "토큰" : "tokens"); }},
      {"settings", "search-nothing", [](Stage& s) { search(s, words().notFound); }},
      {"settings", "narrow", [](Stage& s) { section(s, SettingsSection::kEngine); }, {760, 640}},
      {"settings", "engine", engineValues},
      {"settings", "server-off", server},
      {"settings", "server-on", serverOn},
      {"settings", "server-no-keychain", serverWithoutKeychain},
      {"settings", "server-refused", serverRefused},
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
