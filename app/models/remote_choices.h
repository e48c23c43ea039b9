#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/remote/remote_endpoint.h"
#include "app/role_list_model.h"

namespace quire {

/// The models of all endpoints that chats can choose.
/// Thread: the window's.
class RemoteChoices : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")

 public:
  enum Role { kPath = Qt::UserRole + 1, kName, kPlace };

  explicit RemoteChoices(QObject* parent = nullptr) : RoleListModel(parent) {
    setRoles({{kPath, "path", [this](int row) { return m_rows[row].path; }},
              {kName, "name", [this](int row) { return m_rows[row].name; }},
              {kPlace, "place", [this](int row) { return m_rows[row].place; }}});
  }

  int numRows() const override { return static_cast<int>(m_rows.size()); }
  void setEndpoints(const QList<RemoteEndpoint>& endpoints) {
    beginResetModel();
    m_rows.clear();
    for (const RemoteEndpoint& endpoint : endpoints) {
      for (const QString& model : endpoint.models)
        m_rows.append({remotePath(endpoint.id, model), model, endpoint.name});
    }
    endResetModel();
  }

 private:
  struct Row {
    QString path;
    QString name;
    QString place;  ///< The endpoint's name.
  };
  QList<Row> m_rows;
};

}  // namespace quire
