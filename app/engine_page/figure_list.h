#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QString>

#include <functional>
#include <utility>

#include "app/engine/engine_inspector.h"
#include "app/engine_page/recent_hits.h"
#include "app/role_list_model.h"

namespace quire {

/// A figure with its name, as text.
struct Figure {
  QString label;
  QString value;
  QString hint = {};  ///< Explanation; may be empty.
};

// The figures of the engine page. Each function always returns the same number of figures.
QList<Figure> promptFigures(const PromptReport& report);
QList<Figure> overviewFigures(const EngineReport& report);
QList<Figure> percentileFigures(const LatencyFigures& figures);
QList<Figure> loadFigures(const EngineReport& report);
QList<Figure> cacheFigures(const EngineReport& report, const RecentHits::Counts& recent);
QList<Figure> stateFigures(const EngineReport& report);
QList<Figure> windowFigures(const EngineReport& report);

/// A list of figures. They are created whenever they are read, so that they follow the language.
/// Thread: the window's. Invariants: `make` always returns the same number of figures.
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

  /// The data of the figures has changed.
  void refresh() { announceRows(); }

 private:
  const std::function<QList<Figure>()> m_make;
  const int m_count;
};

}  // namespace quire
