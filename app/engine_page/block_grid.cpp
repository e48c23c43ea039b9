#include "app/engine_page/block_grid.h"

#include <QColor>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace quire {
namespace {

constexpr int kSmallestPoints = 4;
constexpr int kMaxLooks = 16;

int gapOf(int pitch, double scale) {
  const int points = pitch >= std::lround(14 * scale) ? 2 : 1;
  return std::min(pitch - 1, std::max(1, static_cast<int>(std::lround(points * scale))));
}

QImage drawSquare(int side, const QColor& color) {
  QImage image(side, side, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  const qreal radius = side >= 6 ? side * 0.22 : 0.0;
  painter.drawRoundedRect(QRectF(0, 0, side, side), radius, radius);
  return image;
}

void copySquare(const QImage& square, QImage& image, QPoint at) {
  const size_t bytes = static_cast<size_t>(square.width()) * sizeof(QRgb);
  for (int y = 0; y < square.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(at.y() + y));
    std::memcpy(line + at.x(), square.constScanLine(y), bytes);
  }
}

}  // namespace

QRect BlockGrid::rectOf(int cell) const {
  if (columns == 0) return {};
  return {cell % columns * pitch, cell / columns * pitch, pitch - gap, pitch - gap};
}

int BlockGrid::cellAt(QPoint point) const {
  if (columns == 0 || point.x() < 0 || point.y() < 0) return -1;
  const int column = point.x() / pitch;
  const int cell = point.y() / pitch * columns + column;
  return column < columns && cell < numCells() ? cell : -1;
}

BlockGrid fitBlocks(int numBlocks, QSize available, double scale, int largest) {
  BlockGrid grid{.numBlocks = numBlocks};
  if (numBlocks <= 0 || available.width() < 1 || available.height() < 1) return {};
  const int smallestPitch = std::max(2, static_cast<int>(std::lround(kSmallestPoints * scale)));
  grid.pitch = std::max(smallestPitch, static_cast<int>(std::lround(largest * scale)));
  const auto capacityOf = [&](int pitch) {
    const int gap = gapOf(pitch, scale);
    return int64_t{(available.width() + gap) / pitch} * ((available.height() + gap) / pitch);
  };
  while (grid.pitch > smallestPitch && capacityOf(grid.pitch) < numBlocks) --grid.pitch;
  const int64_t capacity = std::max<int64_t>(1, capacityOf(grid.pitch));
  grid.blocksPerCell = static_cast<int>((numBlocks + capacity - 1) / capacity);
  grid.gap = gapOf(grid.pitch, scale);
  grid.columns = std::max(1, (available.width() + grid.gap) / grid.pitch);
  return grid;
}

QList<quint8> cellLooks(const BlockGrid& grid, std::span<const quint8> looks) {
  QList<quint8> cells;
  cells.reserve(grid.numCells());
  for (int cell = 0; cell < grid.numCells(); ++cell) {
    const size_t first = std::min<size_t>(static_cast<size_t>(grid.firstBlock(cell)), looks.size());
    const size_t count =
        std::min<size_t>(static_cast<size_t>(grid.blocksPerCell), looks.size() - first);
    std::array<int, kMaxLooks> counts{};
    for (const quint8 look : looks.subspan(first, count)) ++counts[look % kMaxLooks];
    cells.append(static_cast<quint8>(std::ranges::max_element(counts) - counts.begin()));
  }
  return cells;
}

QImage drawBlocks(const BlockGrid& grid, std::span<const quint8> looks, const QList<QColor>& colors,
                  int width) {
  if (grid.columns == 0 || width < 1) return {};
  const int side = grid.pitch - grid.gap;
  QList<QImage> squares;
  for (const QColor& color : colors) squares.append(drawSquare(side, color));
  QImage image(std::max(width, grid.columns * grid.pitch), std::max(1, grid.height()),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const QList<quint8> cells = cellLooks(grid, looks);
  for (int cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell] < squares.size()) {
      copySquare(squares[cells[cell]], image, grid.rectOf(cell).topLeft());
    }
  }
  return image;
}

}  // namespace quire
