#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/get_models/hub_access.h"
#include "app/role_list_model.h"

namespace quire {

/// The models that a search on a hub found.
/// Thread: the window's.
class FoundModels : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count NOTIFY changed)

 public:
  enum Role { kName = Qt::UserRole + 1, kShownName, kFacts };

  explicit FoundModels(QObject* parent = nullptr);

  int numRows() const override { return count(); }
  int count() const { return static_cast<int>(m_results.size()); }
  void set(const QList<HubResult>& results);

 signals:
  void changed();

 private:
  QList<HubResult> m_results;
};

}  // namespace quire
