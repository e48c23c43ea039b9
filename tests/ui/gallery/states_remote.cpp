#include "tests/ui/gallery/sample_models.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

RemoteModels& remote(Stage& stage) {
  return *stage.app().models()->remote();
}

/// Endpoints that answer every test with these models, or with an error.
void setTools(Stage& stage, const EndpointReport& report) {
  remote(stage).setTools({.test = [report](const RemoteEndpoint&, const std::optional<QString>&,
                                           Reply<EndpointReport> reply) { reply(report); }});
}

void enter(Stage& stage, const QString& address, const QString& name, const QStringList& models) {
  setTools(stage, {.models = models, .server = ServerKind::kVllm});
  remote(stage).add();
  EndpointEditor& editor = *remote(stage).editor();
  editor.setAddress(address);
  editor.setName(name);
  editor.setInputPrice("0.3");
  editor.setOutputPrice("1.2");
  editor.save();
  stage.settle();
}

void withMachines(Stage& stage) {
  enter(stage, "https://gpu.office.example", "Office", {"qwen3-235b", "gpt-oss-120b"});
  enter(stage, "localhost:11434", "Ollama", {"gemma3:4b"});
}

void machinesPage(Stage& stage) {
  addSampleFiles(stage);
  stage.backend().setModels({bundledModel()});
  stage.app().models()->addFolder(QUrl::fromLocalFile(stage.home("models")));
  withMachines(stage);
  stage.app().navigation()->setPage(Navigation::Page::Models);
  stage.waitFor("modelOptions");
  stage.rest();
}

void form(Stage& stage, const EndpointReport& report) {
  machinesPage(stage);
  setTools(stage, report);
  remote(stage).add();
  EndpointEditor& editor = *remote(stage).editor();
  editor.setAddress("192.168.1.20:8000");
  editor.setKey("sk-1234567890");
  editor.test();
  stage.rest();
}

QString firstModel(Stage& stage) {
  RemoteChoices& choices = *remote(stage).choices();
  return choices.data(choices.index(0), RemoteChoices::kPath).toString();
}

void chat(Stage& stage) {
  withMachines(stage);
  stage.chat().setOwnModel(firstModel(stage));
  stage.backend().promptDetails.cachedTokens = 0;
  stage.ask(words().haiku, words().haikuAnswer);
}

void newChat(Stage& stage) {
  withMachines(stage);
  stage.chat().setOwnModel(firstModel(stage));
}

void menu(Stage& stage) {
  newChat(stage);
  stage.backend().setModels({bundledModel()});
  stage.settle();
  stage.click("modelChip");
}

}  // namespace

QList<State> remoteStates() {
  return {{"models", "machines", machinesPage},
          {"models",
           "machine-tested",
           [](Stage& s) {
             form(s, {.models = {"qwen3-32b", "qwen3-235b", "llama-3.3-70b", "gemma3-27b"}});
           },
           {1440, 1100}},
          {"models", "machine-failed",
           [](Stage& s) {
             const QString sentence = QCoreApplication::translate(
                 "quire::RemoteTexts", "%1 needs a key. Add it on the page Models");
             form(s, {.error = sentence.arg("192.168.1.20:8000") + u'.'});
           }},
          {"models", "machine-menu", menu},
          {"chat", "remote", chat},
          {"chat", "remote-new", newChat}};
}

}  // namespace quire::gallery
