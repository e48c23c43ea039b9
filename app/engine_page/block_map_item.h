#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "app/engine_page/block_grid.h"
#include "app/engine_page/block_map_model.h"

namespace quire {

/// Draws the cache's blocks as squares, all of them as one picture that is made anew only when
/// something changed. Arrow keys move a cursor over it, Return or a click asks for a block's text.
/// As long as it is visible it counts as a viewer of its model.
///
/// Thread: the window's; paint() is called on the one that draws, while the window's waits.
class BlockMapItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::BlockMapModel* map READ map WRITE setMap NOTIFY mapChanged REQUIRED)
  /// By BlockLook.
  Q_PROPERTY(QList<QColor> colors READ colors WRITE setColors NOTIFY colorsChanged)
  Q_PROPERTY(int largestSquare READ largestSquare WRITE setLargestSquare NOTIFY layoutChanged)
  Q_PROPERTY(double maximumHeight READ maximumHeight WRITE setMaximumHeight NOTIFY layoutChanged)
  Q_PROPERTY(QRectF cursorRect READ cursorRect NOTIFY cursorChanged)
  Q_PROPERTY(QString cursorText READ cursorText NOTIFY cursorChanged)
  Q_PROPERTY(QRectF hoverRect READ hoverRect NOTIFY hoverChanged)
  Q_PROPERTY(QString hoverText READ hoverText NOTIFY hoverChanged)
  Q_PROPERTY(QString scaleText READ scaleText NOTIFY layoutChanged)

 public:
  explicit BlockMapItem(QQuickItem* parent = nullptr);
  ~BlockMapItem() override;

  BlockMapModel* map() const { return m_map; }
  void setMap(BlockMapModel* map);
  QList<QColor> colors() const { return m_colors; }
  void setColors(const QList<QColor>& colors);
  int largestSquare() const { return m_largestSquare; }
  void setLargestSquare(int points);
  double maximumHeight() const { return m_maximumHeight; }
  void setMaximumHeight(double height);

  QRectF cursorRect() const { return rectOf(m_cursor); }
  QRectF hoverRect() const { return rectOf(m_hovered); }
  QString cursorText() const;
  QString hoverText() const;
  QString scaleText() const;  ///< What one square stands for, if not for one block.
  const BlockGrid& grid() const { return m_grid; }
  int cursorBlock() const { return m_grid.firstBlock(m_cursor); }

  void paint(QPainter* painter) override;

 signals:
  void mapChanged();
  void colorsChanged();
  void layoutChanged();
  void cursorChanged();
  void hoverChanged();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void hoverMoveEvent(QHoverEvent* event) override;
  void hoverLeaveEvent(QHoverEvent*) override { setHovered(-1); }
  void geometryChange(const QRectF& now, const QRectF& before) override;
  void itemChange(ItemChange change, const ItemChangeData& data) override;

 private:
  void lookOrNot();
  void redraw();
  void layOut();
  void setCursor(int cell);
  void setHovered(int cell);
  int cellAt(QPointF position) const { return m_grid.cellAt((position * scale()).toPoint()); }
  QRectF rectOf(int cell) const;
  double scale() const;

  QPointer<BlockMapModel> m_map;
  QList<QColor> m_colors;
  int m_largestSquare = 10;
  double m_maximumHeight = 200.0;
  bool m_isViewing = false;
  BlockGrid m_grid;
  QImage m_image;
  bool m_isStale = true;  ///< m_image.
  int m_cursor = 0;
  int m_hovered = -1;
};

}  // namespace quire
