#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QString>

#include "app/role_list_model.h"
#include "app/store/records.h"

namespace quire {

/// How an answer was made, in rows of a label and a value: its model, when, how fast, and from how
/// many tokens. What is not known has no row.
///
/// Thread: the window's.
class AnswerDetails : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)

 public:
  enum Role { kLabel = Qt::UserRole + 1, kValue };

  explicit AnswerDetails(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }
  bool isOpen() const { return m_isOpen; }
  void show(const MessageRecord& answer);
  Q_INVOKABLE void close();

 signals:
  void openChanged();

 private:
  struct Row {
    QString label;
    QString value;
  };
  static QList<Row> rowsOf(const MessageRecord& answer);

  QList<Row> m_rows;
  bool m_isOpen = false;
};

}  // namespace quire
