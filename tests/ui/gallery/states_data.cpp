#include <QDir>
#include <QFile>
#include <QGuiApplication>

#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

/// A store whose beginning was overwritten, with a backup of it.
void damaged(Stage& stage) {
  stage.fill();
  stage.app().transfer()->backUpNow();
  stage.settle(600);
  stage.close();
  const QDir folder(stage.dataFolder());
  for (const QString& name : folder.entryList({"*.db"})) {
    if (name.contains("prefix")) continue;
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadWrite)) qFatal("No store.");
    file.write(QByteArray(4096, 'x'));
  }
  stage.open();
  stage.settle(500);
}

/// A page of a long answer was overwritten: the rest can be looked at.
void damagedView(Stage& stage) {
  stage.serve(QStringLiteral("Qwen3-8B-Q4_K_M"));
  stage.ask(words().sharing, QString(60'000, 'q'));
  stage.newChat();
  stage.fill();
  stage.close();
  QFile file(stage.dataFolder() + "/quire.db");
  if (!file.open(QIODevice::ReadWrite)) qFatal("No store.");
  const qint64 at = file.readAll().indexOf(QByteArray(4000, 'q')) / 4096 * 4096 + 4096;
  if (!file.seek(at) || file.write(QByteArray(4096, '\x5a')) != 4096) qFatal("No damage.");
  file.close();
  QFile log(stage.dataFolder() + "/quire.db-wal");
  if (!log.open(QIODevice::WriteOnly) || log.write(QByteArray(32, '\0')) != 32) qFatal("No log.");
  log.close();
  stage.open();
  stage.settle(500);
  stage.app().rescue()->viewer()->open();
  stage.settle(400);
  stage.waitFor("storeView");
}

/// A folder below a file cannot be made.
void unusable(Stage& stage) {
  stage.openOn(QGuiApplication::applicationFilePath() + "/quire");
  stage.settle(300);
}

/// What is written fails as on a full disk; in the words of one, for a limit on a file's size,
/// which stands in for it here, is told as another fault.
void fullDisk(Stage& stage) {
  stage.fill();
  stage.fillDisk();
  stage.chat().composer()->setDraft(words().sharing);
  stage.chat().composer()->saveDraftNow();
  stage.waitFor("pausedBar");
  const QString sentence = QCoreApplication::translate(
      "quire::StoreWords",
      "The disk is full: \"%1\" could not be written. Free some space; what was saved before "
      "is safe.");
  emit stage.app().session().writePaused(sentence.arg("~/.local/share/quire/quire.db"));
}

void quitting(Stage& stage) {
  fullDisk(stage);
  stage.window().close();
  stage.waitFor("keepTrying");
  stage.settle(300);
}

void exportChats(Stage& stage) {
  fillSidebar(stage);
  stage.app().transfer()->exportTo(0, QUrl::fromLocalFile(stage.path("chats.json")));
  stage.settle(600);
}

void importFailed(Stage& stage) {
  fillSidebar(stage);
  stage.app().transfer()->importFrom(QUrl::fromLocalFile(stage.path("chats.json")));
  stage.settle(600);
}

void import(Stage& stage) {
  exportChats(stage);
  stage.app().transfer()->dismissResult();
  stage.app().transfer()->importFrom(QUrl::fromLocalFile(stage.path("chats.json")));
  stage.settle(800);
}

void importOffer(Stage& stage) {
  exportChats(stage);
  stage.app().transfer()->dismissResult();
  stage.app().importOffer()->examine(QUrl::fromLocalFile(stage.path("chats.json")));
  stage.waitFor("importNow");
  stage.settle(300);
}

/// A chat was deleted that a backup still has.
void deleted(Stage& stage) {
  fillSidebar(stage);
  stage.app().transfer()->backUpNow();
  stage.settle(600);
  stage.app().transfer()->dismissResult();
  stage.app().library()->remove(stage.chat().chatId());
  stage.waitFor("undoMoreButton");
  stage.settle(300);
}

void askedToErase(Stage& stage) {
  deleted(stage);
  stage.app().library()->eraser()->ask();
  stage.waitFor("eraseEverywhere");
  stage.settle(300);
}

}  // namespace

QList<State> dataStates() {
  return {
      {"data", "damaged", damaged},          {"data", "unusable", unusable},
      {"data", "full-disk", fullDisk},       {"data", "exported", exportChats},
      {"data", "imported", import},          {"data", "import-failed", importFailed},
      {"data", "quitting", quitting},        {"data", "damaged-view", damagedView},
      {"data", "import-offer", importOffer}, {"data", "deleted", deleted},
      {"data", "erase", askedToErase},
  };
}

}  // namespace quire::gallery
