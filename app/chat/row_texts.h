#pragma once

#include <QList>
#include <QQuickItem>

#include <utility>

#include "app/chat/find_text.h"

namespace quire {

class MarkupText;

/// An item that shows a part of a block's selectableText(): a paragraph, code, a table's cell or a
/// typeset formula.
///
/// Thread: the window's.
class RowText {
 public:
  /// The items of a row, with their places in its text.
  static QList<RowText> of(QQuickItem* row);

  QQuickItem* item() const { return m_item; }
  /// Whether it is a displayed formula, which is selected whole.
  bool isFormula() const { return m_isFormula; }
  /// Whether a position of the block's text is in this item, or at its end.
  bool holds(qsizetype position) const {
    return position >= m_begin && position <= m_begin + m_length;
  }
  /// The position in the item's document of one in the block's text, and back.
  int documentPosition(qsizetype position) const;
  qsizetype blockPosition(int inDocument) const;
  /// The position in the block's text that is nearest to a point of the item.
  qsizetype positionAt(const QPointF& point) const;
  /// The positions in the item's document of characters of the block; empty: none of them is here.
  std::pair<int, int> inDocument(const TextSpan& span) const;

 private:
  explicit RowText(QQuickItem* item, qsizetype begin);
  /// The selectable items inside an item that are shown, in reading order.
  static void collect(QQuickItem* item, QList<QQuickItem*>& found);

  QQuickItem* m_item = nullptr;
  const MarkupText* m_markup = nullptr;  ///< Null: the document is the text.
  bool m_isFormula = false;
  qsizetype m_begin = 0;   ///< In the block's text.
  qsizetype m_length = 0;  ///< Likewise.
};

}  // namespace quire
