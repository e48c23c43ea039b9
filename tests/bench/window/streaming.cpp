#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "tests/bench/window/measures.h"
#include "tests/bench/window/streams.h"
#include "tests/support/watched_application.h"

namespace quire::bench {
namespace {

constexpr int kSeconds = 8;

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

struct Typing {
  QList<double> keysMs;
  QList<double> framesMs;
  double seconds = 0.0;
};

/// Types a letter now and then.
Typing typeFor(WindowDriver& driver, int seconds) {
  FrameClock frames(*driver.window());
  Typing typing;
  driver.composer()->forceActiveFocus();
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < seconds * 1000) {
    typing.keysMs.append(keyToGlyph(driver, driver.composer(), QStringLiteral("x")));
    QTest::qWait(50 + static_cast<int>(typing.keysMs.size() * 7 % 40));
  }
  typing.seconds = static_cast<double>(timer.elapsed()) * 1e-3;
  typing.framesMs = frames.frames;
  return typing;
}

void addFigures(Figures& figures, const Typing& typing, int mostUpdates) {
  figures.add(
      {QStringLiteral("key to glyph, 8 chats stream, p95"), percentile(typing.keysMs, 0.95), 33.0});
  figures.add({QStringLiteral("key to glyph, 8 chats stream, worst"),
               percentile(typing.keysMs, 1.0), 100.0});
  figures.add({QStringLiteral("frame, 8 chats stream, 2 shown, p99"),
               percentile(typing.framesMs, 0.99), 16.7});
  figures.add({QStringLiteral("updates of a chat's rows, the most of 8 chats"),
               mostUpdates / typing.seconds, 30.0, QStringLiteral("per s")});
}

}  // namespace

void measureStreaming(Figures& figures, const Options& options) {
  QTemporaryDir folder;
  Streams streams(options);
  const auto driver = openBenchWindow(streams.backend(), folder.path());
  QList<ChatModel*> chats;
  std::vector<std::unique_ptr<UpdateCounter>> counters;
  for (int number = 0; number < kNumStreams; ++number) {
    chats.append(&streams.begin(*driver, number));
    counters.push_back(std::make_unique<UpdateCounter>(*chats.last()));
  }
  driver->app().navigation()->openChatBeside(driver->app().chats()->idAt(1));
  streams.waitFor(chats);
  // Someone loads a model meanwhile: the window shows its progress.
  QTimer loading;
  QObject::connect(&loading, &QTimer::timeout, &driver->app(),
                   [&] { emit streams.backend().models.stateChanged(); });
  loading.start(100);
  QTest::qWait(300);
  for (auto& counter : counters) counter->count = 0;
  WatchedApplication::instance().reset();
  const double cpu = threadCpuUs();
  const Typing typing = typeFor(*driver, kSeconds);
  const double busy = (threadCpuUs() - cpu) * 1e-4 / typing.seconds;
  int most = 0;
  for (const auto& counter : counters) most = std::max(most, counter->count);
  addFigures(figures, typing, most);
  figures.add({QStringLiteral("window's thread at work"), busy, {}, QStringLiteral("%")});
  const Blockage worst = WatchedApplication::instance().worst();
  figures.add({QStringLiteral("window's thread blocked, worst (%1)").arg(worst.event), worst.ms,
               kMaxBlockedMs});
}

}  // namespace quire::bench
