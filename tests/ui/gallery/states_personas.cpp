#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

/// Chats under the first personas, some of which are warm.
void fillPersonas(Stage& stage) {
  const QList<PersonaRecord> personas = stage.app().personas()->personas();
  FakeBackend& backend = stage.backend();
  backend.inspector().personaReports[personas[0].systemPrompt] = {
      .tokens = 1037, .residentTokens = 1024, .sharingChats = 3, .bytesSaved = quint64{256} << 20};
  backend.inspector().personaReports[personas[1].systemPrompt] = {.tokens = 214, .diskTokens = 208};
  backend.inspector().personaReports[personas[2].systemPrompt] = {
      .tokens = 388, .residentTokens = 384, .sharingChats = 1};
  for (const int persona : {0, 0, 0, 2}) {
    stage.app().navigation()->newChatUnder(personas[persona].id);
    stage.ask(words().paging, words().childAnswer);
  }
  stage.app().personaLibrary()->addPreset("critic");
  stage.app().personaLibrary()->addPreset("planner");
  stage.app().personaLibrary()->setPinned(personas[0].id, true);
  PersonaRecord withAdapter = personas[1];
  withAdapter.adapterPath = "/adapters/formal-letters.gguf";
  stage.app().personas()->put(withAdapter);
}

void library(Stage& stage) {
  fillPersonas(stage);
  stage.app().navigation()->setPage(Navigation::Page::Personas);
  stage.waitFor("personaSearch");
  stage.rest();
}

void editWithWarning(Stage& stage) {
  library(stage);
  stage.app().personaLibrary()->edit(stage.app().personas()->personas()[0].id);
  PersonaEditor& editor = *stage.app().personaLibrary()->editor();
  editor.setPrompt(editor.prompt() + (isKorean() ? " 수식은 쓰지 마세요." : " Use no formula."));
  stage.settle(400);
}

}  // namespace

QList<State> personaStates() {
  return {
      {"personas", "library", library},
      {"personas", "nothing-found",
       [](Stage& s) {
         library(s);
         s.app().personaLibrary()->shown()->setSearchText(words().notFound);
       }},
      {"personas", "deleted",
       [](Stage& s) {
         library(s);
         s.app().personaLibrary()->remove(s.app().personas()->personas()[4].id);
       }},
      {"personas", "new",
       [](Stage& s) {
         library(s);
         s.app().personaLibrary()->create();
       }},
      {"personas", "edit", editWithWarning},
      {"personas", "presets",
       [](Stage& s) {
         library(s);
         s.click("presetButton");
       }},
  };
}

}  // namespace quire::gallery
