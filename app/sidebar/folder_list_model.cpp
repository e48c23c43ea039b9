#include "app/sidebar/folder_list_model.h"

#include <algorithm>
#include <tuple>

namespace quire {
namespace {

bool standsBefore(const FolderRecord& a, const FolderRecord& b) {
  return std::tie(a.position, a.id) < std::tie(b.position, b.id);
}

}  // namespace

FolderListModel::FolderListModel(QObject* parent) : RoleListModel(parent) {
  setRoles({{kFolderId, "folderId", [this](int row) { return m_folders[row].id; }},
            {kName, "name", [this](int row) { return m_folders[row].name; }}});
}

void FolderListModel::setFolders(const QList<FolderRecord>& folders) {
  beginResetModel();
  m_folders = folders;
  std::sort(m_folders.begin(), m_folders.end(), standsBefore);
  endResetModel();
}

void FolderListModel::put(const FolderRecord& folder) {
  QList<FolderRecord> folders = m_folders;
  folders.removeIf([&](const FolderRecord& one) { return one.id == folder.id; });
  setFolders(folders << folder);
}

void FolderListModel::take(RecordId id) {
  QList<FolderRecord> folders = m_folders;
  folders.removeIf([&](const FolderRecord& one) { return one.id == id; });
  setFolders(folders);
}

}  // namespace quire
