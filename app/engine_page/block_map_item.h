#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "app/engine_page/block_grid.h"
#include "app/engine_page/block_map_model.h"

namespace quire {

/// Draws the cache blocks as squares in one image, which is cached until something changes. The
/// arrow keys move a cursor; Return or a click requests the text of a block. While it is visible,
/// it is a viewer of its model (BlockMapModel::addViewer).
///
/// Thread: the window's; paint() runs on the render thread while the window's thread waits.
class BlockMapItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::BlockMapModel* map READ map WRITE setMap NOTIFY mapChanged REQUIRED)
  /// Indexed by BlockLook.
  Q_PROPERTY(QList<QColor> colors MEMBER m_colors NOTIFY colorsChanged)
  Q_PROPERTY(int largestSquare MEMBER m_largestSquare NOTIFY limitsChanged)
  Q_PROPERTY(double maximumHeight MEMBER m_maximumHeight NOTIFY limitsChanged)
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
  QRectF cursorRect() const { return rectOf(m_cursor); }
  QRectF hoverRect() const { return rectOf(m_hovered); }
  QString cursorText() const;
  QString hoverText() const;
  QString scaleText() const;  ///< How many blocks a square stands for; empty for one.
  const QList<QColor>& colors() const { return m_colors; }
  const BlockGrid& grid() const { return m_grid; }
  int cursorBlock() const { return m_grid.firstBlock(m_cursor); }

  void paint(QPainter* painter) override;

 signals:
  void mapChanged();
  void colorsChanged();
  void limitsChanged();
  void layoutChanged();
  void cursorChanged();
  void hoverChanged();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void hoverMoveEvent(QHoverEvent* event) override;
  void hoverLeaveEvent(QHoverEvent*) override { setHovered(-1); }
  void geometryChange(const QRectF& now, const QRectF& before) override;
  void itemChange(ItemChange change, const ItemChangeData& data) override;

 private:
  void updateViewing();
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
  bool m_isStale = true;  ///< Whether m_image must be drawn again.
  int m_cursor = 0;
  int m_hovered = -1;
};

}  // namespace quire
