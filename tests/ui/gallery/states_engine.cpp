#include <QTest>

#include "tests/support/sample_engine.h"
#include "tests/ui/gallery/stage.h"

namespace quire::gallery {
namespace {

qint64 sampleNow = 0;

/// Three chats that are being answered, and two minutes of work behind them.
void work(Stage& stage) {
  stage.fill();
  stage.newChat();
  stage.ask(words().child, words().childAnswer, 3);
  stage.newChat();
  stage.choosePersona(0);
  stage.ask(words().paging, words().pagingAnswer, 37);
  QList<qint64> ids;
  for (int row = 0; row < 3; ++row) ids.append(stage.app().chats()->idAt(row));
  sampleNow = 0;
  stage.app().monitor()->setClock([] { return sampleNow; });
  for (int second = 0; second < 120; ++second) {
    sampleNow += 500;
    emit stage.backend().inspector().engineMeasured(sampleReport(second < 30   ? 1
                                                                 : second < 50 ? 2
                                                                               : 3,
                                                                 second));
  }
  emit stage.backend().throughputChanged(97.2, 3);
  emit stage.backend().inspector().blockMapChanged(sampleMap(ids));
}

void busyPage(Stage& stage) {
  work(stage);
  stage.app().navigation()->setPage(Navigation::Page::Engine);
}

/// A model is loaded, and nobody has asked it anything.
void idle(Stage& stage) {
  stage.app().navigation()->setPage(Navigation::Page::Engine);
  BlockMapSnapshot map;
  map.bytesPerBlock = 2 << 20;
  map.blocks.resize(360);
  emit stage.backend().inspector().blockMapChanged(map);
}

void readBlock(Stage& stage) {
  busyPage(stage);
  const QString text = words().pagingAnswer;
  stage.backend().inspector().readings[70] = {.isHeld = true,
                                              .text = text.mid(12, 90).replace('\n', ' '),
                                              .tokens = 16,
                                              .chatIds = {stage.app().chats()->idAt(0)},
                                              .firstToken = 1040,
                                              .message = 1};
  stage.app().monitor()->blocks()->read(70);
}

/// A model with recurrent layers.
void states(Stage& stage) {
  busyPage(stage);
  emit stage.backend().inspector().engineMeasured(sampleStates(sampleReport(3, 60)));
}

/// A hybrid model with windows, and two adapters.
void windows(Stage& stage) {
  busyPage(stage);
  EngineReport report = sampleWindows(sampleStates(sampleReport(3, 60)));
  report.adapters = 2;
  report.adapterBytes = 34'000'000;
  emit stage.backend().inspector().engineMeasured(report);
}

/// The text of a benchmark, of figures that the sample backend gives.
void benchmark(Stage& stage) {
  busyPage(stage);
  MachineBench& bench = *stage.app().bench();
  stage.backend().setModels({});
  bench.start();
  const auto isDone = [&] {
    stage.backend().advance();
    return !bench.isRunning();
  };
  constexpr int kMostMs = 20'000;
  if (!QTest::qWaitFor(isDone, kMostMs)) qFatal("The benchmark does not end.");
}

}  // namespace

QList<State> engineStates() {
  return {
      {"engine", "idle", idle},
      {"engine", "busy", busyPage},
      {"engine", "block", readBlock},
      {"engine", "whole", readBlock, {1440, 1760}},
      {"engine", "measured", benchmark, {1440, 2200}},
      {"engine", "states", states, {1440, 1760}},
      {"engine", "windows", windows, {1440, 1960}},
      {"engine", "panel",
       [](Stage& s) {
         work(s);
         s.app().navigation()->setEnginePanel(true);
       }},
      {"engine", "large",
       [](Stage& s) {
         busyPage(s);
         emit s.backend().inspector().blockMapChanged(
             sampleMap({s.app().chats()->idAt(0)}, 20'000));
       }},
  };
}

}  // namespace quire::gallery
