#include "app/engine_page/engine_monitor.h"

#include <QElapsedTimer>

#include <cmath>
#include <limits>
#include <utility>

namespace quire {
namespace {

constexpr int kTickMs = 500;
constexpr int kMinuteSlotMs = 500;
constexpr int kTenMinutesSlotMs = 5000;

EngineMonitor::Clock steadyClock() {
  QElapsedTimer timer;
  timer.start();
  return [timer] { return timer.elapsed(); };
}

/// Milliseconds between the tokens of one chat, from the total throughput.
double paceOf(const EngineReport& report) {
  const bool isKnown = report.tokensPerSecond > 0.0 && report.runningRequests > 0;
  return isKnown ? 1000.0 * report.runningRequests / report.tokensPerSecond
                 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EngineMonitor::History::History(int slotMs)
    : throughput({PlotSeries::Unit::TokensPerSecond, slotMs}),
      pace({PlotSeries::Unit::Milliseconds, slotMs}),
      chatsAtOnce({PlotSeries::Unit::Chats, slotMs}),
      cacheUse({PlotSeries::Unit::Part, slotMs}) {}

void EngineMonitor::History::add(qint64 nowMs, const EngineReport& report) {
  throughput.add(nowMs, report.tokensPerSecond);
  pace.add(nowMs, paceOf(report));
  chatsAtOnce.add(nowMs, report.runningRequests);
  const double full = report.usedBlocks + report.keptBlocks;
  cacheUse.add(nowMs, report.totalBlocks > 0 ? full / report.totalBlocks : 0.0);
}

void EngineMonitor::History::advance(qint64 nowMs) {
  for (PlotSeries* series : {&throughput, &pace, &chatsAtOnce, &cacheUse}) series->advance(nowMs);
}

EngineMonitor::EngineMonitor(EngineInspector& inspector, ChatLabels labels, QObject* parent)
    : QObject(parent),
      m_clock(steadyClock()),
      m_blocks(inspector, labels),
      m_prompts(std::move(labels)),
      m_lastPrompt([this] { return promptFigures(m_prompts.last()); }),
      m_overview([this] { return overviewFigures(m_report); }),
      m_firstToken([this] { return percentileFigures(m_report.firstToken); }),
      m_betweenTokens([this] { return percentileFigures(m_report.betweenTokens); }),
      m_load([this] { return loadFigures(m_report); }),
      m_cache([this] { return cacheFigures(m_report, m_hits.recent(m_clock())); }),
      m_states([this] { return stateFigures(m_report); }),
      m_windows([this] { return windowFigures(m_report); }),
      m_minute(kMinuteSlotMs),
      m_tenMinutes(kTenMinutesSlotMs) {
  connect(&inspector, &EngineInspector::engineMeasured, this, &EngineMonitor::onMeasured);
  connect(&inspector, &EngineInspector::promptComputed, this, &EngineMonitor::onStarted);
  m_timer.setInterval(kTickMs);
  connect(&m_timer, &QTimer::timeout, this, &EngineMonitor::tick);
  connect(&m_blocks, &BlockMapModel::watchedChanged, this, [this] {
    if (!m_blocks.isWatched()) return m_timer.stop();
    tick();
    m_timer.start();
  });
}

void EngineMonitor::onMeasured(const EngineReport& report) {
  const bool isSameModel = report.modelPath == m_report.modelPath;
  m_report = report;
  const qint64 now = m_clock();
  const RecentHits::Counts hits = {report.promptTokens, report.cachedTokens};
  if (!isSameModel) m_hits.restart(hits);
  m_hits.add(now, hits);
  m_minute.add(now, report);
  m_tenMinutes.add(now, report);
  for (FigureList* list :
       {&m_overview, &m_firstToken, &m_betweenTokens, &m_load, &m_cache, &m_states, &m_windows}) {
    list->refresh();
  }
  emit measured();
}

void EngineMonitor::onStarted(const PromptReport& report) {
  if (m_isMeasuring && report.chatId == 0) return;
  m_prompts.add(report);
  m_lastPrompt.refresh();
  emit promptAdded();
}

void EngineMonitor::tick() {
  const qint64 now = m_clock();
  m_minute.advance(now);
  m_tenMinutes.advance(now);
}

void EngineMonitor::setLongSpan(bool isLong) {
  if (isLong == m_isLongSpan) return;
  m_isLongSpan = isLong;
  emit spanChanged();
}

QString EngineMonitor::rateUnitText() const {
  if (m_report.runningRequests == 0) return tr("tokens/s, no chat is being answered");
  return tr("tokens/s, %1").arg(answersText(m_report.runningRequests));
}

QString EngineMonitor::lastPromptStory() const {
  if (m_prompts.count() == 0) return tr("Nothing was asked since Quire was started.");
  return promptStory(m_prompts.last());
}

}  // namespace quire
