#include "app/engine_page/block_map_item.h"

#include <QHoverEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QQuickWindow>

#include <algorithm>

namespace quire {

BlockMapItem::BlockMapItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAcceptedMouseButtons(Qt::LeftButton);
  setAcceptHoverEvents(true);
  setActiveFocusOnTab(true);
  connect(this, &BlockMapItem::colorsChanged, this, &BlockMapItem::redraw);
  connect(this, &BlockMapItem::limitsChanged, this, &BlockMapItem::layOut);
}

BlockMapItem::~BlockMapItem() {
  if (m_isViewing && m_map) m_map->removeViewer();
}

void BlockMapItem::setMap(BlockMapModel* map) {
  if (map == m_map) return;
  if (m_map) {
    m_map->disconnect(this);
    if (m_isViewing) m_map->removeViewer();
  }
  m_isViewing = false;
  m_map = map;
  if (map) connect(map, &BlockMapModel::changed, this, &BlockMapItem::redraw);
  updateViewing();
  redraw();
  emit mapChanged();
}

double BlockMapItem::scale() const {
  return window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0;
}

void BlockMapItem::updateViewing() {
  const bool isViewing = m_map && window() != nullptr && isVisible();
  if (isViewing == m_isViewing) return;
  m_isViewing = isViewing;
  if (isViewing) {
    m_map->addViewer();
  } else if (m_map) {
    m_map->removeViewer();
  }
}

void BlockMapItem::redraw() {
  layOut();
  m_isStale = true;
  update();
  emit cursorChanged();
  if (m_hovered >= 0) emit hoverChanged();
}

void BlockMapItem::layOut() {
  const int numBlocks = m_map ? m_map->numBlocks() : 0;
  const double pixels = scale();
  const QSize room(static_cast<int>(width() * pixels), static_cast<int>(m_maximumHeight * pixels));
  const BlockGrid grid = fitBlocks(numBlocks, room, pixels, m_largestSquare);
  if (grid == m_grid) return;
  m_grid = grid;
  m_cursor = std::clamp(m_cursor, 0, std::max(0, grid.numCells() - 1));
  m_hovered = -1;
  m_isStale = true;
  setImplicitHeight(grid.height() / pixels);
  update();
  emit layoutChanged();
  emit cursorChanged();
  emit hoverChanged();
}

void BlockMapItem::paint(QPainter* painter) {
  if (!m_map) return;
  const double pixels = scale();
  if (m_isStale) {
    m_image = drawBlocks(m_grid, m_map->looks(), m_colors, static_cast<int>(width() * pixels));
    m_image.setDevicePixelRatio(pixels);
    m_isStale = false;
  }
  painter->drawImage(QPointF(0, 0), m_image);
}

QRectF BlockMapItem::rectOf(int cell) const {
  const QRect rect = cell >= 0 ? m_grid.rectOf(cell) : QRect();
  const double pixels = scale();
  return {rect.x() / pixels, rect.y() / pixels, rect.width() / pixels, rect.height() / pixels};
}

QString BlockMapItem::cursorText() const {
  return m_map ? m_map->describe(m_grid.firstBlock(m_cursor)) : QString();
}

QString BlockMapItem::hoverText() const {
  return m_map && m_hovered >= 0 ? m_map->describe(m_grid.firstBlock(m_hovered)) : QString();
}

QString BlockMapItem::scaleText() const {
  if (m_grid.blocksPerCell < 2) return {};
  return tr("Each square stands for %1 blocks.").arg(m_grid.blocksPerCell);
}

void BlockMapItem::setCursor(int cell) {
  const int last = m_grid.numCells() - 1;
  if (cell < 0 || cell > last || cell == m_cursor) return;
  m_cursor = cell;
  emit cursorChanged();
}

void BlockMapItem::setHovered(int cell) {
  if (cell == m_hovered) return;
  m_hovered = cell;
  emit hoverChanged();
}

/// Escape closes the reading before it closes the page.
bool BlockMapItem::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && m_map && m_map->hasReading() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QQuickPaintedItem::event(event);
}

void BlockMapItem::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return setCursor(m_cursor - 1);
    case Qt::Key_Right:
      return setCursor(m_cursor + 1);
    case Qt::Key_Up:
      return setCursor(m_cursor - m_grid.columns);
    case Qt::Key_Down:
      return setCursor(m_cursor + m_grid.columns);
    case Qt::Key_Home:
      return setCursor(0);
    case Qt::Key_End:
      return setCursor(m_grid.numCells() - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (m_map) m_map->read(cursorBlock());
      return;
    case Qt::Key_Escape:
      if (m_map && m_map->hasReading()) return m_map->closeReading();
      break;
    default:
      break;
  }
  event->ignore();
}

void BlockMapItem::mousePressEvent(QMouseEvent* event) {
  const int cell = cellAt(event->position());
  forceActiveFocus(Qt::MouseFocusReason);
  if (cell < 0 || !m_map) return;
  setCursor(cell);
  m_map->read(cursorBlock());
}

void BlockMapItem::hoverMoveEvent(QHoverEvent* event) {
  setHovered(cellAt(event->position()));
}

void BlockMapItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickPaintedItem::geometryChange(now, before);
  if (now.width() != before.width()) redraw();
}

void BlockMapItem::itemChange(ItemChange change, const ItemChangeData& data) {
  QQuickPaintedItem::itemChange(change, data);
  if (change == ItemDevicePixelRatioHasChanged) redraw();
  if (change == ItemVisibleHasChanged || change == ItemSceneChange) updateViewing();
}

}  // namespace quire
