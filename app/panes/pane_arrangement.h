#pragma once

#include <QByteArray>
#include <QList>

#include "app/panes/pane_grid.h"
#include "app/store/records.h"

namespace quire {

/// Which chats stand in the panes, and how wide these are: what a restart finds again.
struct PaneArrangement {
  QList<RecordId> chats;  ///< 0: a new chat.
  int focused = 0;
  PaneGrid::Edges columns;
  PaneGrid::Edges rows;

  QString toText() const;
  /// Whatever cannot be read is left out; at most PaneGrid::kMaxPanes chats.
  static PaneArrangement fromText(const QString& text);
};

}  // namespace quire
