#include "app/models/model_list_model.h"

#include <QSet>

#include <algorithm>

#include "app/models/card_order.h"

namespace quire {
namespace {

constexpr qsizetype kMostSteps = 200;  ///< Beyond, a list is exchanged as a whole.

}  // namespace

ModelListModel::ModelListModel(QObject* parent) : RoleListModel(parent) {
  setRoles({{kCard, "card", [this](int row) { return QVariant::fromValue(m_rows[row].card); }},
            {kSection, "section", [this](int row) { return sectionWords(m_rows[row].section); }}});
}

void ModelListModel::reset(const QList<Row>& rows) {
  beginResetModel();
  m_rows = rows;
  endResetModel();
}

void ModelListModel::setRows(const QList<Row>& rows) {
  if (rows == m_rows) return;
  const qsizetype before = m_rows.size();
  if (std::max(before, rows.size()) > kMostSteps) {
    reset(rows);
  } else {
    for (qsizetype at = m_rows.size() - 1; at >= 0; --at) {
      if (rows.contains(m_rows[at])) continue;
      beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at));
      m_rows.removeAt(at);
      endRemoveRows();
    }
    for (qsizetype at = 0; at < rows.size(); ++at) {
      if (m_rows.value(at) == rows[at]) continue;
      const qsizetype from = m_rows.indexOf(rows[at], at);
      const int to = static_cast<int>(at);
      if (from < 0) {
        beginInsertRows({}, to, to);
        m_rows.insert(at, rows[at]);
        endInsertRows();
      } else {
        beginMoveRows({}, static_cast<int>(from), static_cast<int>(from), {}, to);
        m_rows.move(from, at);
        endMoveRows();
      }
    }
  }
  if (m_rows.size() != before) emit countChanged();
}

}  // namespace quire
