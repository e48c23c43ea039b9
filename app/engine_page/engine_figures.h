#pragma once

#include "app/engine/engine_report.h"
#include "app/engine_page/figure_list.h"
#include "app/engine_page/recent_hits.h"

namespace quire {

struct PromptReport;

// What the lists of the engine's page say. Each always has the same number of figures.

QList<Figure> promptFigures(const PromptReport& report);
QList<Figure> overviewFigures(const EngineReport& report);
QList<Figure> percentileFigures(const LatencyFigures& figures);
QList<Figure> loadFigures(const EngineReport& report);
QList<Figure> cacheFigures(const EngineReport& report, const RecentHits::Counts& recent);

}  // namespace quire
