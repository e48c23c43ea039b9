#include "app/engine_page/plot_item.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <utility>

namespace quire {
namespace {

constexpr qreal kPen = 1.6;

}  // namespace

PlotItem::PlotItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  connect(this, &PlotItem::colorsChanged, this, [this] { update(); });
}

void PlotItem::setSeries(PlotSeries* series) {
  if (series == m_series) return;
  if (m_series) m_series->disconnect(this);
  m_series = series;
  if (series) connect(series, &PlotSeries::changed, this, [this] { update(); });
  update();
  emit seriesChanged();
}

void PlotItem::paint(QPainter* painter) {
  painter->setRenderHint(QPainter::Antialiasing);
  const qreal bottom = height() - kPen / 2;
  painter->fillRect(QRectF(0, height() - 1, width(), 1), m_baseColor);
  if (!m_series) return;
  const QList<double>& values = m_series->values();
  const qreal step = (width() - kPen) / static_cast<qreal>(values.size() - 1);
  const qreal scale = (height() - kPen) / m_series->top();
  QPolygonF run;
  for (qsizetype i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      paintRun(*painter, std::exchange(run, {}));
    } else {
      run.append({kPen / 2 + step * static_cast<qreal>(i), bottom - scale * values[i]});
    }
  }
  paintRun(*painter, run);
}

void PlotItem::paintRun(QPainter& painter, const QPolygonF& run) const {
  if (run.isEmpty()) return;
  QPolygonF area = run;
  area.append({run.last().x(), height()});
  area.append({run.first().x(), height()});
  QColor shade = m_color;
  shade.setAlphaF(0.08f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(shade);
  painter.drawPolygon(area);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(m_color, kPen, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  if (run.size() == 1) {
    painter.drawPoint(run.first());
  } else {
    painter.drawPolyline(run);
  }
}

}  // namespace quire
