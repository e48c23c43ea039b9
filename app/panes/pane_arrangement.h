#pragma once

#include <QByteArray>
#include <QList>

#include "app/panes/pane_grid.h"
#include "app/store/records.h"

namespace quire {

/// Chats and sizes of the panes, as they are saved between starts.
struct PaneArrangement {
  QList<RecordId> chats;  ///< 0: a new chat.
  int focused = 0;
  PaneGrid::Edges columns;
  PaneGrid::Edges rows;

  QString toText() const;
  /// Skips what cannot be parsed; at most PaneGrid::kMaxPanes chats.
  static PaneArrangement fromText(const QString& text);
};

}  // namespace quire
