#pragma once

#include <QHash>
#include <QList>
#include <QRectF>
#include <QSizeF>

namespace quire {

/// Layout of the panes in rows and columns whose edges can be dragged. If the panes would be too
/// small, only some are shown, the focused one among them.
///
/// Places are fractions of the area, from 0 to 1. Edges are remembered for each number of columns
/// and of rows.
class PaneGrid {
 public:
  static constexpr int kMaxPanes = 9;
  static constexpr double kMinWidth = 320.0;
  static constexpr double kMinHeight = 260.0;

  /// Edges by how many columns (or rows) there are.
  using Edges = QHash<int, QList<double>>;

  /// Computes the grid for `count` panes; an empty area holds them all.
  void arrange(int count, int focused, const QSizeF& area);

  int columns() const { return m_columns; }
  int rows() const { return m_rows; }
  int numShown() const { return m_shown; }
  bool isShown(int pane) const { return pane >= m_first && pane < m_first + m_shown; }
  /// Of a shown pane. The last one of a row takes the rest of it.
  QRectF placeOf(int pane) const;
  /// The pane beside this one, so many columns and rows away; -1: none. Of panes that are not all
  /// shown, the one before or after it.
  int neighbour(int pane, int columns, int rows, int count) const;

  QList<double> columnEdges() const { return edges(m_columnEdges, m_columns); }
  QList<double> rowEdges() const { return edges(m_rowEdges, m_rows); }
  /// Moves the edge after the column `edge`; both sides keep the minimum width.
  void moveColumnEdge(int edge, double place);
  void moveRowEdge(int edge, double place);

  const Edges& rememberedColumns() const { return m_columnEdges; }
  const Edges& rememberedRows() const { return m_rowEdges; }
  /// Skips edges that are not rising fractions.
  void remember(const Edges& columns, const Edges& rows);

 private:
  static QList<double> edges(const Edges& known, int parts);
  static void moveEdge(Edges& known, int parts, int edge, double place, double least);

  int m_columns = 1;
  int m_rows = 1;
  int m_first = 0;
  int m_shown = 0;
  QSizeF m_area;
  Edges m_columnEdges;
  Edges m_rowEdges;
};

}  // namespace quire
