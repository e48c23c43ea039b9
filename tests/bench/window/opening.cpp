#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "tests/bench/window/measures.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_application.h"
#include "tests/ui/window_driver.h"

namespace quire::bench {
namespace {

constexpr int kNumMessages = 2000;
constexpr int kLongTokens = 300'000;

void demand(const Result<void>& result) {
  if (!result) qFatal("%s", result.error().message.c_str());
}

MessageRecord message(RecordId id, RecordId chat, RecordId parent, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = chat;
  record.parentId = parent;
  record.role = parent == 0 || id % 2 == 1 ? MessageRole::User : MessageRole::Assistant;
  record.setText(text);
  record.createdMs = 1'700'000'000'000 + id;
  return record;
}

/// A chat of pairs of a question and an answer; the answers are `text`.
RecordId makeChat(ConversationStore& store, RecordId first, int messages, const QString& text) {
  ChatRecord chat;
  chat.id = first;
  chat.title = QStringLiteral("Long");
  chat.createdMs = chat.activeMs = 1'700'000'000'000 + first;
  demand(store.putChat(chat));
  RecordId parent = 0;
  RecordId id = first % 2 == 0 ? first + 1 : first + 2;
  for (int i = 0; i < messages; i += 2) {
    const MessageRecord question =
        message(id, chat.id, parent, QStringLiteral("Question %1?").arg(i));
    const MessageRecord answer = message(id + 1, chat.id, id, text);
    chat.headMessageId = answer.id;
    demand(store.beginTurn(chat, question, answer));
    parent = answer.id;
    id += 2;
  }
  return chat.id;
}

QString markdownOf(int tokens) {
  const QString part = QStringLiteral(
      "## A heading\n\nSome **words** of a paragraph that is as long as they are, with `code`.\n\n"
      "```python\nfor i in range(10):\n    print(i)\n```\n\n1. one\n2. two\n\n| a | b "
      "|\n|---|---|\n"
      "| 1 | 2 |\n\n");
  return part.repeated(1 + tokens * 4 / static_cast<int>(part.size()));
}

void openAndMeasure(Figures& figures, WindowDriver& driver, RecordId chat, const QString& name,
                    double limitMs) {
  WatchedApplication::instance().reset();
  bool drawn = false;  // With the chat in it.
  const auto connection =
      QObject::connect(driver.window(), &QQuickWindow::frameSwapped, driver.window(),
                       [&] { drawn = driver.chat().chatId() == chat; });
  QElapsedTimer timer;
  timer.start();
  const double cpu = threadCpuUs();
  // From the event loop, as a click does, so that the watchdog sees it.
  QMetaObject::invokeMethod(
      &driver.app(), [&] { driver.app().navigation()->openChat(chat); }, Qt::QueuedConnection);
  while (!drawn && timer.elapsed() < 20'000) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  const double ms = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
  QObject::disconnect(connection);
  while (driver.chat().timeline()->isLoading()) QTest::qWait(10);
  QTest::qWait(300);
  figures.add({name, ms, limitMs});
  figures.add({name + QStringLiteral(": work of the window's thread, with what follows"),
               (threadCpuUs() - cpu) * 1e-3});
  if (QQuickItem* view = driver.item(QStringLiteral("timeline"))) {
    auto* content = view->property("contentItem").value<QQuickItem*>();
    figures.add({name + QStringLiteral(": delegates alive"),
                 static_cast<double>(content->childItems().size()), 60.0, QStringLiteral("items")});
  }
  const Blockage worst = WatchedApplication::instance().worst();
  figures.add({name + QStringLiteral(": window's thread blocked"), worst.ms, kMaxBlockedMs});
}

}  // namespace

void measureOpening(Figures& figures, const Options&) {
  QTemporaryDir folder;
  RecordId many = 0;
  RecordId huge = 0;
  {
    const auto store = std::move(*ConversationStore::open(folder.path()));
    many = makeChat(*store, 10, kNumMessages, markdownOf(150));
    huge = makeChat(*store, 10'000, 2, markdownOf(kLongTokens));
    makeChat(*store, 20'000, 2, QStringLiteral("short"));
  }
  FakeBackend backend;
  WindowDriver driver(backend, folder.path());
  driver.app().navigation()->openChat(20'000);
  QTest::qWait(200);
  openAndMeasure(figures, driver, many, QStringLiteral("open a chat of 2,000 messages"), 100.0);
  driver.app().navigation()->openChat(20'000);
  QTest::qWait(200);
  openAndMeasure(figures, driver, huge, QStringLiteral("open a message of 300,000 tokens"), 500.0);
}

}  // namespace quire::bench
