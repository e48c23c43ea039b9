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

void addFigures(Figures& figures, const Typing& typing, const QString& load) {
  figures.add(
      {QStringLiteral("key to glyph, %1, p95").arg(load), percentile(typing.keysMs, 0.95), 33.0});
  figures.add(
      {QStringLiteral("key to glyph, %1, worst").arg(load), percentile(typing.keysMs, 1.0), 100.0});
  figures.add(
      {QStringLiteral("frame, %1, p99").arg(load), percentile(typing.framesMs, 0.99), 16.7});
}

}  // namespace

double measureTyping(Figures& figures, WindowDriver& driver, const QString& load) {
  WatchedApplication::instance().reset();
  const double cpu = threadCpuUs();
  const Typing typing = typeFor(driver, kSeconds);
  const double busy = (threadCpuUs() - cpu) * 1e-4 / typing.seconds;
  const Blockage worst = WatchedApplication::instance().worst();
  addFigures(figures, typing, load);
  figures.add({QStringLiteral("window's thread at work"), busy, {}, QStringLiteral("%")});
  figures.add({QStringLiteral("window's thread blocked, worst (%1)").arg(worst.event), worst.ms,
               kMaxBlockedMs});
  return typing.seconds;
}

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
  const double seconds = measureTyping(figures, *driver, QStringLiteral("8 chats stream, 2 shown"));
  int most = 0;
  for (const auto& counter : counters) most = std::max(most, counter->count);
  figures.add({QStringLiteral("updates of a chat's rows, the most of 8 chats"), most / seconds,
               30.0, QStringLiteral("per s")});
}

void measureFormulas(Figures& figures, const Options& options) {
  QTemporaryDir folder;
  Streams streams(options);
  const auto driver = openBenchWindow(streams.backend(), folder.path());
  QString answer;
  for (int i = 0; i < 100; ++i) {
    answer += QStringLiteral(
                  "Let $x_{%1}^2 + \\frac{a}{b} \\leq \\alpha$ be given; then\n\n"
                  "$$\\sum_{k=0}^{%1} \\binom{n}{k} x^k = \\int_0^1 \\sqrt{1 + t^2}\\,dt$$\n\n")
                  .arg(i);
  }
  QList<ChatModel*> chats = {&streams.begin(*driver, 0, answer)};
  streams.waitFor(chats);
  measureTyping(figures, *driver, QStringLiteral("200 formulas stream"));
}

}  // namespace quire::bench
