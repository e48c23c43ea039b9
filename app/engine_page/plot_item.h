#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "app/engine_page/plot_series.h"

namespace quire {

/// Draws a series as a line from its oldest value at the left to its newest at the right, 0 at the
/// bottom. Where nothing is known there is no line.
///
/// Thread: the window's; paint() is called on the one that draws, while the window's waits.
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
