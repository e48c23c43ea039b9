#include "app/panes/pane_arrangement.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace quire {
namespace {

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

QString PaneArrangement::toText() const {
  QJsonArray ids;  // As text: a number of JSON does not hold every id.
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
