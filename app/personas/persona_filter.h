#pragma once

#include <QtQml/qqmlregistration.h>
#include <QSortFilterProxyModel>

namespace quire {

/// The personas whose name, description or prompt holds every word of a search.
/// Thread: the window's.
class PersonaFilter : public QSortFilterProxyModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(QString searchText READ searchText WRITE setSearchText NOTIFY searchChanged)
  Q_PROPERTY(QString emptyText READ emptyText NOTIFY emptyChanged)

 public:
  explicit PersonaFilter(QObject* parent = nullptr);

  QString searchText() const { return m_words.join(u' '); }
  void setSearchText(const QString& text);
  QString emptyText() const;  ///< Why nothing is shown; empty if something is.

 signals:
  void searchChanged();
  void emptyChanged();

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList m_words;
};

}  // namespace quire
