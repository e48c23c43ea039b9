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

int FolderListModel::rowOf(RecordId id) const {
  for (int row = 0; row < m_folders.size(); ++row) {
    if (m_folders[row].id == id) return row;
  }
  return -1;
}

void FolderListModel::put(const FolderRecord& folder) {
  take(folder.id);
  const auto place = std::lower_bound(m_folders.cbegin(), m_folders.cend(), folder, standsBefore);
  const int row = static_cast<int>(place - m_folders.cbegin());
  beginInsertRows({}, row, row);
  m_folders.insert(row, folder);
  endInsertRows();
}

void FolderListModel::take(RecordId id) {
  const int row = rowOf(id);
  if (row < 0) return;
  beginRemoveRows({}, row, row);
  m_folders.remove(row);
  endRemoveRows();
}

}  // namespace quire
