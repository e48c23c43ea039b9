#include "app/panes/pane_grid.h"

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

int wantedColumns(int count) {
  if (count <= 3) return std::max(count, 1);
  return count == 4 ? 2 : 3;
}

int ceilDivide(int a, int b) {
  return (a + b - 1) / b;
}

bool isRising(const QList<double>& edges) {
  double last = 0.0;
  for (const double edge : edges) {
    if (!(edge > last) || !(edge < 1.0)) return false;  // Also what is not a number.
    last = edge;
  }
  return true;
}

}  // namespace

void PaneGrid::arrange(int count, int focused, const QSizeF& area) {
  m_area = area;
  m_columns = wantedColumns(count);
  int mostRows = kMaxPanes;
  if (!area.isEmpty()) {
    m_columns = std::clamp(static_cast<int>(area.width() / kMinWidth), 1, m_columns);
    mostRows = std::max(1, static_cast<int>(area.height() / kMinHeight));
  }
  m_rows = std::min(ceilDivide(std::max(count, 1), m_columns), mostRows);
  m_shown = std::min(count, m_columns * m_rows);
  // Whole pages of panes, so that going from one to the next moves none of the others.
  m_first = m_shown > 0 ? std::min(focused / m_shown * m_shown, count - m_shown) : 0;
}

QRectF PaneGrid::placeOf(int pane) const {
  const int at = pane - m_first;
  const int row = at / m_columns;
  const int column = at % m_columns;
  const bool isLast = at == m_shown - 1;
  const QList<double> x = QList<double>{0.0} + columnEdges() + QList<double>{1.0};
  const QList<double> y = QList<double>{0.0} + rowEdges() + QList<double>{1.0};
  const double right = isLast ? 1.0 : x[column + 1];
  return {QPointF(x[column], y[row]), QPointF(right, y[row + 1])};
}

int PaneGrid::neighbour(int pane, int columns, int rows, int count) const {
  if (m_shown < count) {
    const int wanted = pane + columns + rows;
    return wanted >= 0 && wanted < count ? wanted : -1;
  }
  const int column = pane % m_columns + columns;
  const int row = pane / m_columns + rows;
  if (column < 0 || column >= m_columns || row < 0 || row >= m_rows) return -1;
  const int wanted = row * m_columns + column;
  if (wanted < count) return wanted;
  return rows > 0 ? count - 1 : -1;  // The last of the last row is as wide as what stands above.
}

QList<double> PaneGrid::edges(const Edges& known, int parts) {
  const QList<double> remembered = known.value(parts);
  if (remembered.size() == parts - 1) return remembered;
  QList<double> even;
  for (int edge = 1; edge < parts; ++edge) even.append(static_cast<double>(edge) / parts);
  return even;
}

void PaneGrid::moveEdge(Edges& known, int parts, int edge, double place, double least) {
  QList<double> all = edges(known, parts);
  if (edge < 0 || edge >= all.size() || !std::isfinite(place)) return;
  const double low = (edge == 0 ? 0.0 : all[edge - 1]) + least;
  const double high = (edge + 1 == all.size() ? 1.0 : all[edge + 1]) - least;
  if (low > high) return;
  all[edge] = std::clamp(place, low, high);
  known.insert(parts, all);
}

void PaneGrid::moveColumnEdge(int edge, double place) {
  if (m_area.isEmpty()) return;
  moveEdge(m_columnEdges, m_columns, edge, place, kMinWidth / m_area.width());
}

void PaneGrid::moveRowEdge(int edge, double place) {
  if (m_area.isEmpty()) return;
  moveEdge(m_rowEdges, m_rows, edge, place, kMinHeight / m_area.height());
}

void PaneGrid::remember(const Edges& columns, const Edges& rows) {
  const auto keep = [](const Edges& from, Edges& to) {
    for (auto it = from.cbegin(); it != from.cend(); ++it) {
      if (it->size() == it.key() - 1 && isRising(*it)) to.insert(it.key(), *it);
    }
  };
  keep(columns, m_columnEdges);
  keep(rows, m_rowEdges);
}

}  // namespace quire
