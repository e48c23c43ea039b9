#include "app/desktop_link.h"

#include "app/session/freedesktop_notifications.h"
#include "app/session/launcher_entry.h"

namespace quire {
namespace {

TaskState taskState(AppModel& app) {
  TaskState state = {.numAnswering = app.chats()->numGenerating()};
  const DownloadList& downloads = *app.getModels()->downloads();
  if (app.engine()->isLoading()) {
    state.progress = app.engine()->progress();
  } else if (downloads.isActive()) {
    state.progress = downloads.progress();
  }
  return state;
}

}  // namespace

void linkDesktop(AppModel& app) {
  app.notifier()->setDesktop(makeDesktopNotifications());
  LauncherEntry* entry = makeLauncherEntry().release();
  if (!entry) return;
  entry->setParent(&app);
  const auto show = [&app, entry] { entry->show(taskState(app)); };
  QObject::connect(app.chats(), &ChatListModel::generatingChanged, entry, show);
  QObject::connect(app.engine(), &EngineStatus::changed, entry, show);
  QObject::connect(app.getModels()->downloads(), &DownloadList::progressed, entry, show);
}

}  // namespace quire
