#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QStringList>

#include <functional>

#include "app/role_list_model.h"

namespace quire {

/// Something the user can have done. Words are source texts of the context "quire::Commands"
/// (QT_TRANSLATE_NOOP), translated whenever they are shown.
struct Command {
  QString id;  ///< "chat.new": stable, kept on disk for what was used last.
  const char* group = "";
  const char* text = "";
  QStringList keys = {};  ///< In QKeySequence's portable form; at most two.
  /// None: keys that a control has by itself, which are only told.
  std::function<void()> run = {};
  std::function<bool()> isEnabled = {};  ///< None: always.
};

/// Every action of the window, once: shortcuts, the command palette and the page of shortcuts are
/// all made from this list.
///
/// Thread: the window's.
/// Invariants: ids are unique; rows stay in the order in which they were added.
class CommandList : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")

 public:
  enum Role {
    kCommandId = Qt::UserRole + 1,
    kText,
    kGroup,
    kKey,       ///< What a Shortcut listens for; empty for keys that are only told.
    kOtherKey,  ///< Does the same.
  };

  explicit CommandList(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_commands.size()); }

  void add(const Command& command);
  const QList<Command>& commands() const { return m_commands; }
  const Command* find(const QString& id) const;
  bool canRun(const Command& command) const;

  /// Does it, if it can be done now.
  Q_INVOKABLE void run(const QString& id);
  /// "Ctrl+N", as keyboards of this system name the keys; empty if it has none.
  Q_INVOKABLE QString keyText(const QString& id) const;

  static QString text(const Command& command);
  static QString group(const Command& command);
  static QString keyText(const Command& command);       ///< The first of its keys.
  static QStringList keyTexts(const Command& command);  ///< All of them.

 private:
  QList<Command> m_commands;
  QHash<QString, int> m_rows;
};

}  // namespace quire
