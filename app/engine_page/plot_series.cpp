#include "app/engine_page/plot_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/engine_page/engine_labels.h"

namespace quire {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// 1, 2, 4 or 5 times a power of ten.
double roundUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 4.0, 5.0}) {
    if (value <= step * power * 1.0001) return step * power;
  }
  return 10.0 * power;
}

}  // namespace

PlotSeries::PlotSeries(const Shape& shape, QObject* parent)
    : QObject(parent), m_shape(shape), m_values(shape.numSlots, kUnknown), m_latest(kUnknown) {}

/// Makes the slot of `nowMs` the last one; false if it is already.
bool PlotSeries::moveTo(qint64 nowMs) {
  const qint64 slot = nowMs / m_shape.slotMs;
  if (slot <= m_slot) return false;
  const qint64 steps = m_slot < 0 ? 0 : std::min<qint64>(slot - m_slot, m_shape.numSlots);
  m_values.remove(0, steps);
  m_values.insert(m_values.size(), steps, m_latest);
  m_slot = slot;
  m_numInSlot = 0;
  return true;
}

void PlotSeries::add(qint64 nowMs, double value) {
  const bool isNewSlot = moveTo(nowMs);
  m_latest = value;
  double& last = m_values.last();
  if (std::isnan(value)) {
    if (isNewSlot) last = value;  // An unknown value does not replace a known one.
  } else {
    ++m_numInSlot;
    last = m_numInSlot == 1 ? value : last + (value - last) / m_numInSlot;
  }
  emit changed();
}

void PlotSeries::advance(qint64 nowMs) {
  if (m_slot >= 0 && moveTo(nowMs)) emit changed();
}

double PlotSeries::top() const {
  if (m_shape.unit == Unit::Part) return 1.0;
  double highest = m_shape.unit == Unit::Chats ? 4.0 : 1.0;
  for (const double value : m_values) {
    if (value > highest) highest = value;  // False for NaN.
  }
  return roundUp(highest);
}

QString PlotSeries::text(double value) const {
  if (std::isnan(value)) return QStringLiteral("–");
  switch (m_shape.unit) {
    case Unit::TokensPerSecond:
      return tr("%1 tok/s").arg(rateText(value));
    case Unit::Milliseconds:
      return durationText(value);
    case Unit::Chats:
      return countText(std::lround(value));
    case Unit::Part:
      return percentText(value);
  }
  return {};
}

QString PlotSeries::topText() const {
  const bool isKnown = std::ranges::any_of(m_values, [](double v) { return !std::isnan(v); });
  if (!isKnown) return {};
  const double highest = top();
  if (m_shape.unit == Unit::TokensPerSecond) return countText(std::lround(highest));
  return text(highest);
}

QString PlotSeries::spanText() const {
  const int seconds = m_shape.slotMs * m_shape.numSlots / 1000;
  return seconds > 60 ? tr("%1 min").arg(seconds / 60) : tr("%1 s").arg(seconds);
}

QString PlotSeries::summary() const {
  double least = kUnknown, most = kUnknown;
  for (const double value : m_values) {
    if (std::isnan(value)) continue;
    least = std::isnan(least) ? value : std::min(least, value);
    most = std::isnan(most) ? value : std::max(most, value);
  }
  if (std::isnan(most)) return tr("Nothing was measured yet.");
  return tr("Now %1; between %2 and %3 over the last %4.")
      .arg(latestText(), text(least), text(most), spanText());
}

}  // namespace quire
