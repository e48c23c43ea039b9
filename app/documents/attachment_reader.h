#pragma once

#include <QtQml/qqmlregistration.h>

#include "app/documents/attachment_list.h"

namespace quire {

/// The text of an opened file of a message, in pieces of a few lines, so that a view creates items
/// for the visible ones only. For a table (CSV), row 0 shows its first rows in columns.
///
/// Thread: the window's.
class AttachmentReader : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString detail READ detail NOTIFY changed)

 public:
  enum Role { kText = Qt::UserRole + 1, kIsTable };

  AttachmentReader();

  int numRows() const override {
    return static_cast<int>(m_begins.size()) - (m_table.isEmpty() ? 1 : 0);
  }

  bool isOpen() const { return m_isOpen; }
  QString title() const { return m_title; }
  QString detail() const { return m_detail; }
  /// Does nothing if the file was not read yet.
  Q_INVOKABLE void open(const quire::AttachmentList* files, int row);
  Q_INVOKABLE void close();
  Q_INVOKABLE void copy() const;

 signals:
  void changed();

 private:
  bool isTable(int row) const { return row == 0 && !m_table.isEmpty(); }
  QString textAt(int row) const;

  bool m_isOpen = false;
  QString m_title;
  QString m_detail;
  QString m_text;
  QString m_table;                  ///< The preview of a table; empty: the file is none.
  QList<qsizetype> m_begins = {0};  ///< Where each piece begins, then the end of the text.
};

/// The end of the piece of `text` that begins at `from`: at most that many lines and characters. A
/// longer line is cut, but not within a surrogate pair.
qsizetype pieceEnd(const QString& text, qsizetype from, int maxLines, qsizetype maxCharacters);

/// The first rows of CSV text, in columns as wide as their longest cell, at most 24 characters.
QString tablePreview(const QString& text, int maxRows = 12);

}  // namespace quire
