#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QHash>

#include <functional>

namespace quire {

/// A list model whose roles are a table: each with its name in QML and the function that makes its
/// value of a row. Models name it in full, quire::RoleListModel: Qt 6.4 does not find the type of a
/// base in a namespace otherwise.
/// Thread: the window's.
class RoleListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ANONYMOUS

 public:
  int rowCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : numRows();
  }
  QVariant data(const QModelIndex& index, int role) const final {
    const auto found = m_roles.constFind(role);
    const bool isRow = index.row() >= 0 && index.row() < numRows();
    return isRow && found != m_roles.cend() ? found->value(index.row()) : QVariant();
  }
  QHash<int, QByteArray> roleNames() const final {
    QHash<int, QByteArray> names;
    for (const RoleValue& role : m_roles) names.insert(role.role, role.name);
    return names;
  }

 protected:
  struct RoleValue {
    int role = 0;
    const char* name = "";
    std::function<QVariant(int row)> value;
  };

  using QAbstractListModel::QAbstractListModel;

  virtual int numRows() const = 0;
  /// By the constructor.
  void setRoles(std::initializer_list<RoleValue> roles) {
    for (const RoleValue& role : roles) m_roles.insert(role.role, role);
  }
  /// These roles of all rows have changed; all roles for none.
  void announceRows(const QList<int>& roles = {}) {
    if (numRows() > 0) emit dataChanged(index(0), index(numRows() - 1), roles);
  }

 private:
  QHash<int, RoleValue> m_roles;
};

}  // namespace quire
