#pragma once

#include <QtQml/qqmlregistration.h>
#include <QStringList>

#include <functional>

#include "app/personas/persona_list_model.h"
#include "app/role_list_model.h"
#include "app/session/data_session.h"

namespace quire {

/// The menu of the composer that a slash at the beginning of a line opens: personas for the chat,
/// and prompts that the user saved, each under a heading. What is typed after the slash filters it.
///
/// Thread: the window's.
/// Invariants: it is open only if it has rows; currentRow() is one of them then.
class SlashMenu : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the composer.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(int currentRow READ currentRow WRITE setCurrentRow NOTIFY changed)
  Q_PROPERTY(QString currentText READ currentText NOTIFY changed)

 public:
  enum Role {
    kTitle = Qt::UserRole + 1,
    kDetail,
    kIconName,
    kColor,
    kIsPersona,
    kIsPrompt,
    kSection
  };
  static constexpr qsizetype kMaxPrompts = 100;
  static constexpr qsizetype kMaxPromptLength = 20'000;
  static constexpr qsizetype kMaxQuery = 40;  ///< Longer lines are no search.

  /// What the menu needs of the composer.
  struct Target {
    std::function<RecordId()> persona;  ///< Of the chat that is written to.
    std::function<void(RecordId)> setPersona;
  };

  SlashMenu(const PersonaListModel& personas, DataSession& session, Target target,
            QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  bool isOpen() const { return !m_rows.isEmpty(); }
  int currentRow() const { return m_currentRow; }
  void setCurrentRow(int row);
  QString currentText() const;  ///< The title of the current row, for screen readers.

  /// The text of the composer or its cursor has changed.
  Q_INVOKABLE void follow(const QString& text, int cursor);
  /// Handles the keys of the open menu; false: the key is the composer's.
  Q_INVOKABLE bool handleKey(int key, int modifiers);
  /// The pointer has come to a row or left it.
  Q_INVOKABLE void point(int row, bool isOver) { setCurrentRow(isOver ? row : m_currentRow); }
  Q_INVOKABLE void choose(int row);
  Q_INVOKABLE void removePrompt(int row);
  Q_INVOKABLE void close();

 signals:
  void changed();
  /// The composer should replace this part of its text.
  void replaced(int begin, int end, const QString& text);

 private:
  enum class Kind { Persona, Prompt, Save };
  struct Entry {
    Kind kind = Kind::Persona;
    RecordId persona = 0;
    int prompt = -1;
    QString title;
    QString detail;
    QString iconName;
    int color = 0;
  };

  static QString sectionOf(const Entry& entry);
  QList<Entry> allEntries() const;
  void show(const QString& query);
  void setRows(const QList<Entry>& rows);
  QString otherText() const;
  void readPrompts();
  void savePrompts();

  const PersonaListModel& m_personas;
  DataSession& m_session;
  const Target m_target;
  QStringList m_prompts;
  bool m_arePromptsRead = false;
  QString m_text;
  int m_begin = -1;      ///< Where the slash is; -1: there is none.
  int m_end = 0;         ///< The end of what was typed after it.
  int m_dismissed = -1;  ///< The slash whose menu was closed by Escape.
  QList<Entry> m_rows;
  int m_currentRow = 0;
};

}  // namespace quire
