#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include "app/engine_page/block_map_model.h"
#include "app/engine_page/figure_list.h"
#include "app/engine_page/plot_series.h"
#include "app/engine_page/prompt_log.h"
#include "app/engine_page/recent_hits.h"

namespace quire {

/// The engine's activity as figures, plots and sentences, for the engine page and the panel.
/// Thread: the window's.
class EngineMonitor : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by AppModel.")
  Q_PROPERTY(quire::BlockMapModel* blocks READ blocks CONSTANT)
  Q_PROPERTY(quire::PromptLog* prompts READ prompts CONSTANT)
  Q_PROPERTY(quire::FigureList* lastPrompt READ lastPrompt CONSTANT)
  Q_PROPERTY(quire::FigureList* overview READ overview CONSTANT)
  Q_PROPERTY(quire::FigureList* firstToken READ firstToken CONSTANT)
  Q_PROPERTY(quire::FigureList* betweenTokens READ betweenTokens CONSTANT)
  Q_PROPERTY(quire::FigureList* load READ load CONSTANT)
  Q_PROPERTY(quire::FigureList* cache READ cache CONSTANT)
  Q_PROPERTY(quire::FigureList* states READ states CONSTANT)
  Q_PROPERTY(bool hasStates READ hasStates NOTIFY measured)
  Q_PROPERTY(quire::FigureList* windows READ windows CONSTANT)
  Q_PROPERTY(bool hasWindows READ hasWindows NOTIFY measured)
  Q_PROPERTY(QString rateText READ rateText NOTIFY measured)
  Q_PROPERTY(QString rateUnitText READ rateUnitText NOTIFY measured)
  Q_PROPERTY(QString lastPromptStory READ lastPromptStory NOTIFY promptAdded)
  Q_PROPERTY(quire::PlotSeries* throughputMinute READ throughputMinute CONSTANT)
  Q_PROPERTY(bool longSpan READ isLongSpan WRITE setLongSpan NOTIFY spanChanged)
  Q_PROPERTY(quire::PlotSeries* throughput READ throughput NOTIFY spanChanged)
  Q_PROPERTY(quire::PlotSeries* pace READ pace NOTIFY spanChanged)
  Q_PROPERTY(quire::PlotSeries* chatsAtOnce READ chatsAtOnce NOTIFY spanChanged)
  Q_PROPERTY(quire::PlotSeries* cacheUse READ cacheUse NOTIFY spanChanged)

 public:
  /// Returns milliseconds of a monotonic clock.
  using Clock = std::function<qint64()>;

  EngineMonitor(EngineInspector& inspector, ChatLabels labels, QObject* parent = nullptr);
  /// For tests and screenshots.
  void setClock(Clock clock) { m_clock = std::move(clock); }

  BlockMapModel* blocks() { return &m_blocks; }
  /// The prompts of a measurement are no chat's, and are not listed.
  void setMeasuring(bool isMeasuring) { m_isMeasuring = isMeasuring; }
  PromptLog* prompts() { return &m_prompts; }
  FigureList* lastPrompt() { return &m_lastPrompt; }
  FigureList* overview() { return &m_overview; }  ///< For the panel.
  FigureList* firstToken() { return &m_firstToken; }
  FigureList* betweenTokens() { return &m_betweenTokens; }
  FigureList* load() { return &m_load; }
  FigureList* cache() { return &m_cache; }
  FigureList* states() { return &m_states; }
  /// Whether the model has recurrent layers. The figures of states mean nothing if it has none.
  bool hasStates() const { return m_report.totalStates > 0; }
  FigureList* windows() { return &m_windows; }
  /// The same of layers with windows.
  bool hasWindows() const { return m_report.totalWindows > 0; }
  const EngineReport& report() const { return m_report; }

  QString rateText() const { return quire::rateText(m_report.tokensPerSecond); }  ///< "112.8".
  QString rateUnitText() const;     ///< "tokens/s, 3 chats".
  QString lastPromptStory() const;  ///< Explains the time of the last prompt.

  bool isLongSpan() const { return m_isLongSpan; }
  void setLongSpan(bool isLong);
  PlotSeries* throughputMinute() { return &m_minute.throughput; }
  PlotSeries* throughput() { return &history().throughput; }
  PlotSeries* pace() { return &history().pace; }
  PlotSeries* chatsAtOnce() { return &history().chatsAtOnce; }
  PlotSeries* cacheUse() { return &history().cacheUse; }

 signals:
  void measured();
  void promptAdded();
  void spanChanged();

 private:
  /// The plots over one time range.
  struct History {
    explicit History(int slotMs);
    PlotSeries throughput, pace, chatsAtOnce, cacheUse;
    void add(qint64 nowMs, const EngineReport& report);
    void advance(qint64 nowMs);
  };

  History& history() { return m_isLongSpan ? m_tenMinutes : m_minute; }
  void onMeasured(const EngineReport& report);
  void onStarted(const PromptReport& report);
  void tick();

  Clock m_clock;
  EngineReport m_report;
  RecentHits m_hits;
  BlockMapModel m_blocks;
  PromptLog m_prompts;
  FigureList m_lastPrompt, m_overview, m_firstToken, m_betweenTokens, m_load, m_cache, m_states,
      m_windows;
  History m_minute;
  History m_tenMinutes;
  bool m_isMeasuring = false;
  bool m_isLongSpan = false;
  QTimer m_timer;  ///< Advances the plots while a viewer is visible.
};

}  // namespace quire
