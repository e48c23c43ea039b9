#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QStringList>

#include <memory>

#include "app/commands/command_list.h"
#include "app/session/data_session.h"
#include "app/sidebar/chat_list_model.h"
#include "app/store/search/search_query.h"
#include "app/task_runner.h"

namespace quire {

/// The search card: finds chats by title, messages by text and, after ">", commands. The keyboard
/// moves through the results while the field keeps the focus.
///
/// Thread: the window's.
/// Invariants: currentRow() is a row, or -1 exactly when there are none; rows of one section are
/// neighbours.
class QuickOpen : public QAbstractListModel {
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
    kTitle,     ///< Styled text, what was found in bold.
    kDetail,    ///< Of a message: styled text around what was found.
    kTrailing,  ///< When the chat was active, or the command's keys.
    kColor,
    kHeading,  ///< Of the section, for its first row; else empty.
  };

  QuickOpen(CommandList& commands, const ChatListModel& chats, DataSession& session,
            QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  bool isOpen() const { return m_isOpen; }
  QString query() const { return m_query; }
  void setQuery(const QString& query);
  bool isCommands() const { return m_query.startsWith(u'>'); }
  int currentRow() const { return m_current; }
  QString emptyText() const;  ///< Why there are no rows; else empty.

  QString note() const { return m_note; }  ///< What must be known of what was found; else empty.

  void showSearch();
  void showCommands();
  Q_INVOKABLE void close();
  Q_INVOKABLE void move(int step);  ///< Past the last row comes the first.
  Q_INVOKABLE void point(int row);  ///< The pointer is over it.
  /// Goes where the row leads, or does what it says, and closes the card.
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
    QString command;
    QString title;
    QString detail;
    QString trailing;
    QString heading;
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
  Row rowOf(const Command& command, const QString& title) const;
  void setRows(const QList<Row>& rows);
  void setCurrent(int row);
  void remember(const QString& command);
  QString sectionOf(const Row& row) const;

  CommandList& m_commands;
  const ChatListModel& m_chats;
  DataSession& m_session;
  QString m_note;
  QList<Row> m_messages;  ///< As they were found last.
  ChatDates m_dates;
  bool m_isOpen = false;
  QString m_query;
  QList<Row> m_rows;
  int m_current = -1;
  std::shared_ptr<SearchReader> m_reader;  ///< From the first search on; for the jobs of m_tasks.
  TaskRunner m_tasks;                      ///< Busy: the last question is not answered yet.
};

}  // namespace quire
