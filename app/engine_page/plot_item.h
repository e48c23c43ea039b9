#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "app/engine_page/plot_series.h"

namespace quire {

/// Plots a series as a line, the newest value at the right and 0 at the bottom. Unknown values
/// (NaN) leave gaps.
///
/// Thread: the window's; paint() runs on the render thread while the window's thread waits.
class PlotItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::PlotSeries* series READ series WRITE setSeries NOTIFY seriesChanged REQUIRED)
  Q_PROPERTY(QColor color MEMBER m_color NOTIFY colorsChanged)
  Q_PROPERTY(QColor baseColor MEMBER m_baseColor NOTIFY colorsChanged)

 public:
  explicit PlotItem(QQuickItem* parent = nullptr);

  PlotSeries* series() const { return m_series; }
  void setSeries(PlotSeries* series);
  void paint(QPainter* painter) override;

 signals:
  void seriesChanged();
  void colorsChanged();

 private:
  void paintRun(QPainter& painter, const QPolygonF& run) const;

  QPointer<PlotSeries> m_series;
  QColor m_color;
  QColor m_baseColor;
};

}  // namespace quire
