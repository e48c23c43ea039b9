#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/role_list_model.h"
#include "app/store/records.h"
#include "app/task_runner.h"
#include "kernels/base/result.h"

namespace quire {

/// Rows of a heading and a text.
/// Thread: the window's.
class TextRowModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ numRows NOTIFY countChanged)

 public:
  enum Role { kHeading = Qt::UserRole + 1, kWords };
  struct Row {
    QString heading;
    QString words;
  };

  TextRowModel() {
    setRoles({{kHeading, "heading", [this](int row) { return m_rows[row].heading; }},
              {kWords, "words", [this](int row) { return shownWords(m_rows[row].words); }}});
  }

  int numRows() const override { return static_cast<int>(m_rows.size()); }
  const QList<Row>& rows() const { return m_rows; }
  void setRows(const QList<Row>& rows);

 signals:
  void countChanged();

 private:
  /// Without the line end at which a long text was divided.
  static QString shownWords(const QString& words) {
    return words.endsWith(u'\n') ? words.chopped(1) : words;
  }

  QList<Row> m_rows;
};

/// Shows what can still be read of a damaged store, before the user decides how to repair it. It
/// writes nothing.
///
/// Thread: the window's for every call and signal; the file is read on another.
class StoreViewer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(int current READ current NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)
  Q_PROPERTY(quire::TextRowModel* chats READ chats CONSTANT)
  Q_PROPERTY(quire::TextRowModel* messages READ messages CONSTANT)

 public:
  /// `path`: of the store's file.
  explicit StoreViewer(const QString& path, QObject* parent = nullptr)
      : QObject(parent), m_path(path) {}

  bool isOpen() const { return m_isOpen; }
  int current() const { return m_current; }  ///< The row of the chat that is shown; -1: none.
  QString note() const { return m_note; }    ///< Why there is nothing to see; else empty.
  TextRowModel* chats() { return &m_chats; }
  TextRowModel* messages() { return &m_messages; }

  Q_INVOKABLE void open();
  Q_INVOKABLE void close();
  Q_INVOKABLE void show(int row);
  Q_INVOKABLE void copyChat() const;  ///< Copies the chat that is shown, as text.

 signals:
  void changed();

 private:
  void setChats(const Result<QList<ChatRecord>>& chats);
  void setMessages(int row, const Result<QList<MessageRecord>>& messages);
  void setNote(const QString& note);

  const QString m_path;
  QList<ChatRecord> m_records;
  TextRowModel m_chats;
  TextRowModel m_messages;
  bool m_isOpen = false;
  int m_current = -1;
  QString m_note;
  TaskRunner m_tasks;
};

}  // namespace quire
