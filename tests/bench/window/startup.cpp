#include <QFile>
#include <QProcess>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <cstdio>
#include <ctime>

#include "app/app_model.h"
#include "app/engine/engine_service.h"
#include "tests/bench/window/measures.h"
#include "tests/support/bundled_model.h"
#include "tests/ui/window_driver.h"

namespace quire::bench {
namespace {

constexpr int kNumChats = 10'000;
constexpr int kOpenMs = 150;  // As the program.

/// Ends the measurement: a benchmark without its store has nothing to say.
void checkStored(const Result<void>& result) {
  if (!result) qFatal("%s", result.error().message.c_str());
}

void makeChats(const QString& folder) {
  auto store = ConversationStore::open(folder);
  if (!store) qFatal("%s", store.error().message.c_str());
  RecordId id = (*store)->highestId().value_or(0);
  for (int i = 0; i < kNumChats; ++i) {
    ChatRecord chat;
    chat.id = ++id;
    chat.title = QStringLiteral("A conversation about matter number %1").arg(i);
    chat.color = i % 4;
    chat.createdMs = chat.activeMs = 1'700'000'000'000 + i * 3'600'000LL;
    checkStored((*store)->putChat(chat));
  }
}

/// Presses a key again and again until its letter is in the composer and drawn.
class FirstLetter : public QObject {
 public:
  FirstLetter(QQuickWindow& window, qint64 startedNs) : m_window(window), m_startedNs(startedNs) {
    connect(&window, &QQuickWindow::frameSwapped, this, &FirstLetter::onFrame);
  }

 private:
  void onFrame() {
    if (m_firstFrameMs == 0.0) {
      m_firstFrameMs = sinceStart();
      QTimer::singleShot(0, this, [this] {
        QTest::sendKeyEvent(QTest::Click, &m_window, Qt::Key_A, QStringLiteral("a"),
                            Qt::NoModifier);
      });
      return;
    }
    const auto* composer = findItem(m_window, QStringLiteral("composerText"));
    if (!composer || composer->property("text").toString().isEmpty()) return;
    std::printf("%.1f %.1f\n", m_firstFrameMs, sinceStart());
    disconnect(&m_window, nullptr, this, nullptr);  // Pictures go on until the loop ends.
    QCoreApplication::quit();
  }
  double sinceStart() const { return static_cast<double>(monotonicNs() - m_startedNs) * 1e-6; }

  QQuickWindow& m_window;
  const qint64 m_startedNs;
  double m_firstFrameMs = 0.0;
};

}  // namespace

qint64 monotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

namespace {

int runPaint(const QString& folder, qint64 startedNs) {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.backend.device = "cpu";
  EngineService backend(options);
  AppModel app(backend, folder, {});
  app.store()->open();
  app.store()->wait(kOpenMs);
  const auto engine = openWindow(app);
  if (!engine) return 1;
  auto* window = qobject_cast<QQuickWindow*>(engine->rootObjects().constFirst());
  window->requestActivate();
  FirstLetter letter(*window, startedNs);
  QTimer::singleShot(20'000, [] {
    std::fprintf(stderr, "No letter was shown within 20 s.\n");
    QCoreApplication::exit(1);
  });
  return QGuiApplication::exec();
}

/// A field of /proc/self/status, in megabytes.
double memoryMb(const QByteArray& field) {
  QFile status(QStringLiteral("/proc/self/status"));
  if (!status.open(QIODevice::ReadOnly)) return 0.0;
  for (const QByteArray& line : status.readAll().split('\n')) {
    if (line.startsWith(field + ':'))
      return line.simplified().split(' ').value(1).toDouble() / 1024.0;
  }
  return 0.0;
}

int runMemory(const QString& folder) {
  EngineServiceOptions options;
  options.backend.device = "cpu";
  EngineService backend(options);
  AppModel app(backend, folder, {});
  app.open();
  const auto engine = openWindow(app);
  if (!engine) return 1;
  QTest::qWait(1500);
  std::printf("%.1f %.1f\n", memoryMb("VmRSS"), memoryMb("RssAnon"));
  return 0;
}

/// Two numbers that a child says.
std::pair<double, double> askChild(const QStringList& words) {
  QProcess child;
  child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  child.start(QCoreApplication::applicationFilePath(), words);
  if (!child.waitForFinished(60'000) || child.exitCode() != 0) {
    qFatal("A start failed: %s", qPrintable(child.errorString()));
  }
  const QList<QByteArray> said = child.readAllStandardOutput().simplified().split(' ');
  if (said.size() != 2) qFatal("A start did not say its figures.");
  return {said[0].toDouble(), said[1].toDouble()};
}

void measureMemory(Figures& figures, const QString& folder) {
  const QTemporaryDir empty;
  const auto [few, fewOwn] = askChild({QStringLiteral("--startup-memory"), empty.path()});
  const auto [many, manyOwn] = askChild({QStringLiteral("--startup-memory"), folder});
  const QString unit = QStringLiteral("MB");
  figures.add({QStringLiteral("memory without a model, no chats"), few, 200.0, unit});
  figures.add({QStringLiteral("memory without a model, 10,000 chats"), many, 200.0, unit});
  figures.add({QStringLiteral("10,000 chats, of that"), manyOwn - fewOwn, {}, unit});
}

}  // namespace

int runStartup(const QStringList& words) {
  if (words.value(0) == QLatin1String("--startup-paint")) {
    return runPaint(words.value(1), words.value(2).toLongLong());
  }
  if (words.value(0) == QLatin1String("--startup-memory")) return runMemory(words.value(1));
  return -1;
}

void measureStartup(Figures& figures, const Options&) {
  constexpr int kRuns = 5;
  QTemporaryDir folder;
  makeChats(folder.path());
  QList<double> paints;
  QList<double> letters;
  for (int run = 0; run < kRuns; ++run) {
    const auto [paint, letter] = askChild(
        {QStringLiteral("--startup-paint"), folder.path(), QString::number(monotonicNs())});
    paints.append(paint);
    letters.append(letter);
  }
  figures.add({QStringLiteral("first paint, 10,000 chats, model loading (median)"),
               percentile(paints, 0.5), 500.0});
  figures.add({QStringLiteral("typing shows, 10,000 chats, model loading (median)"),
               percentile(letters, 0.5), 1000.0});
  measureMemory(figures, folder.path());
}

}  // namespace quire::bench
