#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include <algorithm>
#include <tuple>

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

  FolderListModel() {
    setRoles({{kFolderId, "folderId", [this](int row) { return m_folders[row].id; }},
              {kName, "name", [this](int row) { return m_folders[row].name; }}});
  }

  int numRows() const override { return static_cast<int>(m_folders.size()); }

  void setFolders(const QList<FolderRecord>& folders) {
    beginResetModel();
    m_folders = folders;
    std::sort(m_folders.begin(), m_folders.end(), [](const auto& a, const auto& b) {
      return std::tie(a.position, a.id) < std::tie(b.position, b.id);
    });
    endResetModel();
  }
  void put(const FolderRecord& folder) { setFolders(without(folder.id) << folder); }
  void take(RecordId id) { setFolders(without(id)); }
  int nextPosition() const { return m_folders.isEmpty() ? 0 : m_folders.last().position + 1; }

 private:
  QList<FolderRecord> without(RecordId id) const {
    QList<FolderRecord> folders = m_folders;
    folders.removeIf([id](const FolderRecord& one) { return one.id == id; });
    return folders;
  }

  QList<FolderRecord> m_folders;
};

}  // namespace quire
