#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "app/documents/attachment_list.h"

namespace quire {

/// A file of a message, opened to be read: its text in pieces of some lines, of which a view makes
/// only those in sight. Of a table (CSV) the first rows come before, in columns.
///
/// Thread: the window's.
class AttachmentReader : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString detail READ detail NOTIFY changed)

 public:
  enum Role { kText = Qt::UserRole + 1, kIsTable };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  bool isOpen() const { return m_isOpen; }
  QString title() const { return m_title; }
  QString detail() const { return m_detail; }
  /// Nothing happens while that file has no text.
  Q_INVOKABLE void open(const quire::AttachmentList* files, int row);
  Q_INVOKABLE void close();
  Q_INVOKABLE void copy() const;

 signals:
  void changed();

 private:
  void show(const QString& title, const QString& detail, const QString& text);

  bool m_isOpen = false;
  QString m_title;
  QString m_detail;
  QString m_text;
  QString m_table;            ///< Empty: it is none.
  QList<qsizetype> m_begins;  ///< Of the pieces, and the end.
};

/// The first rows of CSV text, in columns as wide as their longest cell, at most 24 letters.
QString tablePreview(const QString& text, int maxRows = 12);

}  // namespace quire
