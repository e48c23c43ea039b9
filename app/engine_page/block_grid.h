#pragma once

#include <QImage>
#include <QList>
#include <QRect>
#include <QSize>

#include <span>

namespace quire {

/// How many blocks are laid out in rows of squares, in device pixels.
struct BlockGrid {
  int numBlocks = 0;
  int blocksPerCell = 1;  ///< More than 1 where there is no room for a square each.
  int columns = 0;
  int pitch = 1;  ///< From one square to the next.
  int gap = 0;    ///< Of it, what is left free.

  int numCells() const { return (numBlocks + blocksPerCell - 1) / blocksPerCell; }
  int numRows() const { return columns > 0 ? (numCells() + columns - 1) / columns : 0; }
  int height() const { return numRows() > 0 ? numRows() * pitch - gap : 0; }
  int cellOf(int block) const { return block / blocksPerCell; }
  int firstBlock(int cell) const { return cell * blocksPerCell; }
  QRect rectOf(int cell) const;
  /// The square at or beside that point; -1: there is none.
  int cellAt(QPoint point) const;
  bool operator==(const BlockGrid&) const = default;
};

/// The largest squares, of at most `largest` points, with which all blocks fit; `scale` is device
/// pixels a point.
BlockGrid fitBlocks(int numBlocks, QSize room, double scale, int largest);

/// What is seen of each square: of several blocks, what most of them are.
QList<quint8> cellLooks(const BlockGrid& grid, std::span<const quint8> looks);

/// The picture: squares with rounded corners where they are large enough.
QImage drawBlocks(const BlockGrid& grid, std::span<const quint8> looks, const QList<QColor>& colors,
                  int width);

}  // namespace quire
