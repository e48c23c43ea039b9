#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>
#include <QString>

#include <functional>

namespace quire {

/// A figure with its name, in words.
struct Figure {
  QString label;
  QString value;
  QString hint = {};  ///< What it means; may be empty.
};

/// Some figures below each other. They are made anew whenever they are read, so that they speak the
/// language of now.
/// Thread: the window's. Invariants: `make` always gives the same number of figures.
class FigureList : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by EngineMonitor.")

 public:
  enum Role { kLabel = Qt::UserRole + 1, kValue, kHint };

  explicit FigureList(std::function<QList<Figure>()> make, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// What the figures are made from has changed.
  void refresh();

 private:
  const std::function<QList<Figure>()> m_make;
  const int m_count;
};

}  // namespace quire
