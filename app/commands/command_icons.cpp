#include "app/commands/command_icons.h"

#include <QHash>

namespace quire {
namespace {

using Icons = QHash<QString, QString>;

const Icons& icons() {
  static const Icons kIcons{
      {"chat.new", "plus"},
      {"chat.next", "down"},
      {"chat.previous", "up"},
      {"search.open", "search"},
      {"chat.rename", "edit"},
      {"chat.pin", "pin"},
      {"chat.archive", "archive"},
      {"chat.unread", "unread"},
      {"chat.folder", "folder-plus"},
      {"chat.delete", "trash"},
      {"chat.undo", "undo"},
      {"chat.erase", "trash"},
      {"data.export", "export"},
      {"data.import", "import"},
      {"data.backUp", "duplicate"},
      {"find.open", "search"},
      {"find.next", "down"},
      {"find.previous", "up"},
      {"answers.pause", "pause"},
      {"answer.regenerate", "regenerate"},
      {"answer.copy", "copy"},
      {"answer.continue", "continue"},
      {"message.fork", "fork"},
      {"panes.1", "panes-1"},
      {"panes.2", "panes-2"},
      {"panes.3", "panes-3"},
      {"panes.4", "panes-4"},
      {"panes.split", "split"},
      {"panes.left", "left"},
      {"panes.right", "right"},
      {"panes.up", "up"},
      {"panes.down", "down"},
      {"panes.close", "close"},
      {"composer.target", "panes-2"},
      {"page.chats", "left"},
      {"page.personas", "persona"},
      {"page.models", "model"},
      {"models.get", "import"},
      {"page.engine", "engine"},
      {"page.settings", "settings"},
      {"page.shortcuts", "keyboard"},
      {"window.sidebar", "sidebar"},
      {"theme.light", "theme-light"},
      {"theme.dark", "theme-dark"},
      {"theme.system", "theme-system"},
      {"window.engine", "engine"},
      {"window.quit", "close"},
  };
  return kIcons;
}

}  // namespace

QString iconOf(const Command& command) {
  return icons().value(command.id, QStringLiteral("more"));
}

}  // namespace quire
