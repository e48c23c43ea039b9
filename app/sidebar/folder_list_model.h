#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>

#include "app/store/records.h"

namespace quire {

/// The folders in their order, for menus that move chats.
/// Thread: the window's.
/// Invariants: sorted by position, then id.
class FolderListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")

 public:
  enum Role { kFolderId = Qt::UserRole + 1, kName };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  void setFolders(const QList<FolderRecord>& folders);
  void put(const FolderRecord& folder);
  void take(RecordId id);
  int nextPosition() const { return m_folders.isEmpty() ? 0 : m_folders.last().position + 1; }

 private:
  QList<FolderRecord> m_folders;
};

}  // namespace quire
