// What a token costs in the conversation, and what opening a big chat does: bench_timeline
// [model|view|open...]. QT_QPA_PLATFORM=offscreen and the software renderer unless set otherwise.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

#include "app/chat/timeline_model.h"
#include "app/store/conversation_store.h"
#include "tests/bench/bench_texts.h"
#include "tests/bench/token_cost.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_application.h"
#include "tests/ui/window_driver.h"

namespace {

using namespace quire;

void printRow(const QString& kind, const QList<double>& costs) {
  std::printf("  %-10s %10.1f %10.1f %10.1f   x%.2f\n", qPrintable(kind), costs[0], costs[1],
              costs[2], costs[2] / costs[0]);
  std::fflush(stdout);
}

MessageRecord message(RecordId id, RecordId parent, MessageRole role, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = parent;
  record.role = role;
  record.setText(text);
  return record;
}

void waitForFrame(QQuickWindow* window) {
  bool drawn = false;
  const auto once = QObject::connect(window, &QQuickWindow::frameSwapped, [&] { drawn = true; });
  QElapsedTimer clock;
  clock.start();
  while (!drawn && clock.elapsed() < 200) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  QObject::disconnect(once);
}

int countDelegates(QQuickItem* list) {
  const auto* content = list->property("contentItem").value<QQuickItem*>();
  return static_cast<int>(content->childItems().size());
}

void openCosts(const QString& name, const QList<MessageRecord>& messages) {
  QTemporaryDir folder;
  {
    auto store = ConversationStore::open(folder.path());
    if (!store) qFatal("No store.");
    NewChat chat;
    chat.chat.id = 1;
    chat.chat.title = name;
    chat.chat.headMessageId = messages.last().id;
    chat.chat.activeMs = 1;
    chat.messages = messages;
    if (!(*store)->createChat(chat)) qFatal("No chat.");
    ChatRecord other;
    other.id = 2;
    other.activeMs = 2;
    other.title = "other";
    if (!(*store)->putChat(other)) qFatal("No chat.");
  }
  FakeBackend backend;
  WindowDriver driver(backend, folder.path());
  driver.window()->resize(1440, 900);
  driver.app().navigation()->openChat(2);
  QTest::qWait(300);
  WatchedApplication& watch = WatchedApplication::instance();
  watch.reset();
  QElapsedTimer clock;
  clock.start();
  driver.app().navigation()->openChat(1);
  const double call = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
  waitForFrame(driver.window());
  const double first = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
  const auto newest = messages.last().id;
  const auto hasEnd = [&] {
    const TimelineModel& rows = *driver.chat().timeline();
    return rows.rowCount() > 0 &&
           rows.data(rows.index(rows.rowCount() - 1), TimelineModel::kMessageId) == newest;
  };
  while (!hasEnd()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  waitForFrame(driver.window());
  const double end = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
  while (driver.chat().timeline()->isLoading())
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  const double all = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
  QTest::qWait(300);
  QQuickItem* list = driver.item("timeline");
  int most = countDelegates(list);
  for (int step = 0; step < 200; ++step) {
    list->setProperty("contentY", list->property("contentY").toDouble() - 500.0);
    QCoreApplication::processEvents();
    most = std::max(most, countDelegates(list));
  }
  std::printf("  %-28s %6.0f %8.0f %8.0f %8.0f %9.1f %6d %9d\n", qPrintable(name), call, first, end,
              all, watch.worst().ms, driver.chat().timeline()->rowCount(), most);
  std::printf("    worst event: %s\n", qPrintable(watch.worst().event));
  std::fflush(stdout);
}

void openAll() {
  std::printf(
      "opening a chat, ms        call    first   end shown   all   worst event  rows  delegates\n");
  QList<MessageRecord> many;
  for (int i = 1; i <= 2000; ++i) {
    const MessageRole role = i % 2 == 1 ? MessageRole::User : MessageRole::Assistant;
    const QString text = i % 2 == 1 ? QStringLiteral("Question %1, in a line or two.").arg(i)
                                    : benchText("mixed", 1200);
    many.append(message(i + 10, i == 1 ? 0 : i + 9, role, text));
  }
  openCosts("2,000 messages", many);
  for (const QString& kind : benchKinds()) {
    openCosts("300,000 tokens of " + kind,
              {message(11, 0, MessageRole::User, "question"),
               message(12, 11, MessageRole::Assistant, benchText(kind, 1'200'000))});
  }
  openCosts("300,000 tokens by the user",
            {message(11, 0, MessageRole::User, benchText("mixed", 1'200'000)),
             message(12, 11, MessageRole::Assistant, "answer")});
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (qEnvironmentVariableIsEmpty("QT_QUICK_BACKEND")) qputenv("QT_QUICK_BACKEND", "software");
  qputenv("QSG_RENDER_LOOP", "basic");
  WatchedApplication application(argc, argv);
  setUpLook();
  const QStringList wanted = QGuiApplication::arguments().mid(1);
  const auto wants = [&](const char* part) { return wanted.isEmpty() || wanted.contains(part); };
  const char* const kHead = "at 500   at 5,000  at 20,000   ratio";
  if (wants("model")) {
    std::printf("µs a token, view model  %s\n", kHead);
    for (const QString& kind : benchKinds()) printRow(kind, modelTokenCosts(kind));
  }
  if (wants("view")) {
    std::printf("µs a token, with frame  %s\n", kHead);
    for (const QString& kind : benchKinds()) printRow(kind, windowTokenCosts(kind));
  }
  if (wants("open")) openAll();
  return 0;
}
