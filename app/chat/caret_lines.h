#pragma once

#include <QQuickItem>
#include <QRectF>

#include <optional>

#include "app/chat/chat_selection.h"
#include "app/chat/row_texts.h"

namespace quire {

TimelineModel::RowKind kindOfRow(const TimelineModel& timeline, int row);

/// Whether rows of a kind show the text of a block.
bool hasText(TimelineModel::RowKind kind);

/// The lines of the texts that a list of messages shows, in which a caret moves. Only rows that
/// have items are known.
///
/// Thread: the window's.
class CaretLines {
 public:
  CaretLines(QQuickItem* view, const TimelineModel& timeline)
      : m_view(view), m_timeline(timeline) {}

  /// The item that shows a position; null: none does now.
  QQuickItem* itemOf(const TextPosition& position) const;
  /// The caret at a position, in the coordinates of that item.
  QRectF rectOf(const TextPosition& position) const;
  /// Whether the line of a position runs from right to left.
  bool isRightToLeft(const TextPosition& position) const;
  /// The position in the line below or above that is nearest to `x` of the view; nullopt: there is
  /// no such line.
  std::optional<TextPosition> inNextLine(const TextPosition& position, bool isBelow,
                                         double x) const;
  /// The first or the last position of a position's line.
  TextPosition edgeOfLine(const TextPosition& position, bool isEnd) const;
  /// The text of a position's line; of a row that has no item, that of its block.
  QString textOfLine(const TextPosition& position) const;

 private:
  QList<RowText> textsOfRow(int row) const;
  std::optional<RowText> textOf(const TextPosition& position) const;
  TextPosition inRow(int row, const QList<RowText>& texts, bool isBelow, double x) const;

  QQuickItem* m_view;
  const TimelineModel& m_timeline;
};

}  // namespace quire
