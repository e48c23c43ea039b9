#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

/// So many panes, each with a question and an answer, most of which are still being written.
void panes(Stage& stage, int count) {
  stage.fill();
  const QStringList questions = {words().paging, words().child, words().sharing, words().haiku};
  const QStringList answers = {words().pagingAnswer, words().childAnswer, words().sharingAnswer,
                               words().haikuAnswer};
  stage.newChat();
  stage.app().panes()->setCount(count);
  for (int pane = 0; pane < count; ++pane) {
    stage.app().panes()->setFocusedPane(pane);
    stage.choosePersona(pane % 3);
    stage.ask(questions[pane % 4], answers[pane % 4], 1);
  }
  stage.backend().advance(20);
  stage.app().panes()->setFocusedPane(0);
}

/// New chats in small panes, one of them with a persona.
void emptyPanes(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.app().panes()->setCount(4);
  stage.rest();
  stage.app().panes()->setFocusedPane(1);
  stage.choosePersona(1);
}

/// Two panes on one persona: the first goes on, the second is done.
void twoPanes(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.app().panes()->setCount(2);
  stage.app().panes()->setFocusedPane(1);
  stage.choosePersona(0);
  stage.ask(words().child, words().childAnswer, 1000);
  stage.app().panes()->setFocusedPane(0);
  stage.choosePersona(0);
  stage.ask(words().paging, words().pagingAnswer, 37);
  stage.app().composer()->setToAll(true);
}

void askSeveral(Stage& stage, int count) {
  stage.fill();
  stage.newChat();
  AskPlan& plan = *stage.app().composer()->plan();
  plan.setCount(count);
  plan.setKind(AskPlan::Kind::Temperatures);
  for (int i = 0; i < count; ++i) stage.backend().queueAnswer(words().pagingAnswer);
  stage.chat().turns()->ask(words().paging, plan.plans());
  stage.settle(200);
}

/// Four panes, and three answers in one of them.
void askInAPane(Stage& stage) {
  panes(stage, 4);
  stage.backend().advance(1000);
  stage.app().panes()->setFocusedPane(1);
  AskPlan& plan = *stage.app().composer()->plan();
  plan.setCount(3);
  for (int i = 0; i < 3; ++i) stage.backend().queueAnswer(words().pagingAnswer);
  stage.chat().turns()->ask(words().paging, plan.plans());
  stage.settle(200);
  stage.backend().advance(1000);
}

void askChoice(Stage& stage) {
  stage.fill();
  AskPlan& plan = *stage.app().composer()->plan();
  plan.setCount(3);
  plan.setKind(AskPlan::Kind::Temperatures);
  stage.settle();
  stage.click("askChip");
}

}  // namespace

QList<State> paneStates() {
  return {
      {"panes", "two", twoPanes},
      {"panes", "three", [](Stage& s) { panes(s, 3); }},
      {"panes", "four", [](Stage& s) { panes(s, 4); }},
      {"panes", "empty", emptyPanes, {1200, 800}},
      {"panes", "nine", [](Stage& s) { panes(s, 9); }, {1800, 1100}},
      {"panes", "tabs", [](Stage& s) { panes(s, 3); }, {700, 560}},
      {"panes", "layout",
       [](Stage& s) {
         panes(s, 2);
         s.settle();
         s.click("layoutButton");
       }},
      {"panes", "small", [](Stage& s) { panes(s, 2); }, {1024, 640}},
      {"panes", "paused",
       [](Stage& s) {
         panes(s, 2);
         s.app().pause()->toggle();
       }},
      {"panes", "ask-choice", askChoice},
      {"panes", "ask-writing",
       [](Stage& s) {
         askSeveral(s, 3);
         s.backend().advance(30);
       }},
      {"panes", "ask-in-four", askInAPane, {1200, 800}},
      {"panes", "ask-done",
       [](Stage& s) {
         askSeveral(s, 4);
         s.backend().advance(1000);
       }},
  };
}

}  // namespace quire::gallery
