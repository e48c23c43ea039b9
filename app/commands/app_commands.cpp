#include <QCoreApplication>

#include "app/app_model.h"
#include "app/commands/command_list.h"

namespace quire {
namespace {

using Page = Navigation::Page;

constexpr const char* kChats = QT_TRANSLATE_NOOP("quire::Commands", "Chats");
constexpr const char* kMessages = QT_TRANSLATE_NOOP("quire::Commands", "Messages");
constexpr const char* kWindow = QT_TRANSLATE_NOOP("quire::Commands", "Window");
constexpr const char* kPanes = QT_TRANSLATE_NOOP("quire::Commands", "Panes");
constexpr const char* kLists = QT_TRANSLATE_NOOP("quire::Commands", "In the chat list");

/// Returns a function that adds a command of the group. Without `run` it only lists keys that a
/// control handles itself.
auto adder(CommandList& list, const char* group) {
  return [&list, group](const char* id, const char* text, const QStringList& keys,
                        const std::function<void()>& run = {},
                        const std::function<bool()>& isEnabled = {}) {
    list.add({.id = QString::fromLatin1(id),
              .group = group,
              .text = text,
              .keys = keys,
              .run = run,
              .isEnabled = isEnabled});
  };
}

/// Wraps a command so that it closes an open page before it acts on the chats: nothing changes
/// unseen.
std::function<void()> closingPageFirst(AppModel& app, const std::function<void()>& act) {
  return [&app, act] {
    if (app.navigation()->isPageOpen()) app.navigation()->closePage();
    act();
  };
}

void addChats(AppModel& app) {
  const auto add = adder(*app.commands(), kChats);
  Navigation& navigation = *app.navigation();
  add("chat.new", QT_TRANSLATE_NOOP("quire::Commands", "New chat"), {"Ctrl+N"},
      [&] { navigation.newChat(); });
  add("chat.next", QT_TRANSLATE_NOOP("quire::Commands", "Next chat"), {"Ctrl+PgDown", "Ctrl+Tab"},
      [&] { navigation.openNeighbour(1); });
  add("chat.previous", QT_TRANSLATE_NOOP("quire::Commands", "Previous chat"),
      {"Ctrl+PgUp", "Ctrl+Shift+Tab"}, [&] { navigation.openNeighbour(-1); });
  add("search.open", QT_TRANSLATE_NOOP("quire::Commands", "Search chats and messages"), {"Ctrl+K"},
      [&app] { app.quickOpen()->showSearch(); });
}

/// Actions on the current chat.
void addCurrentChat(AppModel& app) {
  const auto addAlways = adder(*app.commands(), kChats);
  ChatLibrary& library = *app.library();
  const auto add = [&](const char* id, const char* text, const QStringList& keys,
                       const std::function<void(const ChatRecord&)>& act) {
    addAlways(id, text, keys,
              closingPageFirst(app, [&app, act] { act(app.currentChat()->record()); }),
              [&app] { return app.store()->isOpen() && !app.navigation()->isNewChat(); });
  };
  add("chat.rename", QT_TRANSLATE_NOOP("quire::Commands", "Rename this chat"), {"F2"},
      [&app](const ChatRecord& chat) { app.sidebar()->renameChat(chat.id); });
  add("chat.pin", QT_TRANSLATE_NOOP("quire::Commands", "Pin or unpin chat"), {"Ctrl+Shift+D"},
      [&library](const ChatRecord& chat) { library.setPinned(chat.id, !chat.pinned); });
  add("chat.archive", QT_TRANSLATE_NOOP("quire::Commands", "Archive or unarchive chat"),
      {"Ctrl+Shift+E"},
      [&library](const ChatRecord& chat) { library.setArchived(chat.id, !chat.archived); });
  add("chat.unread", QT_TRANSLATE_NOOP("quire::Commands", "Mark this chat as unread"),
      {"Ctrl+Shift+U"}, [&library](const ChatRecord& chat) { library.setUnread(chat.id, true); });
  add("chat.folder", QT_TRANSLATE_NOOP("quire::Commands", "Move this chat to a new folder"), {},
      [&app, &library](const ChatRecord& chat) {
        app.sidebar()->renameFolder(library.createFolder({}, chat.id));
      });
  add("chat.delete", QT_TRANSLATE_NOOP("quire::Commands", "Delete this chat"),
      {"Ctrl+Shift+Backspace"}, [&library](const ChatRecord& chat) { library.remove(chat.id); });
  addAlways(
      "chat.undo", QT_TRANSLATE_NOOP("quire::Commands", "Undo deleting or archiving"), {},
      [&library] { library.undo(); }, [&library] { return !library.undoText().isEmpty(); });
  addAlways(
      "chat.erase",
      QT_TRANSLATE_NOOP("quire::Commands", "Delete what was just deleted from the backups too"), {},
      [&library] { library.eraser()->ask(); },
      [&library] { return library.eraser()->isOffered(); });
}

void addTransfer(AppModel& app) {
  const auto add = adder(*app.commands(), kChats);
  const auto canTransfer = [&app] { return app.store()->isOpen() && !app.transfer()->isBusy(); };
  add(
      "data.export", QT_TRANSLATE_NOOP("quire::Commands", "Export all chats"), {},
      [&app] { app.transfer()->askExport(0); }, canTransfer);
  add(
      "data.import", QT_TRANSLATE_NOOP("quire::Commands", "Import chats"), {},
      [&app] { app.transfer()->askImport(); }, canTransfer);
  add(
      "data.backUp", QT_TRANSLATE_NOOP("quire::Commands", "Back up now"), {},
      [&app] { app.transfer()->backUpNow(); }, canTransfer);
}

bool hasMessages(AppModel& app) {
  return app.store()->isOpen() && !app.currentChat()->isEmpty();
}

void addFind(AppModel& app) {
  const auto addAlways = adder(*app.commands(), kMessages);
  const auto add = [&](const char* id, const char* text, const QStringList& keys,
                       const std::function<void(ChatFind&)>& act) {
    addAlways(
        id, text, keys, [&app, act] { act(*app.currentChat()->find()); },
        [&app] { return hasMessages(app) && !app.navigation()->isPageOpen(); });
  };
  add("find.open", QT_TRANSLATE_NOOP("quire::Commands", "Find in this chat"), {"Ctrl+F"},
      [](ChatFind& find) { find.open(); });
  add("find.next", QT_TRANSLATE_NOOP("quire::Commands", "Next match"), {"F3"},
      [](ChatFind& find) { find.move(1); });
  add("find.previous", QT_TRANSLATE_NOOP("quire::Commands", "Previous match"), {"Shift+F3"},
      [](ChatFind& find) { find.move(-1); });
}

void addMessages(AppModel& app) {
  const auto add = adder(*app.commands(), kMessages);
  add("message.send", QT_TRANSLATE_NOOP("quire::Commands", "Send the message"), {"Return"});
  add("message.line", QT_TRANSLATE_NOOP("quire::Commands", "Start a new line"), {"Shift+Return"});
  add("message.cancel", QT_TRANSLATE_NOOP("quire::Commands", "Stop the answer, or cancel an edit"),
      {"Esc"});
  add("answers.pause", QT_TRANSLATE_NOOP("quire::Commands", "Pause or resume all answers"),
      {"Ctrl+Shift+P"}, [&app] { app.pause()->toggle(); });
}

/// Actions on the last message of the current chat.
void addLastMessage(AppModel& app) {
  const auto addAlways = adder(*app.commands(), kMessages);
  const auto add = [&](const char* id, const char* text, const QString& key,
                       const std::function<void(ChatModel&, RecordId)>& act,
                       const std::function<bool(ChatTurns&)>& canAct = {}) {
    const auto run = [&app, act] {
      ChatModel& chat = *app.currentChat();
      act(chat, chat.conversation().head());
    };
    addAlways(id, text, {key}, closingPageFirst(app, run), [&app, canAct] {
      return hasMessages(app) && (!canAct || canAct(*app.currentChat()->turns()));
    });
  };
  add(
      "answer.regenerate", QT_TRANSLATE_NOOP("quire::Commands", "Regenerate the answer"),
      "Ctrl+Shift+R", [](ChatModel& chat, RecordId head) { chat.turns()->regenerate(head); },
      [](ChatTurns& turns) { return turns.canRegenerate(); });
  add("answer.copy", QT_TRANSLATE_NOOP("quire::Commands", "Copy the last message"), "Ctrl+Shift+C",
      [](ChatModel& chat, RecordId head) { chat.history()->copyMarkdown(head); });
  add(
      "answer.continue", QT_TRANSLATE_NOOP("quire::Commands", "Continue the interrupted answer"),
      "Ctrl+Shift+G", [](ChatModel& chat, RecordId head) { chat.turns()->continueAnswer(head); },
      [](ChatTurns& turns) { return turns.continuable() != 0; });
  add("message.fork", QT_TRANSLATE_NOOP("quire::Commands", "Fork this chat at its last message"),
      "Ctrl+Shift+F", [](ChatModel& chat, RecordId head) { chat.history()->fork(head); });
}

auto paneAdder(AppModel& app) {
  return [&app, add = adder(*app.commands(), kPanes)](
             const char* id, const char* text, const QStringList& keys,
             const std::function<void(PaneListModel&)>& act) {
    add(id, text, keys, closingPageFirst(app, [&app, act] { act(*app.panes()); }));
  };
}

void addPanes(AppModel& app) {
  using Panes = PaneListModel;
  const auto add = paneAdder(app);
  add("panes.1", QT_TRANSLATE_NOOP("quire::Commands", "One pane"), {"Ctrl+1"},
      [](Panes& panes) { panes.setCount(1); });
  add("panes.2", QT_TRANSLATE_NOOP("quire::Commands", "Two panes"), {"Ctrl+2"},
      [](Panes& panes) { panes.setCount(2); });
  add("panes.3", QT_TRANSLATE_NOOP("quire::Commands", "Three panes"), {"Ctrl+3"},
      [](Panes& panes) { panes.setCount(3); });
  add("panes.4", QT_TRANSLATE_NOOP("quire::Commands", "Four panes"), {"Ctrl+4"},
      [](Panes& panes) { panes.setCount(4); });
  add("panes.split", QT_TRANSLATE_NOOP("quire::Commands", "New chat in another pane"), {"Ctrl+\\"},
      [](Panes& panes) { panes.split(); });
  add("panes.left", QT_TRANSLATE_NOOP("quire::Commands", "To the pane on the left"),
      {"Ctrl+Alt+Left"}, [](Panes& panes) { panes.moveFocus(-1, 0); });
  add("panes.right", QT_TRANSLATE_NOOP("quire::Commands", "To the pane on the right"),
      {"Ctrl+Alt+Right"}, [](Panes& panes) { panes.moveFocus(1, 0); });
  add("panes.up", QT_TRANSLATE_NOOP("quire::Commands", "To the pane above"), {"Ctrl+Alt+Up"},
      [](Panes& panes) { panes.moveFocus(0, -1); });
  add("panes.down", QT_TRANSLATE_NOOP("quire::Commands", "To the pane below"), {"Ctrl+Alt+Down"},
      [](Panes& panes) { panes.moveFocus(0, 1); });
  add("composer.target", QT_TRANSLATE_NOOP("quire::Commands", "Write to one chat, or to all shown"),
      {"Ctrl+Shift+A"}, [&app](Panes&) { app.composer()->toggleTarget(); });
}

/// Closes the page that is shown, or else the focused pane.
void addClose(AppModel& app) {
  const auto add = adder(*app.commands(), kPanes);
  add("panes.close", QT_TRANSLATE_NOOP("quire::Commands", "Close this pane; its chat goes on"),
      {"Ctrl+W"}, [&app] {
        if (app.navigation()->isPageOpen()) return app.navigation()->closePage();
        app.panes()->closeFocusedPane();
      });
}

void addPages(AppModel& app) {
  const auto addAny = adder(*app.commands(), kWindow);
  const auto add = [&](const char* id, const char* text, const QStringList& keys, Page page) {
    addAny(id, text, keys, [&app, page] { app.navigation()->setPage(page); });
  };
  add("page.chats", QT_TRANSLATE_NOOP("quire::Commands", "Back to the chats"), {"Alt+Home"},
      Page::Chats);
  addAny("page.close", QT_TRANSLATE_NOOP("quire::Commands", "Close the page"), {"Esc"});
  add("page.personas", QT_TRANSLATE_NOOP("quire::Commands", "Personas"), {"Alt+1"}, Page::Personas);
  add("page.models", QT_TRANSLATE_NOOP("quire::Commands", "Models"), {"Alt+2"}, Page::Models);
  addAny(
      "models.get", QT_TRANSLATE_NOOP("quire::Commands", "Get models"), {},
      [&app] {
        app.navigation()->setPage(Page::Models);
        app.getModels()->open();
      },
      [&app] { return app.getModels()->isAvailable() && app.store()->isOpen(); });
  add("page.engine", QT_TRANSLATE_NOOP("quire::Commands", "Engine"), {"Alt+3"}, Page::Engine);
  add("page.settings", QT_TRANSLATE_NOOP("quire::Commands", "Settings"), {"Ctrl+,"},
      Page::Settings);
  add("page.shortcuts", QT_TRANSLATE_NOOP("quire::Commands", "Shortcuts"), {"F1", "Ctrl+/"},
      Page::Shortcuts);
}

void addWindow(AppModel& app) {
  const auto add = adder(*app.commands(), kWindow);
  Appearance& appearance = *app.appearance();
  const auto addTheme = [&](const char* id, const char* text, const QString& theme) {
    add(
        id, text, {}, [&appearance, theme] { appearance.setThemeChoice(theme); },
        [&appearance, theme] { return appearance.themeChoice() != theme; });
  };
  add("commands.open", QT_TRANSLATE_NOOP("quire::Commands", "All commands"), {"Ctrl+Shift+K"},
      [&app] { app.quickOpen()->showCommands(); });
  add("window.sidebar", QT_TRANSLATE_NOOP("quire::Commands", "Show or hide the sidebar"),
      {"Ctrl+B"}, [&app] { app.sidebar()->toggle(); });
  addTheme("theme.light", QT_TRANSLATE_NOOP("quire::Commands", "Theme: light"), "light");
  addTheme("theme.dark", QT_TRANSLATE_NOOP("quire::Commands", "Theme: dark"), "dark");
  addTheme("theme.system", QT_TRANSLATE_NOOP("quire::Commands", "Theme: system"), "system");
  add("window.engine", QT_TRANSLATE_NOOP("quire::Commands", "Show or hide the engine panel"),
      {"Ctrl+Shift+I"}, [&app] {
        const bool isWanted = !app.navigation()->showsEnginePanel();
        app.navigation()->setPage(Page::Chats);
        app.navigation()->setEnginePanel(isWanted);
      });
  add("window.quit", QT_TRANSLATE_NOOP("quire::Commands", "Quit"), {"Ctrl+Q"},
      [] { QCoreApplication::quit(); });
}

/// Keys that a chat's messages handle themselves.
void addSelectionKeys(CommandList& list) {
  const auto add = adder(list, kMessages);
  add("message.selectAll", QT_TRANSLATE_NOOP("quire::Commands", "Select the whole chat"),
      {"Ctrl+A"});
  add("message.caret", QT_TRANSLATE_NOOP("quire::Commands", "Show or hide a caret in the chat"),
      {"F7"});
  add("message.extend", QT_TRANSLATE_NOOP("quire::Commands", "Extend the selection"),
      {"Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down", "Shift+Home", "Shift+End"});
  add("message.copy", QT_TRANSLATE_NOOP("quire::Commands", "Copy the selection"), {"Ctrl+C"});
}

/// Keys that the chat list handles itself.
void addListKeys(CommandList& list) {
  const auto add = adder(list, kLists);
  add("list.move", QT_TRANSLATE_NOOP("quire::Commands", "Open the chat above or below"),
      {"Up", "Down"});
  add("list.extend", QT_TRANSLATE_NOOP("quire::Commands", "Select several chats"),
      {"Shift+Up", "Shift+Down"});
  add("list.all", QT_TRANSLATE_NOOP("quire::Commands", "Select all"), {"Ctrl+A"});
  add("list.menu", QT_TRANSLATE_NOOP("quire::Commands", "Chat menu"), {"Menu", "Shift+F10"});
  add("list.delete", QT_TRANSLATE_NOOP("quire::Commands", "Delete the selected chats"), {"Del"});
}

}  // namespace

void addAppCommands(AppModel& app) {
  addChats(app);
  addCurrentChat(app);
  addTransfer(app);
  addFind(app);
  addMessages(app);
  addLastMessage(app);
  addSelectionKeys(*app.commands());
  addPanes(app);
  addClose(app);
  addPages(app);
  addWindow(app);
  addListKeys(*app.commands());
}

}  // namespace quire
