#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QStringList>

#include <functional>
#include <optional>

#include "app/role_list_model.h"

namespace quire {

class AppModel;

/// An action of the user. The texts are source texts of the context "quire::Commands"
/// (QT_TRANSLATE_NOOP), which are translated when they are shown.
struct Command {
  QString id;  ///< "chat.new"; must not change, because recently used commands are stored by it.
  const char* group = "";
  const char* text = "";
  QStringList keys = {};  ///< In QKeySequence's portable form; at most two.
  /// Empty: a control handles the keys itself, and the command only lists them.
  std::function<void()> run = {};
  std::function<bool()> isEnabled = {};  ///< Empty: always enabled.
};

/// All actions of the window. Shortcuts, the command palette and the page of shortcuts are made
/// from this list.
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
    kKey,       ///< The key of a Shortcut; empty for keys that are only listed.
    kOtherKey,  ///< A second key for the same command.
  };

  explicit CommandList(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_commands.size()); }

  void add(const Command& command);
  const QList<Command>& commands() const { return m_commands; }
  const Command* find(const QString& id) const;
  bool canRun(const Command& command) const;

  /// Runs the command, if it is enabled.
  Q_INVOKABLE void run(const QString& id);
  /// The first of a command's keys; empty if it has none.
  Q_INVOKABLE QString keyText(const QString& id) const;

  static QString text(const Command& command);
  static QString group(const Command& command);
  static QString keyText(const Command& command) { return keyTexts(command).value(0); }
  /// All keys in the notation of this system, such as "Ctrl+N".
  static QStringList keyTexts(const Command& command);

 private:
  QList<Command> m_commands;
};

/// Adds the commands of the window to its list; `app` outlives them.
void addAppCommands(AppModel& app);

/// How well a typed query matches a text.
struct FuzzyMatch {
  int score = 0;         ///< Higher is better; scores of different queries are not comparable.
  QList<int> positions;  ///< Indices of the matched letters in the text, ascending.
};

/// Matches a query whose letters occur in `text` in the same order, ignoring case and spaces.
/// Adjacent letters and those that begin a word score higher. An empty query matches every text.
/// nullopt: no match.
std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text);

/// The text as HTML, with the letters at `positions` in bold.
QString markedText(const QString& text, const QList<int>& positions);

}  // namespace quire
