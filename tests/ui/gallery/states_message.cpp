#include <QTest>

#include "tests/ui/gallery/long_texts.h"
#include "tests/ui/gallery/reversed_texts.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

void asked(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().child, words().childAnswer);
}

void openMenu(Stage& stage) {
  asked(stage);
  stage.settle();
  const QQuickItem* timeline = stage.waitFor("timeline");
  stage.clickAt(timeline->mapToScene({timeline->width() / 2, 110}).toPoint(), Qt::RightButton);
}

/// Two versions of the question, and two of the answer to the second.
void versions(Stage& stage) {
  asked(stage);
  ChatModel& chat = stage.chat();
  chat.editor()->edit(chat.conversation().path().first());
  chat.editor()->setText(words().edited);
  stage.backend().queueAnswer(words().childAnswer);
  chat.editor()->save();
  stage.settle();
  stage.backend().advance(1000);
  stage.settle();
  stage.backend().queueAnswer(words().pagingAnswer);
  chat.turns()->regenerate(chat.conversation().head());
  stage.settle();
  stage.backend().advance(1000);
}

void reasoned(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().roots, words().rootsAnswer);
}

/// Formulas of every kind, in the text and displayed.
void formulas(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().roots, QString::fromUtf8(kFormulas), 4000);
}

void reversed(Stage& stage, const char* question, const char* answer) {
  stage.fill();
  stage.newChat();
  stage.ask(QString::fromUtf8(question), QString::fromUtf8(answer), 4000);
}

void cutOff(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().paging, words().pagingAnswer, 20);
  stage.chat().turns()->stop();
}

/// Long code and a long question, as they are when a chat is opened.
void folded(Stage& stage) {
  stage.fill();
  stage.newChat();
  QString code = "```cpp\n";
  for (int i = 0; i < 812; ++i) code += QString("int value%1 = compute(%1);  // line\n").arg(i);
  stage.ask((words().longLine + "\n").repeated(200), code + "```\n", 5000);
  const RecordId id = stage.chat().chatId();
  stage.settle(300);
  stage.open();
  stage.app().navigation()->openChat(id);
}

void selectAll(Stage& stage) {
  formulas(stage);
  stage.settle();
  stage.chat().selection()->selectAll(stage.chat().timeline());
}

/// From the middle of the question into the answer, with the menu that copies it.
void selectPart(Stage& stage) {
  asked(stage);
  stage.settle();
  const QList<RecordId>& path = stage.chat().conversation().path();
  ChatSelection& selection = *stage.chat().selection();
  selection.start(*stage.chat().timeline(), {path.first(), 0, 4}, TextUnit::Character);
  selection.extend({path.last(), 1, 12});
  const QQuickItem* timeline = stage.waitFor("timeline");
  stage.clickAt(timeline->mapToScene({timeline->width() / 2, 110}).toPoint(), Qt::RightButton);
}

void moveCaret(Stage& stage) {
  asked(stage);
  stage.settle();
  auto* area = stage.waitFor("selectionArea");
  area->forceActiveFocus();
  for (const Qt::Key key : {Qt::Key_F7, Qt::Key_Home, Qt::Key_Right, Qt::Key_Right})
    QMetaObject::invokeMethod(area, "handleKey", Q_ARG(int, key), Q_ARG(int, Qt::NoModifier));
}

void openLink(Stage& stage) {
  asked(stage);
  QMetaObject::invokeMethod(stage.waitFor("timeline"), "linkRequested",
                            Q_ARG(QString, "https://arxiv.org/abs/2309.06180"));
}

}  // namespace

QList<State> messageStates() {
  return {
      {"message", "menu", openMenu},
      {"message", "versions", versions},
      {"message", "edit",
       [](Stage& s) {
         asked(s);
         s.chat().composer()->setDraft(words().sharing);
         s.chat().editor()->edit(s.chat().conversation().path().first());
       }},
      {"message", "reasoning-folded", reasoned},
      {"message", "reasoning-open",
       [](Stage& s) {
         reasoned(s);
         s.chat().timeline()->toggleFold(1);
       }},
      {"message", "thinking",
       [](Stage& s) {
         s.fill();
         s.newChat();
         s.ask(words().roots, words().rootsAnswer, 7);
       }},
      {"message", "folded", folded},
      {"message", "cut-off", cutOff},
      {"message", "details",
       [](Stage& s) {
         asked(s);
         s.chat().history()->showDetails(s.chat().conversation().head());
       }},
      {"message", "deleted",
       [](Stage& s) {
         asked(s);
         s.ask(words().sharing, words().sharingAnswer);
         s.chat().history()->remove(s.chat().conversation().path()[2]);
       }},
      {"message", "math", formulas},
      {"message",
       "arabic",
       [](Stage& s) { reversed(s, kArabicQuestion, kArabicAnswer); },
       {1440, 1300}},
      {"message", "hebrew", [](Stage& s) { reversed(s, kHebrewQuestion, kHebrewAnswer); }},
      {"message", "link", openLink},
      {"message", "selected", selectAll},
      {"message", "selected-part", selectPart},
      {"message", "caret", moveCaret},
  };
}

}  // namespace quire::gallery
