#pragma once

#include <QtQml/qqmlregistration.h>
#include <QStringList>

#include <memory>

#include "app/commands/command_list.h"
#include "app/role_list_model.h"
#include "app/session/data_session.h"
#include "app/sidebar/chat_list_model.h"
#include "app/store/search/search_query.h"
#include "app/task_runner.h"

namespace quire {

/// The search card: finds chats by title, messages by text and, after ">", commands. The keyboard
/// moves through the results while the field keeps the focus.
///
/// Thread: the window's.
/// Invariants: currentRow() is a row, or -1 exactly if there are none; rows of one section are
/// adjacent.
class QuickOpen : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY queryChanged)
  Q_PROPERTY(bool isCommands READ isCommands NOTIFY queryChanged)
  Q_PROPERTY(int currentRow READ currentRow NOTIFY currentRowChanged)
  Q_PROPERTY(QString emptyText READ emptyText NOTIFY rowsChanged)
  Q_PROPERTY(QString note READ note NOTIFY rowsChanged)

 public:
  enum class RowKind { Chat, Message, Command };
  Q_ENUM(RowKind)
  enum Role {
    kKind = Qt::UserRole + 1,
    kTitle,     ///< HTML with the matches in bold.
    kDetail,    ///< A message's text around the matches, as HTML.
    kTrailing,  ///< The time of the chat or message, or the command's keys.
    kColor,
    kIcon,     ///< A command's icon; else empty, and the row has a dot.
    kHeading,  ///< The section's title in its first row; else empty.
  };

  QuickOpen(CommandList& commands, const ChatListModel& chats, DataSession& session,
            QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  bool isOpen() const { return m_isOpen; }
  QString query() const { return m_query; }
  void setQuery(const QString& query);
  bool isCommands() const { return m_query.startsWith(u'>'); }
  int currentRow() const { return m_current; }
  QString emptyText() const;  ///< Why there are no rows; else empty.

  QString note() const { return m_note; }  ///< An error or a limit of the search, or empty.

  void showSearch();
  void showCommands();
  Q_INVOKABLE void close();
  Q_INVOKABLE void move(int step);  ///< Moves the current row; the first follows the last.
  Q_INVOKABLE void point(int row);  ///< Called when the pointer is over the row.
  /// Opens the chat or message of the row, or runs its command, and closes the card.
  Q_INVOKABLE void activate(int row);

 signals:
  void openChanged();
  void queryChanged();
  void currentRowChanged();
  void rowsChanged();
  void chatChosen(qint64 id);
  void messageChosen(qint64 chatId, qint64 messageId);

 private:
  struct Row {
    RowKind kind = RowKind::Chat;
    RecordId chat = 0;
    RecordId message = 0;
    QString command = {};
    QString icon = {};
    QString group = {};  ///< The section of a command.
    QString title = {};
    QString detail = {};
    QString trailing = {};
    QString heading = {};
    int color = 0;

    bool operator==(const Row&) const = default;
  };

  void show(const QString& query);
  void update();
  QList<Row> chatRows() const;
  void askMessages();
  void onAnswered(const Result<SearchAnswer>& result);
  QList<Row> messageRows(const SearchAnswer& answer) const;
  QList<Row> commandRows() const;
  QString groupOf(const Command& command, bool isRecent) const;
  void setRows(const QList<Row>& rows);
  void setCurrent(int row);
  void remember(const QString& command);
  QString sectionOf(const Row& row) const;

  CommandList& m_commands;
  const ChatListModel& m_chats;
  DataSession& m_session;
  QString m_note;
  QList<Row> m_messages;  ///< The messages of the last answer.
  ChatDates m_dates;
  bool m_isOpen = false;
  QString m_query;
  QList<Row> m_rows;
  int m_current = -1;
  std::shared_ptr<SearchReader> m_reader;  ///< Made by the first search; used by jobs of m_tasks.
  TaskRunner m_tasks;                      ///< Busy while the last question is not answered.
};

}  // namespace quire
