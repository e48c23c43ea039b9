#include "app/models/model_list_model.h"

#include <algorithm>

namespace quire {
namespace {

constexpr qsizetype kMostSteps = 200;  ///< Longer lists are replaced as a whole.
/// A row is the first of its section, and has its heading. The view's own sections change while it
/// lays out rows that move, which would change their height in the middle of that.
constexpr int kBegins = ModelListModel::kSection + 1;

}  // namespace

ModelListModel::ModelListModel(QObject* parent) : RoleListModel(parent) {
  setRoles({{kCard, "card", [this](int row) { return QVariant::fromValue(m_rows[row].card); }},
            {kSection, "section", [this](int row) { return sectionLabel(m_rows[row].section); }},
            {kBegins, "begins", [this](int row) {
               return row == 0 || m_rows[row - 1].section != m_rows[row].section;
             }}});
}

void ModelListModel::setRows(const QList<Row>& rows) {
  if (rows == m_rows) return;
  const qsizetype before = m_rows.size();
  if (std::max(before, rows.size()) > kMostSteps) {
    replaceRows(rows);
  } else {
    moveRows(rows);
    announceRows({kBegins});
  }
  if (m_rows.size() != before) emit countChanged();
}

void ModelListModel::replaceRows(const QList<Row>& rows) {
  beginResetModel();
  m_rows = rows;
  endResetModel();
}

void ModelListModel::moveRows(const QList<Row>& rows) {
  for (int at = count() - 1; at >= 0; --at) {
    if (rows.contains(m_rows[at])) continue;
    beginRemoveRows({}, at, at);
    m_rows.removeAt(at);
    endRemoveRows();
  }
  for (int at = 0; at < rows.size(); ++at) {
    if (m_rows.value(at) == rows[at]) continue;
    const auto from = static_cast<int>(m_rows.indexOf(rows[at], at));
    if (from < 0) {
      beginInsertRows({}, at, at);
      m_rows.insert(at, rows[at]);
      endInsertRows();
    } else {
      beginMoveRows({}, from, from, {}, at);
      m_rows.move(from, at);
      endMoveRows();
    }
  }
}

}  // namespace quire
