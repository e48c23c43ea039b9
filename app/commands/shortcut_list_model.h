#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "app/commands/command_list.h"

namespace quire {

/// The page of shortcuts: every command that has keys, by group, as far as it fits what is
/// searched. Thread: the window's. Invariants: commands of one group are neighbours.
class ShortcutListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY queryChanged)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY queryChanged)

 public:
  enum Role { kText = Qt::UserRole + 1, kGroup, kKeys, kIsFirst };

  explicit ShortcutListModel(const CommandList& commands, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  QString query() const { return m_query; }
  void setQuery(const QString& query);
  bool isEmpty() const { return m_rows.isEmpty(); }

 signals:
  void queryChanged();

 private:
  void update();
  bool fits(const Command& command) const;

  const CommandList& m_commands;
  QString m_query;
  QList<const Command*> m_rows;
};

}  // namespace quire
