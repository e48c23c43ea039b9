#include "app/error_strings.h"
#include "tests/support/fake_hub.h"
#include "tests/ui/gallery/sample_models.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace getting {  // Files that are compiled together share their unnamed namespace.
namespace {

using Phase = DownloadState;

HubListing qwen() {
  return {.id = "qwen",
          .hub = "Hugging Face",
          .name = "Qwen/Qwen3-8B-GGUF",
          .license = "apache-2.0",
          .page = QUrl("https://huggingface.co/Qwen/Qwen3-8B-GGUF"),
          .choices = {{"Q4_K_M", 5'030'000'000, 1, MachineFit::kGpu, 9.4, "/models/q4"},
                      {"Q5_K_M", 5'850'000'000, 1, MachineFit::kMemory, 8.1, "/models/q5"},
                      {"Q6_K", 6'730'000'000, 1, MachineFit::kMemory, 7.0, "/models/q6", true},
                      {"Q8_0", 8'710'000'000, 1, MachineFit::kMemoryAndGpu, 5.4, "/models/q8"},
                      {"BF16", 16'400'000'000, 2, MachineFit::kTooLarge, 2.9, "/models/bf16"}},
          .usual = 0};
}

HubListing sized(const QString& id, const QString& license, qint64 bytes) {
  return {.id = id,
          .hub = "Hugging Face",
          .name = id,
          .license = license,
          .choices = {{"Q4_K_M", bytes, 1, MachineFit::kMemory, 20.0, "/models/" + id}},
          .usual = 0};
}

/// A hub with a few well-known models.
FakeHub& hub(Stage& stage) {
  auto* const hub = new FakeHub;
  hub->setParent(&stage.app());
  hub->found.found = {
      {"Qwen/Qwen3-8B-GGUF", 1'284'031, "apache-2.0", false},
      {"unsloth/Qwen3-30B-A3B-GGUF", 402'117, "apache-2.0", false},
      {"bartowski/google_gemma-3-12b-it-GGUF", 88'406, "gemma", true},
      {"Qwen/Qwen3-0.6B-GGUF", 61'220, "apache-2.0", false},
      {"someone/an-experiment-with-a-very-long-name-that-has-to-be-cut-GGUF", 12, "", false}};
  hub->listings = {{"Qwen/Qwen3-8B-GGUF", qwen()},
                   {"small", sized("small", "apache-2.0", 1'280'000'000)},
                   {"medium", sized("medium", "apache-2.0", 5'030'000'000)},
                   {"large", sized("large", "mit", 12'110'000'000)}};
  // As in resources/models/recommended.json.
  hub->suggestions = {
      {"small", "Qwen 3.5 2B",
       isKorean() ? "작고 빠릅니다. 일상적인 질문과 짧은 글에 알맞습니다."
                  : "Small and quick; for everyday questions and short texts."},
      {"medium", "Qwen 3.5 9B",
       isKorean() ? "추론과 코드에 더 강합니다. 그래픽 카드가 있으면 좋고, 없으면 느립니다."
                  : "Stronger at reasoning and code; best with a graphics card, slow without one."},
      {"large", "gpt-oss 20B",
       isKorean() ? "생각한 뒤 답합니다. 크기에 비해 빠릅니다."
                  : "Reasons before it answers; fast for its size."}};
  stage.app().getModels()->setAccess(hub);
  return *hub;
}

/// The Models page with files of the user's own.
FakeHub& page(Stage& stage) {
  addSampleFiles(stage);
  stage.backend().setModels({bundledModel()});
  stage.app().models()->addFolder(QUrl::fromLocalFile(stage.home("models")));
  FakeHub& made = hub(stage);
  stage.app().navigation()->setPage(Navigation::Page::Models);
  stage.waitFor("modelOptions");
  stage.rest();
  return made;
}

GetModels& source(Stage& stage) {
  return *stage.app().getModels();
}

void open(Stage& stage) {
  page(stage);
  source(stage).open();
  stage.rest();
}

void results(Stage& stage) {
  open(stage);
  source(stage).setText("qwen3 gguf");
  source(stage).search();
  stage.rest();
}

void files(Stage& stage) {
  results(stage);
  source(stage).openModel("Qwen/Qwen3-8B-GGUF");
  stage.rest();
}

void addDownloads(FakeHub& hub) {
  hub.add({.title = "Qwen/Qwen3-8B-GGUF · Q4_K_M",
           .state = Phase::kRunning,
           .bytes = 2'110'000'000,
           .totalBytes = 5'030'000'000,
           .bytesPerSecond = 34'000'000});
  hub.add({.title = "ggml-org/gpt-oss-20b-GGUF · MXFP4",
           .state = Phase::kWaiting,
           .totalBytes = 12'110'000'000});
}

void downloading(Stage& stage) {
  FakeHub& made = page(stage);
  addDownloads(made);
  made.add({.title = "Qwen/Qwen3-0.6B-GGUF · Q8_0",
            .state = Phase::kDone,
            .bytes = 639'000'000,
            .totalBytes = 639'000'000});
  stage.rest();
}

void failed(Stage& stage) {
  FakeHub& made = page(stage);
  made.add({.title = "bartowski/google_gemma-3-12b-it-GGUF · Q4_K_M",
            .state = Phase::kFailed,
            .bytes = 1'200'000'000,
            .totalBytes = 7'300'000'000,
            .problem = {errorText(make_error(
                            ErrorCode::kNotFound,
                            "%1 does not give %2 to everybody, or there is no such model. Look at "
                            "%3, give your consent there if it asks for it, and enter the token "
                            "of that account",
                            {"huggingface.co", "google_gemma-3-12b-it-Q4_K_M.gguf",
                             "https://huggingface.co/bartowski/google_gemma-3-12b-it-GGUF"})),
                        true}});
  made.add({.title = "Qwen/Qwen3-8B-GGUF · Q4_K_M",
            .state = Phase::kPaused,
            .bytes = 2'110'000'000,
            .totalBytes = 5'030'000'000});
  stage.rest();
}

void cancelling(Stage& stage) {
  downloading(stage);
  source(stage).downloads()->cancel(1);
  stage.rest();
}

void whileDownloading(Stage& stage) {
  files(stage);
  source(stage).get(0);
  source(stage).open();
  stage.rest();
}

void gated(Stage& stage) {
  FakeHub& made = page(stage);
  HubListing gated = qwen();
  gated.name = "google/gemma-3-12b-it-qat-q4_0-gguf";
  gated.license = "gemma";
  gated.isGated = true;
  gated.choices = gated.choices.mid(0, 2);
  made.listings["google/gemma-3"] = gated;
  source(stage).open();
  source(stage).openModel("google/gemma-3");
  stage.rest();
}

const char* const kOffline =
    "huggingface.co cannot be reached: Host huggingface.co not found. Check the connection, then "
    "try "
    "again";

void searching(Stage& stage) {
  FakeHub& made = page(stage);
  made.answers = false;
  source(stage).open();
  source(stage).setText("qwen3 gguf");
  source(stage).search();
  stage.rest();
}

/// No model of the user's own, and no network.
void offersRefused(Stage& stage) {
  stage.backend().setModels({bundledModel()});
  FakeHub& made = hub(stage);
  for (HubListing& listing : made.listings) listing = {.problem = {kOffline, false}};
  stage.app().navigation()->setPage(Navigation::Page::Models);
  stage.rest();
  stage.app().getModels()->offers()->show();
  stage.rest();
}

void refused(Stage& stage) {
  FakeHub& made = page(stage);
  made.listings["Qwen/Qwen9"] = {.problem = {kOffline}};
  source(stage).open();
  source(stage).setText("Qwen/Qwen9");
  source(stage).search();
  stage.rest();
}

void settings(Stage& stage) {
  open(stage);
  stage.click("hubOptions");
  stage.rest();
}

void offers(Stage& stage) {
  stage.backend().setModels({bundledModel()});
  hub(stage);
  stage.app().navigation()->setPage(Navigation::Page::Models);
  stage.rest();
  stage.app().getModels()->offers()->show();
  stage.rest();
}

void firstRunRefused(Stage& stage) {
  stage.backend().setModels({bundledModel()});
  FakeHub& made = hub(stage);
  for (HubListing& listing : made.listings) listing = {.problem = {kOffline, false}};
  stage.app().getModels()->offers()->show();
  stage.rest();
}

void firstRun(Stage& stage, bool shows) {
  stage.backend().setModels({bundledModel()});
  hub(stage);
  if (shows) stage.app().getModels()->offers()->show();
  stage.rest();
}

/// A download that failed while the sheet is open, and a file that cannot be stored.
void failedFile(Stage& stage) {
  FakeHub& made = page(stage);
  HubListing listing = qwen();
  listing.choices[3].target.clear();
  listing.choices[3].problem =
      errorText(make_error(ErrorCode::kUnsupported,
                           "%1 has a file with the name \"%2\", which is not safe to store. Choose "
                           "another model",
                           {"Qwen/Qwen3-8B-GGUF", "con.gguf"}));
  made.listings["Qwen/Qwen3-8B-GGUF"] = listing;
  source(stage).open();
  source(stage).openModel("Qwen/Qwen3-8B-GGUF");
  stage.rest();
  source(stage).get(0);
  made.change(1, [](HubDownload& row) {
    row.state = Phase::kFailed;
    row.problem = {errorText(
        make_error(ErrorCode::kIo,
                   "%1 cannot be written, because the disk is full. What was downloaded is kept; "
                   "free some space, then try again",
                   {"/models/q4.part"}))};
  });
  stage.rest();
}

void firstDownload(Stage& stage, Phase phase) {
  stage.backend().setModels({bundledModel()});
  FakeHub& made = hub(stage);
  stage.app().getModels()->offers()->show();
  stage.rest();
  stage.app().getModels()->offers()->act(1);
  made.change(1, [phase](HubDownload& row) {
    row.state = phase;
    row.bytes = row.totalBytes * 2 / 5;
    row.bytesPerSecond = 34'000'000;
  });
  stage.rest();
}

/// A model of another application is on this computer.
void firstRunFound(Stage& stage) {
  hub(stage);
  addFile(stage, ".lmstudio/models/lmstudio-community/phi/Phi-4-mini-instruct-Q6_K.gguf");
  stage.backend().setModels({bundledModel()});
  stage.app().models()->rescan();
  stage.rest();
  stage.settle(400);
}

QList<State> states() {
  return {{"models", "get-empty", open},
          {"models", "get-results", results},
          {"models", "get-files", files},
          {"models", "get-downloading", whileDownloading},
          {"models", "get-gated", gated},
          {"models", "get-refused", refused},
          {"models", "get-searching", searching},
          {"models", "offers-refused", offersRefused},
          {"models", "get-options", settings},
          {"models", "get-failed", failedFile},
          {"models", "downloads", downloading},
          {"models", "downloads-failed", failed},
          {"models", "download-cancel", cancelling},
          {"models", "offers", offers},
          {"chat", "first-run-offer", [](Stage& s) { firstRun(s, false); }, {1440, 900}, true},
          {"chat", "first-run-offers", [](Stage& s) { firstRun(s, true); }, {1440, 900}, true},
          {"chat", "first-run-refused", firstRunRefused, {1440, 900}, true},
          {"models", "get-files-narrow", files, {1024, 640}},
          {"chat", "first-run-narrow", [](Stage& s) { firstRun(s, true); }, {1024, 640}, true},
          {"chat", "first-run-found", firstRunFound, {1440, 900}, true},
          {"chat",
           "first-run-downloading",
           [](Stage& s) { firstDownload(s, Phase::kRunning); },
           {1440, 900},
           true},
          {"chat",
           "first-run-downloaded",
           [](Stage& s) { firstDownload(s, Phase::kDone); },
           {1440, 900},
           true}};
}

}  // namespace
}  // namespace getting

QList<State> getModelsStates() {
  return getting::states();
}

}  // namespace quire::gallery
