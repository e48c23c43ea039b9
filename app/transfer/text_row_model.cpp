#include "app/transfer/text_row_model.h"

namespace quire {

QVariant TextRowModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_rows.size()) return {};
  const Row& row = m_rows[index.row()];
  if (role == kHeading) return row.heading;
  return role == kWords ? QVariant(row.words) : QVariant();
}

void TextRowModel::setRows(const QList<Row>& rows) {
  beginResetModel();
  m_rows = rows;
  endResetModel();
  emit countChanged();
}

}  // namespace quire
