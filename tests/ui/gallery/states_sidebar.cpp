#include <QDateTime>

#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

qint64 folderAt(const FolderListModel& folders, int row) {
  return folders.data(folders.index(row), FolderListModel::kFolderId).toLongLong();
}

ChatRecord sampleChat(Stage& stage, int i) {
  ChatRecord chat;
  chat.id = stage.app().session().ids().next();
  chat.title = words().titles[i];
  chat.titleIsAutomatic = false;
  chat.color = i % 4;
  chat.activeMs = QDateTime::currentMSecsSinceEpoch() - i * i * 20LL * 3'600'000;
  chat.createdMs = chat.activeMs;
  chat.pinned = i == 0;
  chat.archived = i >= 8;
  chat.unread = i == 3;
  return chat;
}

void openChatMenu(Stage& stage) {
  fillSidebar(stage);
  stage.settle();
  stage.click("currentChatRow", Qt::RightButton);
}

}  // namespace

/// Pinned chats, folders, several days, an archive, and an answer that nobody has read.
void fillSidebar(Stage& stage) {
  stage.fill();
  ChatLibrary& library = *stage.app().library();
  for (int i = 0; i < words().titles.size(); ++i) {
    const ChatRecord chat = sampleChat(stage, i);
    stage.app().session().writer().putChat(chat);
    library.list()->put(chat);
    if (i == 1) library.createFolder(words().folderOne, chat.id);
    if (i == 2) library.moveToFolder(chat.id, folderAt(*library.folders(), 0));
    if (i == 6) library.createFolder(words().folderTwo, chat.id);
  }
  library.toggleFolder(folderAt(*library.folders(), 1));
  stage.app().sidebar()->setOpen(true);  // In a small window it is closed.
}

QList<State> sidebarStates() {
  return {
      {"sidebar", "folders", fillSidebar},
      {"sidebar", "selection",
       [](Stage& s) {
         fillSidebar(s);
         s.app().library()->toggleArchive();
         s.app().chats()->setCurrent(s.chat().chatId());
         s.app().chats()->extendSelection(1);
       }},
      {"sidebar", "menu", openChatMenu},
      {"sidebar", "rename",
       [](Stage& s) {
         fillSidebar(s);
         s.app().sidebar()->renameChat(s.chat().chatId());
       }},
      {"sidebar", "hidden",
       [](Stage& s) {
         fillSidebar(s);
         s.app().sidebar()->toggle();
       }},
      {"sidebar", "deleted",
       [](Stage& s) {
         fillSidebar(s);
         s.app().library()->remove(s.chat().chatId());
       }},
  };
}

QList<State> searchStates() {
  return {
      {"search", "recent",
       [](Stage& s) {
         fillSidebar(s);
         s.type({});
       }},
      {"search", "results",
       [](Stage& s) {
         fillSidebar(s);
         s.type(words().found);
       }},
      {"search", "two-characters",
       [](Stage& s) {
         fillSidebar(s);
         s.type(QStringLiteral("회의"));
       }},
      {"search", "nothing",
       [](Stage& s) {
         fillSidebar(s);
         s.type(words().notFound);
       }},
      {"search", "commands",
       [](Stage& s) {
         fillSidebar(s);
         s.app().quickOpen()->showCommands();
       }},
      {"search", "commands-found",
       [](Stage& s) {
         fillSidebar(s);
         s.type(isKorean() ? QStringLiteral(">테마") : QStringLiteral(">thda"));
       }},
      {"search", "shortcuts",
       [](Stage& s) {
         fillSidebar(s);
         s.app().navigation()->setPage(Navigation::Page::Shortcuts);
       }},
  };
}

}  // namespace quire::gallery
