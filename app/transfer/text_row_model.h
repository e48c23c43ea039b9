#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>
#include <QString>

namespace quire {

/// Rows of a heading and words, to be read.
/// Thread: the window's.
class TextRowModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ rowCount NOTIFY countChanged)

 public:
  enum Role { kHeading = Qt::UserRole + 1, kWords };
  struct Row {
    QString heading;
    QString words;
  };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
  }
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override {
    return {{kHeading, "heading"}, {kWords, "words"}};
  }
  const QList<Row>& rows() const { return m_rows; }
  void setRows(const QList<Row>& rows);

 signals:
  void countChanged();

 private:
  QList<Row> m_rows;
};

}  // namespace quire
