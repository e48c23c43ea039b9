#pragma once

#include <QHash>
#include <QList>
#include <QRectF>
#include <QSizeF>

#include "app/store/records.h"

namespace quire {

/// Layout of the panes in rows and columns whose edges can be dragged. If the panes would be too
/// small, only some are shown, including the focused one.
///
/// Places are fractions of the area, from 0 to 1. Edges are stored for each number of columns and
/// rows.
class PaneGrid {
 public:
  static constexpr int kMaxPanes = 9;
  static constexpr double kMinWidth = 320.0;
  static constexpr double kMinHeight = 260.0;

  /// Edges by the number of columns (or rows).
  using Edges = QHash<int, QList<double>>;

  /// Computes the grid for `count` panes. All of them fit if the area is empty (not known yet).
  void arrange(int count, int focused, const QSizeF& area);

  int columns() const { return m_columns; }
  int rows() const { return m_rows; }
  int numShown() const { return m_shown; }
  bool isShown(int pane) const { return pane >= m_first && pane < m_first + m_shown; }
  /// The place of a shown pane. The last pane extends to the end of its row.
  QRectF placeOf(int pane) const;
  /// The pane that is so many columns and rows away from this one; -1: none. If not all panes are
  /// shown, the previous or next one.
  int neighbour(int pane, int columns, int rows, int count) const;

  QList<double> columnEdges() const { return edges(m_columnEdges, m_columns); }
  QList<double> rowEdges() const { return edges(m_rowEdges, m_rows); }
  /// Moves the edge after the column `edge`; both sides keep their minimum size.
  void moveColumnEdge(int edge, double place);
  void moveRowEdge(int edge, double place);

  const Edges& rememberedColumns() const { return m_columnEdges; }
  const Edges& rememberedRows() const { return m_rowEdges; }
  /// Restores stored edges, except those that are not ascending fractions.
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

/// Chats and sizes of the panes, as they are saved between starts.
struct PaneArrangement {
  QList<RecordId> chats;  ///< 0: a new chat.
  int focused = 0;
  PaneGrid::Edges columns;
  PaneGrid::Edges rows;

  QString toText() const;
  /// Skips what cannot be parsed; at most PaneGrid::kMaxPanes chats.
  static PaneArrangement fromText(const QString& text);
};

}  // namespace quire
