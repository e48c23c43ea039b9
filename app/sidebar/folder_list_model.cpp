#include "app/sidebar/folder_list_model.h"

#include <algorithm>
#include <tuple>

namespace quire {
namespace {

bool standsBefore(const FolderRecord& a, const FolderRecord& b) {
  return std::tie(a.position, a.id) < std::tie(b.position, b.id);
}

}  // namespace

int FolderListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_folders.size());
}

QHash<int, QByteArray> FolderListModel::roleNames() const {
  return {{kFolderId, "folderId"}, {kName, "name"}};
}

QVariant FolderListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_folders.size()) return {};
  const FolderRecord& folder = m_folders[index.row()];
  if (role == kFolderId) return folder.id;
  return role == kName ? QVariant(folder.name) : QVariant();
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
