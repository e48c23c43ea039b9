#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "app/engine/engine_service.h"
#include "tests/bench/random_gguf.h"
#include "tests/bench/window/measures.h"
#include "tests/support/bundled_model.h"
#include "tests/ui/window_driver.h"

namespace quire::bench {
namespace {

constexpr int kStoppingWaitMs = 60'000;

std::unique_ptr<EngineService> makeEngine() {
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.bundledModelPath = options.modelPath;
  options.backend.device = "cpu";
  return std::make_unique<EngineService>(options);
}

double stop(ChatModel& chat) {
  QElapsedTimer timer;
  timer.start();
  chat.turns()->stop();
  while (chat.turns()->isGenerating() && timer.elapsed() < kStoppingWaitMs) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

QString lastText(const ChatModel& chat) {
  return chat.conversation().find(chat.conversation().head())->text();
}

/// Milliseconds from Cancel until no load is under way, and the loader is free for another.
double cancelLoad(EngineService& engine, const QString& path) {
  engine.loadModel(path);
  const auto isLoading = [&] {
    return engine.state() == ModelManager::State::Loading && engine.loadProgress() > 0.1;
  };
  if (!QTest::qWaitFor(isLoading, kStoppingWaitMs))
    qFatal("\"%s\" is not being loaded.", qPrintable(path));
  QElapsedTimer timer;
  timer.start();
  engine.cancelLoad(path);
  engine.loadModel(QString::fromStdString(draft_model_folder()));
  while (engine.modelPath() != QString::fromStdString(draft_model_folder()) &&
         timer.elapsed() < kStoppingWaitMs) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

void measureCancelledLoad(Figures& figures, EngineService& engine) {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("large.gguf"));
  const ModelShape shape = {.num_layers = 8,
                            .hidden_size = 1536,
                            .num_heads = 12,
                            .num_kv_heads = 4,
                            .intermediate_size = 6144,
                            .vocab_size = 32000};
  write_random_gguf(path.toStdString(), DType::kQ8_0, shape);
  figures.add({QStringLiteral("Stop in a load, until a small model is loaded instead"),
               cancelLoad(engine, path), 1000.0});
}

}  // namespace

void measureStopping(Figures& figures, const Options&) {
  QTemporaryDir folder;
  const auto engine = makeEngine();
  WindowDriver driver(*engine, folder.path());
  if (!QTest::qWaitFor([&] { return driver.app().engine()->isReady(); }, kStoppingWaitMs)) {
    qFatal("The bundled model does not load.");
  }
  QList<double> decoding;
  for (int round = 0; round < 5; ++round) {
    driver.app().navigation()->newChat();
    driver.chat().composer()->sendText(
        QStringLiteral("Tell me a long story about a bear, part %1").arg(round));
    if (!QTest::qWaitFor([&] { return !lastText(driver.chat()).isEmpty(); }, kStoppingWaitMs)) {
      qFatal("Nothing is answered.");
    }
    decoding.append(stop(driver.chat()));
    if (lastText(driver.chat()).isEmpty()) qFatal("What was written is gone.");
  }
  figures.add(
      {QStringLiteral("Stop while decoding, worst of 5"), percentile(decoding, 1.0), 100.0});
  driver.app().navigation()->newChat();
  driver.chat().composer()->sendText(QStringLiteral("word ").repeated(700) +
                                     QStringLiteral("What was this?"));
  QTest::qWait(30);
  figures.add({QStringLiteral("Stop in a prefill"), stop(driver.chat()), 250.0});
  measureCancelledLoad(figures, *engine);
}

}  // namespace quire::bench
