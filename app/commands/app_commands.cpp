#include "app/commands/app_commands.h"

#include <QCoreApplication>

#include "app/app_model.h"
#include "app/commands/answer_commands.h"

namespace quire {
namespace {

constexpr const char* kChats = QT_TRANSLATE_NOOP("quire::Commands", "Chats");
constexpr const char* kMessages = QT_TRANSLATE_NOOP("quire::Commands", "Messages");
constexpr const char* kWindow = QT_TRANSLATE_NOOP("quire::Commands", "Window");
constexpr const char* kPanes = QT_TRANSLATE_NOOP("quire::Commands", "Panes");
constexpr const char* kLists = QT_TRANSLATE_NOOP("quire::Commands", "In the list of chats");

void addFinding(AppModel& app) {
  CommandList& list = *app.commands();
  list.add({.id = "search.open",
            .group = kChats,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Search chats and messages"),
            .keys = {"Ctrl+K"},
            .run = [&app] { app.quickOpen()->showSearch(); }});
  list.add({.id = "commands.open",
            .group = kWindow,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "All commands"),
            .keys = {"Ctrl+Shift+K"},
            .run = [&app] { app.quickOpen()->showCommands(); }});
}

void addChats(AppModel& app) {
  CommandList& list = *app.commands();
  list.add({.id = "chat.new",
            .group = kChats,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "New chat"),
            .keys = {"Ctrl+N"},
            .run = [&app] { app.newChat(); }});
  list.add({.id = "chat.next",
            .group = kChats,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Next chat"),
            .keys = {"Ctrl+PgDown", "Ctrl+Tab"},
            .run = [&app] { app.openNeighbour(1); }});
  list.add({.id = "chat.previous",
            .group = kChats,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Previous chat"),
            .keys = {"Ctrl+PgUp", "Ctrl+Shift+Tab"},
            .run = [&app] { app.openNeighbour(-1); }});
}

/// What is done with the chat that is shown.
void addChat(AppModel& app) {
  CommandList& list = *app.commands();
  ChatLibrary& library = *app.library();
  const auto add = [&](const char* id, const char* text, const QStringList& keys,
                       const std::function<void(const ChatRecord&)>& act) {
    list.add({.id = QString::fromLatin1(id),
              .group = kChats,
              .text = text,
              .keys = keys,
              .run = [&app, act] { act(app.currentChat()->record()); },
              .isEnabled = [&app] { return app.storeOpen() && !app.isNewChat(); }});
  };
  add("chat.rename", QT_TRANSLATE_NOOP("quire::Commands", "Rename this chat"), {"F2"},
      [&app](const ChatRecord& chat) { app.sidebar()->renameChat(chat.id); });
  add("chat.pin", QT_TRANSLATE_NOOP("quire::Commands", "Pin this chat, or let it go"),
      {"Ctrl+Shift+D"},
      [&library](const ChatRecord& chat) { library.setPinned(chat.id, !chat.pinned); });
  add("chat.archive", QT_TRANSLATE_NOOP("quire::Commands", "Archive this chat, or bring it back"),
      {"Ctrl+Shift+E"},
      [&library](const ChatRecord& chat) { library.setArchived(chat.id, !chat.archived); });
  add("chat.unread", QT_TRANSLATE_NOOP("quire::Commands", "Mark this chat as unread"),
      {"Ctrl+Shift+U"}, [&library](const ChatRecord& chat) { library.setUnread(chat.id, true); });
  add("chat.folder", QT_TRANSLATE_NOOP("quire::Commands", "Put this chat into a new folder"), {},
      [&app, &library](const ChatRecord& chat) {
        app.sidebar()->renameFolder(library.createFolder({}, chat.id));
      });
  add("chat.delete", QT_TRANSLATE_NOOP("quire::Commands", "Delete this chat"),
      {"Ctrl+Shift+Backspace"}, [&library](const ChatRecord& chat) { library.remove(chat.id); });
  list.add({.id = "chat.undo",
            .group = kChats,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Take back what was deleted or archived"),
            .run = [&library] { library.undo(); },
            .isEnabled = [&library] { return !library.undoText().isEmpty(); }});
}

void addTransfer(AppModel& app) {
  const auto add = [&app](const char* id, const char* text, const std::function<void()>& act) {
    app.commands()->add(
        {.id = QString::fromLatin1(id),
         .group = kChats,
         .text = text,
         .run = act,
         .isEnabled = [&app] { return app.storeOpen() && !app.transfer()->isBusy(); }});
  };
  add("data.export", QT_TRANSLATE_NOOP("quire::Commands", "Export all chats"),
      [&app] { app.transfer()->askExport(0); });
  add("data.import", QT_TRANSLATE_NOOP("quire::Commands", "Import chats"),
      [&app] { app.transfer()->askImport(); });
  add("data.backUp", QT_TRANSLATE_NOOP("quire::Commands", "Back up now"),
      [&app] { app.transfer()->backUpNow(); });
}

void addMessages(AppModel& app) {
  CommandList& list = *app.commands();
  list.add({.id = "message.send",
            .group = kMessages,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Send the message"),
            .keys = {"Return"}});
  list.add({.id = "message.line",
            .group = kMessages,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Begin a new line"),
            .keys = {"Shift+Return"}});
  list.add({.id = "message.cancel",
            .group = kMessages,
            .text = QT_TRANSLATE_NOOP("quire::Commands", "Stop the answer, or leave an edit"),
            .keys = {"Esc"}});
  list.add(
      {.id = "answer.regenerate",
       .group = kMessages,
       .text = QT_TRANSLATE_NOOP("quire::Commands", "Answer once more"),
       .keys = {"Ctrl+Shift+R"},
       .run = [&app] { app.currentChat()->regenerate(app.currentChat()->conversation().head()); },
       .isEnabled =
           [&app] {
             return app.storeOpen() && !app.currentChat()->isEmpty() &&
                    app.currentChat()->canRegenerate();
           }});
  list.add(
      {.id = "answer.copy",
       .group = kMessages,
       .text = QT_TRANSLATE_NOOP("quire::Commands", "Copy the last message"),
       .keys = {"Ctrl+Shift+C"},
       .run = [&app] { app.currentChat()->copyMessage(app.currentChat()->conversation().head()); },
       .isEnabled = [&app] { return app.storeOpen() && !app.currentChat()->isEmpty(); }});
}

void addPanes(AppModel& app) {
  PaneListModel& panes = *app.panes();
  const auto add = [&](const char* id, const char* text, const QString& key,
                       const std::function<void()>& act) {
    app.commands()->add(
        {.id = QString::fromLatin1(id), .group = kPanes, .text = text, .keys = {key}, .run = act});
  };
  add("panes.1", QT_TRANSLATE_NOOP("quire::Commands", "One pane"), "Ctrl+1",
      [&panes] { panes.setCount(1); });
  add("panes.2", QT_TRANSLATE_NOOP("quire::Commands", "Two panes"), "Ctrl+2",
      [&panes] { panes.setCount(2); });
  add("panes.3", QT_TRANSLATE_NOOP("quire::Commands", "Three panes"), "Ctrl+3",
      [&panes] { panes.setCount(3); });
  add("panes.4", QT_TRANSLATE_NOOP("quire::Commands", "Four panes"), "Ctrl+4",
      [&panes] { panes.setCount(4); });
  add("panes.split", QT_TRANSLATE_NOOP("quire::Commands", "New chat in a pane beside this one"),
      "Ctrl+\\", [&panes] { panes.split(); });
  add("panes.close", QT_TRANSLATE_NOOP("quire::Commands", "Close this pane; its chat goes on"),
      "Ctrl+W", [&panes] { panes.closeFocusedPane(); });
  add("panes.left", QT_TRANSLATE_NOOP("quire::Commands", "To the pane on the left"),
      "Ctrl+Alt+Left", [&panes] { panes.moveFocus(-1, 0); });
  add("panes.right", QT_TRANSLATE_NOOP("quire::Commands", "To the pane on the right"),
      "Ctrl+Alt+Right", [&panes] { panes.moveFocus(1, 0); });
  add("panes.up", QT_TRANSLATE_NOOP("quire::Commands", "To the pane above"), "Ctrl+Alt+Up",
      [&panes] { panes.moveFocus(0, -1); });
  add("panes.down", QT_TRANSLATE_NOOP("quire::Commands", "To the pane below"), "Ctrl+Alt+Down",
      [&panes] { panes.moveFocus(0, 1); });
  add("composer.target", QT_TRANSLATE_NOOP("quire::Commands", "Write to one chat, or to all shown"),
      "Ctrl+Shift+A", [&app] { app.composer()->toggleTarget(); });
}

void addPage(AppModel& app, const char* id, const char* text, const QStringList& keys,
             AppModel::Page page) {
  app.commands()->add({.id = QString::fromLatin1(id),
                       .group = kWindow,
                       .text = text,
                       .keys = keys,
                       .run = [&app, page] { app.setPage(page); }});
}

void addPages(AppModel& app) {
  using Page = AppModel::Page;
  addPage(app, "page.chats", QT_TRANSLATE_NOOP("quire::Commands", "Back to the chats"),
          {"Alt+Home"}, Page::Chats);
  addPage(app, "page.personas", QT_TRANSLATE_NOOP("quire::Commands", "Personas"), {"Alt+1"},
          Page::Personas);
  addPage(app, "page.models", QT_TRANSLATE_NOOP("quire::Commands", "Models"), {"Alt+2"},
          Page::Models);
  addPage(app, "page.engine", QT_TRANSLATE_NOOP("quire::Commands", "Engine"), {"Alt+3"},
          Page::Engine);
  addPage(app, "page.settings", QT_TRANSLATE_NOOP("quire::Commands", "Settings"), {"Ctrl+,"},
          Page::Settings);
  addPage(app, "page.shortcuts", QT_TRANSLATE_NOOP("quire::Commands", "Shortcuts"),
          {"F1", "Ctrl+/"}, Page::Shortcuts);
}

void addTheme(AppModel& app, const char* id, const char* text, const QString& theme) {
  app.commands()->add({.id = QString::fromLatin1(id),
                       .group = kWindow,
                       .text = text,
                       .run = [&app, theme] { app.setThemeChoice(theme); },
                       .isEnabled = [&app, theme] { return app.themeChoice() != theme; }});
}

void addWindow(AppModel& app) {
  app.commands()->add({.id = "window.sidebar",
                       .group = kWindow,
                       .text = QT_TRANSLATE_NOOP("quire::Commands", "Show or hide the sidebar"),
                       .keys = {"Ctrl+B"},
                       .run = [&app] { app.sidebar()->toggle(); }});
  addTheme(app, "theme.light", QT_TRANSLATE_NOOP("quire::Commands", "Theme: light"), "light");
  addTheme(app, "theme.dark", QT_TRANSLATE_NOOP("quire::Commands", "Theme: dark"), "dark");
  addTheme(app, "theme.system", QT_TRANSLATE_NOOP("quire::Commands", "Theme: as the system"),
           "system");
  app.commands()->add(
      {.id = "window.engine",
       .group = kWindow,
       .text = QT_TRANSLATE_NOOP("quire::Commands", "Show or hide the engine beside the chats"),
       .keys = {"Ctrl+Shift+I"},
       .run = [&app] { app.setEnginePanel(!app.enginePanel()); }});
  app.commands()->add({.id = "window.quit",
                       .group = kWindow,
                       .text = QT_TRANSLATE_NOOP("quire::Commands", "Quit"),
                       .keys = {"Ctrl+Q"},
                       .run = [] { QCoreApplication::quit(); }});
}

/// Keys that the list of chats has by itself.
void tellListKeys(CommandList& list) {
  const auto tell = [&](const char* id, const char* text, const QStringList& keys) {
    list.add({.id = QString::fromLatin1(id), .group = kLists, .text = text, .keys = keys});
  };
  tell("list.move", QT_TRANSLATE_NOOP("quire::Commands", "Open the chat above or below"),
       {"Up", "Down"});
  tell("list.extend", QT_TRANSLATE_NOOP("quire::Commands", "Select several chats"),
       {"Shift+Up", "Shift+Down"});
  tell("list.all", QT_TRANSLATE_NOOP("quire::Commands", "Select all"), {"Ctrl+A"});
  tell("list.menu", QT_TRANSLATE_NOOP("quire::Commands", "What can be done with the chat"),
       {"Menu", "Shift+F10"});
  tell("list.delete", QT_TRANSLATE_NOOP("quire::Commands", "Delete what is selected"), {"Del"});
}

}  // namespace

void addAppCommands(AppModel& app) {
  addChats(app);
  addFinding(app);
  addChat(app);
  addTransfer(app);
  addMessages(app);
  addPanes(app);
  addAnswerCommands(app);
  addPages(app);
  addWindow(app);
  tellListKeys(*app.commands());
}

}  // namespace quire
