#include "app/panes/pane_grid.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

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

bool isAscending(const QList<double>& edges) {
  double last = 0.0;
  for (const double edge : edges) {
    if (!(edge > last) || !(edge < 1.0)) return false;  // Also if it is NaN.
    last = edge;
  }
  return true;
}

QJsonObject toJson(const PaneGrid::Edges& edges) {
  QJsonObject object;
  for (auto it = edges.cbegin(); it != edges.cend(); ++it) {
    QJsonArray places;
    for (const double place : *it) places.append(place);
    object.insert(QString::number(it.key()), places);
  }
  return object;
}

PaneGrid::Edges edgesFrom(const QJsonObject& object) {
  PaneGrid::Edges edges;
  for (int parts = 2; parts <= PaneGrid::kMaxPanes; ++parts) {
    QList<double> places;
    for (const QJsonValue& place : object.value(QString::number(parts)).toArray()) {
      places.append(place.toDouble());
    }
    if (places.size() == parts - 1) edges.insert(parts, places);
  }
  return edges;
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
  // Panes are shown in pages, so that moving the focus within a page moves no pane.
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
  return rows > 0 ? count - 1 : -1;  // The last pane extends below those of the row above.
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
      if (it->size() == it.key() - 1 && isAscending(*it)) to.insert(it.key(), *it);
    }
  };
  keep(columns, m_columnEdges);
  keep(rows, m_rowEdges);
}

QString PaneArrangement::toText() const {
  QJsonArray ids;  // As strings: a JSON number is a double, which cannot hold every id.
  for (const RecordId id : chats) ids.append(QString::number(id));
  const QJsonObject object = {{QStringLiteral("chats"), ids},
                              {QStringLiteral("focused"), focused},
                              {QStringLiteral("columns"), toJson(columns)},
                              {QStringLiteral("rows"), toJson(rows)}};
  return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

PaneArrangement PaneArrangement::fromText(const QString& text) {
  const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
  PaneArrangement arrangement;
  for (const QJsonValue& id : object.value(QStringLiteral("chats")).toArray()) {
    if (arrangement.chats.size() == PaneGrid::kMaxPanes) break;
    arrangement.chats.append(id.toString().toLongLong());
  }
  const int last = std::max(0, static_cast<int>(arrangement.chats.size()) - 1);
  arrangement.focused = std::clamp(object.value(QStringLiteral("focused")).toInt(), 0, last);
  arrangement.columns = edgesFrom(object.value(QStringLiteral("columns")).toObject());
  arrangement.rows = edgesFrom(object.value(QStringLiteral("rows")).toObject());
  return arrangement;
}

}  // namespace quire
