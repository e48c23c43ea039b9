#pragma once

#include <QtQml/qqmlregistration.h>

#include "app/commands/command_list.h"
#include "app/role_list_model.h"

namespace quire {

/// The page of shortcuts: the commands with keys that match the search, by group.
/// Thread: the window's.
/// Invariants: commands of one group are adjacent.
class ShortcutListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY queryChanged)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY queryChanged)

 public:
  enum Role { kText = Qt::UserRole + 1, kGroup, kKeys, kIsFirst };

  explicit ShortcutListModel(const CommandList& commands, QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

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
