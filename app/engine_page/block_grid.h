#pragma once

#include <QImage>
#include <QList>
#include <QRect>
#include <QSize>

#include <span>

namespace quire {

/// The layout of blocks as a grid of squares (cells), in device pixels.
struct BlockGrid {
  int numBlocks = 0;
  int blocksPerCell = 1;  ///< More than 1 if there is no space for a square each.
  int columns = 0;
  int pitch = 1;  ///< Distance from one square to the next.
  int gap = 0;    ///< Space between squares, part of `pitch`.

  int numCells() const { return (numBlocks + blocksPerCell - 1) / blocksPerCell; }
  int numRows() const { return columns > 0 ? (numCells() + columns - 1) / columns : 0; }
  int height() const { return numRows() > 0 ? numRows() * pitch - gap : 0; }
  int firstBlock(int cell) const { return cell * blocksPerCell; }
  QRect rectOf(int cell) const;
  /// The cell at a point, including its gap; -1 if there is none.
  int cellAt(QPoint point) const;
  bool operator==(const BlockGrid&) const = default;
};

/// The layout with the largest squares with which all blocks fit into `available` device pixels.
/// Squares have at most `largest` points; `scale` is device pixels per point.
BlockGrid fitBlocks(int numBlocks, QSize available, double scale, int largest);

/// The look of each cell: the most frequent one of its blocks.
QList<quint8> cellLooks(const BlockGrid& grid, std::span<const quint8> looks);

/// The image of the grid; large squares have rounded corners.
QImage drawBlocks(const BlockGrid& grid, std::span<const quint8> looks, const QList<QColor>& colors,
                  int width);

}  // namespace quire
