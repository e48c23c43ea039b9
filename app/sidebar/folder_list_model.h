#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/role_list_model.h"
#include "app/store/records.h"

namespace quire {

/// The folders in their order, for menus that move chats.
/// Thread: the window's.
/// Invariants: sorted by position, then id.
class FolderListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")

 public:
  enum Role { kFolderId = Qt::UserRole + 1, kName };

  explicit FolderListModel(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_folders.size()); }

  void setFolders(const QList<FolderRecord>& folders);
  void put(const FolderRecord& folder);
  void take(RecordId id);
  int nextPosition() const { return m_folders.isEmpty() ? 0 : m_folders.last().position + 1; }

 private:
  QList<FolderRecord> m_folders;
};

}  // namespace quire
