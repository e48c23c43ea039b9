#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include "app/models/scan/model_inspector.h"
#include "app/models/scan/model_reader.h"
#include "tests/bench/random_gguf.h"
#include "tests/bench/window/measures.h"
#include "tests/bench/window/streams.h"

namespace quire::bench {
namespace {

constexpr int kNumModels = 16;  ///< Every fourth has a large vocabulary.
constexpr int kTurns = 5;
constexpr double kMostLaterMs = 100.0;

/// Where LM Studio keeps its models.
void makeModels(const QString& home) {
  const QString folder = home + QStringLiteral("/.lmstudio/models/someone/some");
  QDir().mkpath(folder);
  for (int i = 0; i < kNumModels; ++i) {
    const QString path = folder + QStringLiteral("/model-%1.gguf").arg(i);
    write_random_gguf(path.toStdString(), DType::kF16,
                      {.num_layers = 1,
                       .hidden_size = 32,
                       .num_heads = 1,
                       .num_kv_heads = 1,
                       .intermediate_size = 64,
                       .vocab_size = i % 4 == 3 ? 128'000 : 32'000,
                       .context = 4096});
  }
}

ModelScanner::Options scannerOf(const QString& home, bool inOtherProcess) {
  ModelScanner::Options options = {
      .reader = readModelFacts,
      .environment = {.home = home, .variable = [](const char*) { return QString(); }}};
  if (!inOtherProcess) return options;
  const QDir programs(QCoreApplication::applicationDirPath());
  const auto inspector = std::make_shared<ModelInspector>(
      ModelInspector::Options{.program = programs.filePath(QStringLiteral("quire-inspect"))});
  if (inspector->isProgramMissing()) qFatal("Build quire-inspect first.");
  options.reader = [inspector](const QString& path) { return inspector->read(path); };
  return options;
}

struct Times {
  double ms = 0.0;     ///< From opening the page until the picture with all models.
  double cpuMs = 0.0;  ///< Of all processors and processes, for the whole window.
};

/// Of this process and of those that it has waited for.
double cpuMs() {
  double ms = 0.0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage = {};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      ms += static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
    }
  }
  return ms;
}

/// Opens the page with models of which none is known.
double msUntilComplete(const QString& home, bool inOtherProcess) {
  const QTemporaryDir data;
  FakeBackend backend;
  const auto driver = openBenchWindow(backend, data.path());
  ModelLibrary& models = *driver->app().models();
  models.setScanner(std::make_unique<ModelScanner>(scannerOf(home, inOtherProcess)));
  bool isDrawn = false;
  QObject::connect(driver->window(), &QQuickWindow::frameSwapped, driver->window(), [&] {
    isDrawn = isDrawn || (!models.isScanning() && models.list()->count() >= kNumModels);
  });
  QElapsedTimer timer;
  timer.start();
  driver->app().navigation()->setPage(Navigation::Page::Models);
  while (!isDrawn && timer.elapsed() < 60'000) {
    driver->window()->update();
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  if (!isDrawn) qFatal("The page Models does not become complete.");
  return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

Times timesOf(const QString& home, bool inOtherProcess) {
  const double before = cpuMs();
  Times times;
  times.ms = msUntilComplete(home, inOtherProcess);
  times.cpuMs = cpuMs() - before;
  return times;
}

}  // namespace

void measureModelsPage(Figures& figures, const Options&) {
  const QTemporaryDir home;
  makeModels(home.path());
  msUntilComplete(home.path(), false);  // Fonts, and the disk's cache.
  QList<double> within;
  QList<double> apart;
  QList<double> later;
  QList<double> moreWork;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Times one = timesOf(home.path(), false);
    const Times other = timesOf(home.path(), true);
    within.append(one.ms);
    apart.append(other.ms);
    later.append(other.ms - one.ms);
    moreWork.append(other.cpuMs - one.cpuMs);
  }
  figures.add({QStringLiteral("page Models complete, %1 models read in this process, median")
                   .arg(kNumModels),
               percentile(within, 0.5)});
  figures.add({QStringLiteral("the same, read by quire-inspect, median"), percentile(apart, 0.5)});
  figures.add({QStringLiteral("later by quire-inspect, median of %1 alternating turns").arg(kTurns),
               percentile(later, 0.5), kMostLaterMs});
  // What it is later on an idle machine: models are read one after the other.
  figures.add({QStringLiteral("more work of the processors by quire-inspect, median"),
               percentile(moreWork, 0.5)});
}

}  // namespace quire::bench
