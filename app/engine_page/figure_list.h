#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QString>

#include <functional>
#include <utility>

#include "app/role_list_model.h"

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
class FigureList : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by EngineMonitor.")

 public:
  enum Role { kLabel = Qt::UserRole + 1, kValue, kHint };

  explicit FigureList(std::function<QList<Figure>()> make, QObject* parent = nullptr)
      : RoleListModel(parent), m_make(std::move(make)), m_count(static_cast<int>(m_make().size())) {
    setRoles({{kLabel, "label", [this](int row) { return m_make()[row].label; }},
              {kValue, "value", [this](int row) { return m_make()[row].value; }},
              {kHint, "hint", [this](int row) { return m_make()[row].hint; }}});
  }

  int numRows() const override { return m_count; }

  /// What the figures are made from has changed.
  void refresh() { announceRows(); }

 private:
  const std::function<QList<Figure>()> m_make;
  const int m_count;
};

}  // namespace quire
