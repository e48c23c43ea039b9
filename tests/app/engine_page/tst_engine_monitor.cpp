#include <QSignalSpy>
#include <QTest>

#include <algorithm>

#include "app/engine_page/engine_monitor.h"
#include "tests/support/sample_engine.h"

using namespace quire;

namespace {

std::optional<ChatLabel> labelOf(qint64 id) {
  if (id == 1) return ChatLabel{"To a sysadmin", 0};
  if (id == 2) return ChatLabel{"To a child", 1};
  if (id == 3) return ChatLabel{"", 6};
  return {};
}

QStringList valuesOf(const FigureList& list) {
  QStringList values;
  for (int row = 0; row < list.rowCount(); ++row) {
    values.append(list.data(list.index(row), FigureList::kValue).toString());
  }
  return values;
}

QStringList legendOf(BlockMapModel& map) {
  QStringList rows;
  const BlockLegend& legend = *map.legend();
  for (int row = 0; row < legend.rowCount(); ++row) {
    const QModelIndex at = legend.index(row);
    rows.append(QStringLiteral("%1 %2 %3")
                    .arg(legend.data(at, BlockLegend::kLook).toInt())
                    .arg(legend.data(at, BlockLegend::kLabel).toString())
                    .arg(legend.data(at, BlockLegend::kCount).toString()));
  }
  return rows;
}

}  // namespace

class EngineMonitorTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    m_backend = std::make_unique<FakeBackend>();
    m_now = 1000;
    m_monitor = std::make_unique<EngineMonitor>(*m_backend, labelOf);
    m_monitor->setClock([this] { return m_now; });
  }
  void cleanup() {
    m_monitor.reset();
    m_backend.reset();
  }

  void figures_showTheMeasurements() {
    emit m_backend->inspector().engineMeasured(sampleReport(3));
    QCOMPARE(m_monitor->rateText(), "111.0");
    QCOMPARE(m_monitor->rateUnitText(), "tokens/s, 3 chat(s)");
    QCOMPARE(valuesOf(*m_monitor->overview()), (QStringList{"63 ms", "31 ms", "3", "1.1%"}));
    QCOMPARE(valuesOf(*m_monitor->firstToken()), (QStringList{"41 ms", "58 ms", "63 ms", "12"}));
    QCOMPARE(valuesOf(*m_monitor->cache()),
             (QStringList{"2,096 of 3,180, 66%", "2,096 of 3,180, 66%", "1,024", "222 MB", "none",
                          "16 tokens, 2 MB", "1.1%", "none"}));
    EngineReport report = sampleReport(3);
    report.adapters = 2;
    report.adapterBytes = 34'000'000;
    emit m_backend->inspector().engineMeasured(report);
    QCOMPARE(valuesOf(*m_monitor->cache()).last(), "2, 34 MB");
  }

  void panelAndPage_nameAPercentileAlike() {
    const QString name = percentileFigures({})[2].label;
    QCOMPARE(name, QString("99th percentile"));
    const QList<Figure> panel = overviewFigures({});
    QCOMPARE(panel[0].label, "first token, " + name);
    QCOMPARE(panel[1].label, "between tokens, " + name);
  }

  void guesses_showWhatTheySave() {
    EngineReport report = sampleReport(1);
    report.outputTokens = 4000;
    report.draftedTokens = report.acceptedTokens = 0;
    emit m_backend->inspector().engineMeasured(report);
    QCOMPARE(valuesOf(*m_monitor->load()).last(), "none");
    report.draftedTokens = 2000;
    report.acceptedTokens = 1200;
    emit m_backend->inspector().engineMeasured(report);
    QCOMPARE(valuesOf(*m_monitor->load()).mid(6), (QStringList{"1,200 of 2,000", "1,200, 30%"}));
  }

  void windows_areShown_ofModelsThatHaveThem() {
    emit m_backend->inspector().engineMeasured(sampleReport(3));
    QVERIFY(!m_monitor->hasWindows());
    emit m_backend->inspector().engineMeasured(sampleWindows(sampleReport(3)));
    QVERIFY(m_monitor->hasWindows());
    QCOMPARE(valuesOf(*m_monitor->windows()),
             (QStringList{"201 of 385", "96", "732 MB", "16 tokens, 2 MB", "640 tokens"}));
  }

  void states_areShown_ofModelsThatHaveThem() {
    emit m_backend->inspector().engineMeasured(sampleReport(3));
    QVERIFY(!m_monitor->hasStates());
    EngineReport report = sampleStates(sampleReport(3));
    emit m_backend->inspector().engineMeasured(report);
    QVERIFY(m_monitor->hasStates());
    QCOMPARE(valuesOf(*m_monitor->states()), (QStringList{"3 of 20", "11", "1.1 GB", "53 MB",
                                                          "every 4,096 tokens", "1,312 tokens"}));
    report.snapshotStride = 0;
    emit m_backend->inspector().engineMeasured(report);
    QCOMPARE(valuesOf(*m_monitor->states())[4], "none");
  }

  void figures_areDashes_beforeTheFirstReport() {
    QCOMPARE(m_monitor->rateText(), "0.0");
    QCOMPARE(valuesOf(*m_monitor->lastPrompt()), (QStringList{"–", "–", "–", "–"}));
    QCOMPARE(valuesOf(*m_monitor->overview()), (QStringList{"–", "–", "0", "–"}));
    QVERIFY(m_monitor->blocks()->isEmpty());
    QVERIFY(!m_monitor->blocks()->summary().isEmpty());
    QCOMPARE(m_monitor->lastPromptStory(), "Nothing was asked since Quire was started.");
  }

  void anotherModel_restartsTheLastTenMinutes() {
    EngineReport report = sampleReport(1);
    emit m_backend->inspector().engineMeasured(report);
    report.modelPath = "/models/other.gguf";
    report.promptTokens = 9000;
    report.cachedTokens = 8000;
    emit m_backend->inspector().engineMeasured(report);
    QCOMPARE(valuesOf(*m_monitor->cache()).mid(0, 2), (QStringList{"8,000 of 9,000, 89%", "–"}));
    report.promptTokens += 100;
    emit m_backend->inspector().engineMeasured(report);
    QCOMPARE(valuesOf(*m_monitor->cache())[1], "0 of 100, 0%");
  }

  void plots_followTheReports() {
    emit m_backend->inspector().engineMeasured(sampleReport(2));
    m_now += 500;
    emit m_backend->inspector().engineMeasured(sampleReport(4));
    QCOMPARE(m_monitor->throughputMinute()->values().last(), sampleReport(4).tokensPerSecond);
    QCOMPARE(m_monitor->chatsAtOnce()->values().last(), 4.0);
    QCOMPARE(m_monitor->cacheUse()->values().last(), 252.0 / 360.0);
    QCOMPARE(m_monitor->pace()->values().last(), 1000.0 / 37.0);
    QSignalSpy spy(m_monitor.get(), &EngineMonitor::spanChanged);
    m_monitor->setLongSpan(true);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(m_monitor->chatsAtOnce()->values().last(), 3.0);  // The mean over five seconds.
  }

  void blockMap_isRequestedOnlyWithAViewer() {
    BlockMapModel& map = *m_monitor->blocks();
    QVERIFY(!m_backend->inspector().watching);
    map.addViewer();
    map.addViewer();
    QVERIFY(m_backend->inspector().watching);
    map.removeViewer();
    QVERIFY(m_backend->inspector().watching);
    map.removeViewer();
    QVERIFY(!m_backend->inspector().watching);
  }

  void blockMap_countsTheBlocksOfEachChat() {
    BlockMapModel& map = *m_monitor->blocks();
    const BlockMapSnapshot sample = sampleMap({1, 2, 3});
    emit m_backend->inspector().blockMapChanged(sample);
    const BlockCounts& counts = map.counts();
    QCOMPARE(counts.total(), 360);
    QCOMPARE(map.numBlocks(), 360);
    QCOMPARE(map.countText(), "252 of 360");
    const int sum = counts.shared + counts.chats.value(1) + counts.chats.value(2) +
                    counts.chats.value(3) + counts.kept + counts.stored + counts.free;
    QCOMPARE(sum, 360);
    const QStringList legend = legendOf(map);
    QCOMPARE(legend.size(), 7);
    QCOMPARE(legend[0], "3 shared by chats 61");
    QVERIFY(legend[1].startsWith("5 To a sysadmin"));
    QVERIFY(legend[2].startsWith("6 To a child"));
    QVERIFY(legend[3].startsWith("7 New chat"));  // Colour 6 is colour 2 of 4.
    QCOMPARE(legend.last(), "0 free 108");
    for (qsizetype i = 0; i < sample.blocks.size(); ++i) {
      if (sample.blocks[i].kind != BlockMapSnapshot::Kind::Used) continue;
      const int color = labelOf(sample.blocks[i].chatId)->color % 4;
      QCOMPARE(map.looks()[i], static_cast<int>(BlockLook::FirstChat) + color);
    }
    QCOMPARE(map.savingsText(),
             "Sharing saves 256 MB now: 61 block(s) are there once instead of in each answer.");
  }

  void manyChats_shareALegendRow() {
    BlockMapSnapshot map;
    map.blocks.resize(40);
    for (int i = 0; i < 40; ++i) {
      map.blocks[i] = {.chatId = 100 + i % 8,
                       .references = 1,
                       .chats = 1,
                       .tokens = 16,
                       .kind = BlockMapSnapshot::Kind::Used};
    }
    emit m_backend->inspector().blockMapChanged(map);
    const QStringList legend = legendOf(*m_monitor->blocks());
    QCOMPARE(legend.size(), 1 + BlockLegend::kMaxChats + 1 + 3);
    QCOMPARE(legend[6], "4 other chats 15");
    QVERIFY(legend[1].startsWith("4 a chat that is gone"));
  }

  void block_isDescribedAndRead() {
    BlockMapModel& map = *m_monitor->blocks();
    emit m_backend->inspector().blockMapChanged(sampleMap({1, 2, 3}));
    QCOMPARE(map.describe(0), "Block 1 · shared by 3 chat(s) · on disk too");
    QCOMPARE(map.describe(70), "Block 71 · in use by “To a sysadmin”");
    QCOMPARE(map.describe(359), "Block 360 · free");
    QCOMPARE(map.describe(360), "");
    m_backend->inspector().readings[70] = {.isHeld = true,
                                           .text = "A page table beats",
                                           .tokens = 16,
                                           .chatIds = {1},
                                           .firstToken = 1024,
                                           .message = 2};
    map.read(70);
    QTRY_VERIFY(map.hasReading());
    QCOMPARE(map.readingTitle(), "Block 71 · “To a sysadmin” · message 3 · tokens 1,025 to 1,040");
    QCOMPARE(map.readingText(), "A page table beats");
    map.read(359);
    QTRY_COMPARE(map.readingTitle(), "Block 360");
    QCOMPARE(map.readingText(), "This block holds nothing.");
    map.closeReading();
    QVERIFY(!map.hasReading());
  }

  void unrequestedReading_isIgnored() {
    BlockMapModel& map = *m_monitor->blocks();
    emit m_backend->inspector().blockMapChanged(sampleMap({1}));
    map.read(5);
    map.read(6);
    QVERIFY(!map.hasReading());
    QTRY_VERIFY(map.hasReading());
    QCOMPARE(map.readBlock(), 6);
    map.read(-1);
    map.read(100'000);
    QCOMPARE(map.readBlock(), 6);
  }

  void promptsOfAMeasurement_areNotListed() {
    m_monitor->setMeasuring(true);
    emit m_backend->inspector().promptComputed({.promptTokens = 512});
    QCOMPARE(m_monitor->prompts()->count(), 0);
    emit m_backend->inspector().promptComputed({.promptTokens = 512, .chatId = 2});
    QCOMPARE(m_monitor->prompts()->count(), 1);
    m_monitor->setMeasuring(false);
    emit m_backend->inspector().promptComputed({.promptTokens = 512});  // As of the API.
    QCOMPARE(m_monitor->prompts()->count(), 2);
  }

  void promptStory_explainsTheTime() {
    PromptReport report{.promptTokens = 1061,
                        .cachedTokens = 1024,
                        .diskTokens = 512,
                        .firstTokenMs = 1241.0,
                        .queueMs = 1200.0,
                        .chatId = 2};
    report.miss = {.reason = PrefixMiss::Reason::kEvicted};
    emit m_backend->inspector().promptComputed(report);
    QCOMPARE(valuesOf(*m_monitor->lastPrompt()), (QStringList{"512", "512", "37", "1.2 s"}));
    QCOMPARE(m_monitor->lastPromptStory(),
             "The prompt had 1,061 tokens: 1,024 from cache, 37 processed. Of the "
             "cached tokens, 512 came from disk. Other chats needed the memory, so the rest was "
             "processed again. "
             "It waited 1.2 s for its turn.");
    for (int i = 0; i < 20; ++i) emit m_backend->inspector().promptComputed(report);
    QCOMPARE(m_monitor->prompts()->count(), PromptLog::kMaxPrompts);
    const QModelIndex first = m_monitor->prompts()->index(0);
    QCOMPARE(m_monitor->prompts()->data(first, PromptLog::kTitle).toString(), "To a child");
  }

 private:
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<EngineMonitor> m_monitor;
  qint64 m_now = 0;
};

QTEST_GUILESS_MAIN(EngineMonitorTest)
#include "tst_engine_monitor.moc"
