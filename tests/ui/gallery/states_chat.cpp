#include <QDateTime>
#include <QFile>

#include "tests/ui/gallery/sample_errors.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

void streaming(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.choosePersona(0);
  stage.ask(words().paging, words().pagingAnswer, 37);
}

void answer(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().paging, words().pagingAnswer);
}

/// The pointer rests on the speed of an answer.
void guesses(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.backend().draftedTokens = 41;
  stage.backend().acceptedTokens = 30;
  stage.ask(words().paging, words().pagingAnswer);
  constexpr int kHintMs = 900;
  stage.pointAt("speedFact");
  stage.settle(kHintMs);
}

/// "Find in this chat" with its second match.
void find(Stage& stage) {
  answer(stage);
  stage.chat().find()->open();
  stage.chat().find()->setQuery(isKorean() ? "페이지" : "page");
  stage.settle(300);
  stage.chat().find()->move(1);
  stage.settle(300);
}

void findNothing(Stage& stage) {
  answer(stage);
  stage.chat().find()->open();
  stage.chat().find()->setQuery(words().notFound);
  stage.settle(300);
}

/// Types into the composer.
void write(Stage& stage, const QString& text) {
  QQuickItem* field = stage.waitFor("composerText");
  field->setProperty("text", text);
  field->setProperty("cursorPosition", text.size());
}

/// The menu that a slash opens, with a saved prompt.
void slash(Stage& stage) {
  answer(stage);
  SlashMenu& menu = *stage.app().composer()->slash();
  write(stage, words().tableQuestion + "\n/");
  menu.choose(menu.numRows() - 1);
  write(stage, "/");
  menu.point(menu.numRows() - 1, true);
  stage.settle(200);
}

void reading(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.backend().charactersPerTick = 1;
  stage.ask(words().paging, "x", 0);
}

/// An answer that failed, and one that was stopped.
void errors(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().child, words().childAnswer);
  stage.backend().failNext(tooLongPrompt());
  stage.ask(words().sharing, {});
  stage.ask(words().paging, words().pagingAnswer, 6);
  stage.chat().turns()->stop();
}

/// A chat that no longer fits: what the last answer left out, and what the next message would.
void overflow(Stage& stage) {
  answer(stage);
  FakeBackend& backend = stage.backend();
  backend.contextTokens = 4096;
  backend.promptDetails = {.diskTokens = 64, .droppedMessages = 6};
  backend.promptDetails.miss = {.reason = PrefixMiss::Reason::kChanged, .message = 6};
  backend.foretold = {
      .promptTokens = 2412, .contextTokens = 4096, .droppedMessages = 10, .error = {}};
  stage.ask(words().sharing, words().sharingAnswer);
  stage.chat().composer()->setDraft(words().child);
  stage.settle(500);
}

void tooLong(Stage& stage) {
  stage.fill();
  FakeBackend& backend = stage.backend();
  backend.contextTokens = 4096;
  backend.foretold = {
      .promptTokens = 9412, .contextTokens = 4096, .droppedMessages = 2, .error = tooLongPrompt()};
  backend.setState(ModelManager::State::Ready);
  stage.chat().composer()->setDraft(words().longLine.repeated(600));
  stage.settle(500);
}

QUrl put(const Stage& stage, const QString& name, const QString& text) {
  QFile file(stage.path(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0) qFatal("No file.");
  return QUrl::fromLocalFile(file.fileName());
}

void attach(Stage& stage, int tokens) {
  stage.fill();
  stage.backend().foretold = {.promptTokens = tokens, .contextTokens = 8192};
  if (tokens > 8192) stage.backend().foretold.error = tooLongPrompt();
  stage.chat().composer()->setDraft(words().tableQuestion);
  AttachmentList& files = *stage.app().composer()->files();
  files.add({put(stage, "prices.csv", words().table),
             put(stage, isKorean() ? "회의록.md" : "minutes.md", words().longLine.repeated(40))});
  stage.settle(500);
}

void attachmentRead(Stage& stage) {
  attach(stage, 60);
  stage.app().composer()->reader()->open(stage.app().composer()->files(), 0);
  stage.settle(200);
}

void failedModel(Stage& stage) {
  stage.fill();
  stage.backend().setState(ModelManager::State::Failed, cutOffGguf("Qwen3-8B.gguf"));
}

}  // namespace

QList<State> chatStates() {
  return {
      {.page = "chat", .name = "first-run", .draw = [](Stage&) {}, .isGreeted = true},
      {"chat", "empty", [](Stage&) {}},
      {"chat", "welcome-several", [](Stage& s) { s.app().firstRun()->pick(); }},
      {"chat", "welcome",
       [](Stage& s) {
         s.fill();
         s.newChat();
         s.choosePersona(0);
       }},
      {"chat", "reading", reading},
      {"chat", "streaming", streaming},
      {"chat", "answer", answer},
      {"chat", "guesses", guesses},
      {"chat", "find", find},
      {"chat", "find-nothing", findNothing},
      {"chat", "slash-menu", slash},
      {"chat", "narrow", answer, {720, 600}},
      {"chat", "letter", [](Stage& s) { s.fill(); }},
      {"chat", "errors", errors},
      {"chat", "overflow", overflow},
      {"chat", "too-long", tooLong},
      {"chat", "files", [](Stage& s) { attach(s, 412); }},
      {"chat", "file-too-large", [](Stage& s) { attach(s, 12'400); }},
      {"chat", "file-read", attachmentRead},
      {"chat", "model-loading",
       [](Stage& s) {
         s.fill();
         s.backend().setState(ModelManager::State::Loading, "Loading Qwen3-8B-Q4_K_M.gguf…", 0.42);
       }},
      {"chat", "model-failed", failedModel},
  };
}

}  // namespace quire::gallery
