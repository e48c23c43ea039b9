#include "app/commands/answer_commands.h"

#include <QCoreApplication>

#include "app/app_model.h"

namespace quire {

void addAnswerCommands(AppModel& app) {
  constexpr const char* kMessages = QT_TRANSLATE_NOOP("quire::Commands", "Messages");
  CommandList& list = *app.commands();
  list.add({.id = "answers.pause",
            .group = kMessages,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Pause all answers, or go on with them"),
            .keys = {"Ctrl+Shift+P"},
            .run = [&app] { app.pause()->toggle(); }});
  list.add(
      {.id = "answer.continue",
       .group = kMessages,
       .text = QT_TRANSLATE_NOOP("quire::Commands", "Go on with the answer that was cut off"),
       .keys = {"Ctrl+Shift+G"},
       .run = [&app] { app.currentChat()->continueAnswer(app.currentChat()->continuable()); },
       .isEnabled = [&app] { return app.storeOpen() && app.currentChat()->continuable() != 0; }});
  list.add({.id = "message.fork",
            .group = kMessages,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Fork this chat at its last message"),
            .keys = {"Ctrl+Shift+F"},
            .run = [&app] { app.currentChat()->fork(app.currentChat()->conversation().head()); },
            .isEnabled = [&app] { return app.storeOpen() && !app.currentChat()->isEmpty(); }});
}

}  // namespace quire
