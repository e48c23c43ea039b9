#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "tests/bench/window/measures.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_application.h"
#include "tests/ui/window_driver.h"

namespace quire::bench {
namespace {

constexpr int kNumChats = 8;
constexpr int kTickMs = 33;
constexpr int kSeconds = 8;
constexpr double kCharactersPerToken = 4.0;
constexpr double kTokensPerSecond = 100.0;

QString longAnswer() {
  const QString part = QStringLiteral(
      "A paragraph with **bold** words, `code`, and [a link](https://example.org) that goes on for "
      "a line or two, as answers do.\n\n```cpp\nfor (int i = 0; i < n; ++i) sum += values[i];\n"
      "return sum;\n```\n\n- first point\n- second point with a few more words\n\n");
  return part.repeated(40);
}

/// How long a picture takes from the first work on it until it is shown.
class FrameClock : public QObject {
 public:
  explicit FrameClock(QQuickWindow& window) {
    connect(&window, &QQuickWindow::afterAnimating, this, [this] { m_timer.start(); });
    connect(&window, &QQuickWindow::frameSwapped, this, [this] {
      if (m_timer.isValid()) frames.append(static_cast<double>(m_timer.nsecsElapsed()) * 1e-6);
    });
  }
  QList<double> frames;

 private:
  QElapsedTimer m_timer;
};

/// Milliseconds from a key event until the picture that has its letter.
double keyToGlyph(WindowDriver& driver) {
  QQuickItem* composer = driver.composer();
  const qsizetype before = composer->property("text").toString().size();
  bool shown = false;
  const auto connection =
      QObject::connect(driver.window(), &QQuickWindow::frameSwapped, composer,
                       [&] { shown = composer->property("text").toString().size() > before; });
  QElapsedTimer timer;
  timer.start();
  QTest::sendKeyEvent(QTest::Click, driver.window(), Qt::Key_unknown, QStringLiteral("x"),
                      Qt::NoModifier);
  while (!shown && timer.elapsed() < 2000) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  QObject::disconnect(connection);
  return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

/// Counts how often a chat says that rows of it changed, shown or not.
struct UpdateCounter {
  explicit UpdateCounter(ChatModel& chat) {
    QObject::connect(chat.timeline(), &QAbstractItemModel::dataChanged, chat.timeline(),
                     [this] { ++count; });
  }
  int count = 0;
};

}  // namespace

void measureStreaming(Figures& figures) {
  QTemporaryDir folder;
  FakeBackend backend(kTickMs);
  backend.charactersPerTick =
      static_cast<int>(kTokensPerSecond * kCharactersPerToken * kTickMs / 1000.0);
  std::vector<std::unique_ptr<UpdateCounter>> counters;  // They outlive the chats they count for.
  WindowDriver driver(backend, folder.path());
  driver.window()->resize(1440, 900);
  for (int chat = 0; chat < kNumChats; ++chat) {
    backend.queueAnswer(longAnswer());
    driver.app().newChat();
    counters.push_back(std::make_unique<UpdateCounter>(driver.chat()));
    driver.chat().sendText(QStringLiteral("Question %1").arg(chat));
  }
  driver.app().openChatBeside(driver.app().chats()->idAt(1));
  if (!QTest::qWaitFor([&] { return backend.numRunning() == kNumChats; })) {
    qFatal("The chats do not stream.");
  }
  // Somebody loads a model meanwhile: the window shows its progress.
  QTimer loading;
  QObject::connect(&loading, &QTimer::timeout, &driver.app(), [&] { emit backend.stateChanged(); });
  loading.start(100);
  QTest::qWait(300);
  for (auto& counter : counters) counter->count = 0;
  WatchedApplication::instance().reset();
  FrameClock frames(*driver.window());
  QList<double> keys;
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < kSeconds * 1000) {
    keys.append(keyToGlyph(driver));
    QTest::qWait(50 + static_cast<int>(keys.size() * 7 % 40));
  }
  const double seconds = static_cast<double>(timer.elapsed()) * 1e-3;
  int most = 0;
  for (const auto& counter : counters) most = std::max(most, counter->count);
  figures.add({QStringLiteral("key to glyph, 8 chats stream, p95"), percentile(keys, 0.95), 33.0});
  figures.add(
      {QStringLiteral("key to glyph, 8 chats stream, worst"), percentile(keys, 1.0), 100.0});
  figures.add({QStringLiteral("frame, 8 chats at 100 tokens/s, p99"),
               percentile(frames.frames, 0.99), 16.7});
  figures.add(
      {QStringLiteral("updates of a chat's rows"), most / seconds, 30.0, QStringLiteral("per s")});
  figures.add({QStringLiteral("panes that were drawn"),
               static_cast<double>(driver.app().panes()->count()), 0.0, QStringLiteral("panes")});
  const Blockage worst = WatchedApplication::instance().worst();
  figures.add({QStringLiteral("window's thread blocked, worst (%1)").arg(worst.event), worst.ms,
               kMaxBlockedMs});
}

}  // namespace quire::bench
