#include "app/models/memory_forecast.h"

#include <QLocale>

#include <algorithm>

#include "app/models/model_labels.h"
#include "app/size_text.h"

namespace quire {
namespace {

constexpr int kRestMs = 80;

/// "5.1": a size in a given unit.
QString inUnit(quint64 bytes, double unit, int decimals) {
  return QLocale().toString(static_cast<double>(bytes) / unit, 'f', decimals);
}

}  // namespace

MemoryForecast::MemoryForecast(LoadPlanner& planner, QObject* parent)
    : QObject(parent), m_planner(planner) {
  m_delay.setSingleShot(true);
  m_delay.setInterval(kRestMs);
  connect(&m_delay, &QTimer::timeout, this, &MemoryForecast::ask);
  connect(&planner, &LoadPlanner::outdated, this, [this] {
    if (m_isWanted) m_delay.start();
  });
}

void MemoryForecast::setRequest(const LoadRequest& request) {
  m_request = request;
  m_isWanted = true;
  m_delay.start();
}

void MemoryForecast::setServing(const QStringList& paths) {
  if (paths == m_serving) return;
  m_serving = paths;
  emit changed();
}

void MemoryForecast::ask() {
  m_planner.ask(this, m_request, [this](const LoadPlan& plan) {
    m_plan = plan;
    emit changed();
  });
}

double MemoryForecast::share(quint64 bytes) const {
  const quint64 whole = std::max(m_plan.memory.free, m_plan.memory.total());
  return whole == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(whole);
}

QString MemoryForecast::text() const {
  if (!isKnown()) return m_plan.error;
  const ModelMemory& memory = m_plan.memory;
  const bool large = std::max(memory.total(), memory.free) >= 1'000'000'000;
  const double unit = large ? 1e9 : 1e6;
  const int decimals = large ? 1 : 0;
  const QString needs = inUnit(memory.total(), unit, decimals);
  const QString has = inUnit(memory.free, unit, decimals);
  if (m_plan.fits)
    return large ? tr("needs %1 of %2 GB free").arg(needs, has)
                 : tr("needs %1 of %2 MB free").arg(needs, has);
  return large ? tr("needs %1 GB, but only %2 GB is free").arg(needs, has)
               : tr("needs %1 MB, but only %2 MB is free").arg(needs, has);
}

QString MemoryForecast::weightsText() const {
  return tr("weights %1").arg(sizeText(m_plan.memory.weights));
}

QString MemoryForecast::cacheText() const {
  return tr("keys and values %1").arg(sizeText(m_plan.memory.cache));
}

QString MemoryForecast::workspaceText() const {
  return tr("workspace %1").arg(sizeText(m_plan.memory.workspace));
}

QString MemoryForecast::placeText() const {
  QStringList others = m_serving;
  others.removeAll(m_request.path);
  if (!isKnown() || others.isEmpty() || !m_names) return {};
  const bool replaces = !m_plan.replaces.isEmpty();
  QStringList names;
  for (const QString& path : replaces ? m_plan.replaces : others) names.append(m_names(path));
  const QString list = names.join(QStringLiteral(", "));
  return replaces ? tr("Loads in place of %1").arg(list) : tr("Loads beside %1").arg(list);
}

}  // namespace quire
