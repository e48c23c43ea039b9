// The keys that scroll the list of a SelectionArea, move its caret and extend its selection.
#include <algorithm>

#include "app/chat/caret_lines.h"
#include "app/chat/selection_area.h"
#include "app/chat/text_areas.h"
#include "app/chat/text_steps.h"

namespace quire {
namespace {

constexpr double kLineStep = 40.0;     ///< Pixels that an arrow key scrolls.
constexpr double kWhole = 1e9;         ///< To the end of the list.
constexpr double kCaretMargin = 12.0;  ///< Of the moving end to the edges of the list.
constexpr int kContain = 4;            ///< ListView.Contain.

}  // namespace

/// Scrolls by keys that do not move a caret. The list itself would move its current row, which
/// nothing shows.
void SelectionArea::keyPressEvent(QKeyEvent* event) {
  const double page = 0.9 * height();
  const QHash<int, double> steps = {{Qt::Key_Up, -kLineStep}, {Qt::Key_Down, kLineStep},
                                    {Qt::Key_PageUp, -page},  {Qt::Key_PageDown, page},
                                    {Qt::Key_Home, -kWhole},  {Qt::Key_End, kWhole}};
  const auto step = steps.constFind(event->key());
  const bool isPage = event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown;
  const bool isScrolling =
      step != steps.cend() && event->modifiers() == Qt::NoModifier && (isPage || !hasCaret());
  event->setAccepted(isScrolling);
  if (isScrolling) scrollBy(*step);
}

bool SelectionArea::hasCaret() const {
  return m_isCaretWanted && m_selection && m_selection->hasAnchor(m_timeline);
}

/// The caret begins where the last click was, or else in the first text in view.
bool SelectionArea::toggleCaret() {
  if (!m_view || !m_timeline || !m_selection) return false;
  if (hasCaret()) {
    hideCaret();
    return true;
  }
  m_isCaretWanted = true;
  const auto first = m_selection->hasAnchor(m_timeline) ? std::nullopt : positionAt({});
  if (first) m_selection->start(*m_timeline, *first, TextUnit::Character);
  forceActiveFocus(Qt::OtherFocusReason);
  if (m_follower) m_follower->letGo();
  if (hasCaret()) {
    showCaret();
    const TextPosition& caret = m_selection->caret();
    m_spokenCaret.tellShown(CaretLines(m_view, *m_timeline).textOfLine(caret));
  }
  schedule();
  return true;
}

void SelectionArea::hideCaret() {
  m_isCaretWanted = false;
  m_spokenCaret.tellHidden();
  schedule();
}

/// Tells what is at the caret after a key moved it: a line after a key up or down, and at an end of
/// the chat; else a word or a character.
void SelectionArea::tellCaret(int key, bool isFar) {
  if (!m_spokenCaret.isHeard()) return;
  const TextPosition& caret = m_selection->caret();
  const bool isSideways = key == Qt::Key_Left || key == Qt::Key_Right;
  const bool isInLine = key == Qt::Key_Home || key == Qt::Key_End ? !isFar : isSideways;
  if (isInLine) {
    m_spokenCaret.tellUnit(*m_timeline, caret, isFar ? TextUnit::Word : TextUnit::Character);
  } else {
    m_spokenCaret.tellLine(CaretLines(m_view, *m_timeline).textOfLine(caret));
  }
}

bool SelectionArea::handleKey(int key, int modifiers) {
  const auto held = Qt::KeyboardModifiers(modifiers) & ~Qt::KeypadModifier;
  if (key == Qt::Key_F7 && held == Qt::NoModifier) return toggleCaret();
  if (key == Qt::Key_Escape && hasCaret()) {
    hideCaret();
    return m_selection->isEmpty();  // Else the key removes the selection too.
  }
  const bool selects = held.testFlag(Qt::ShiftModifier);
  const bool isFar = held.testFlag(Qt::ControlModifier);
  const bool isHorizontal =
      key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home || key == Qt::Key_End;
  const bool isVertical = !isFar && (key == Qt::Key_Up || key == Qt::Key_Down);
  if (held & ~(Qt::ShiftModifier | Qt::ControlModifier) || (!isHorizontal && !isVertical))
    return false;
  if (!m_view || !m_selection || !m_selection->hasAnchor(m_timeline)) return false;
  if (!selects && !hasCaret()) return false;
  moveWithKey(key, isFar, selects);
  return true;
}

void SelectionArea::moveWithKey(int key, bool isFar, bool selects) {
  forceActiveFocus(Qt::OtherFocusReason);  // The row that has it may be scrolled away.
  if (m_follower) m_follower->letGo();
  showCaret();  // Lines are those of items.
  const bool isVertical = key == Qt::Key_Up || key == Qt::Key_Down;
  const TextPosition to = isVertical ? inNextLine(key == Qt::Key_Down) : caretAfter(key, isFar);
  if (selects) {
    m_selection->moveCaret(to);
  } else {
    m_selection->start(*m_timeline, to, TextUnit::Character);
  }
  if (isVertical) m_columnOf = m_selection->caret();
  showCaret();
  if (!selects) tellCaret(key, isFar);  // A selection is told as the list's description.
}

/// Where a key to the left or right, or to an end, takes the caret; `isFar`: by a word, or to an
/// end of the chat.
TextPosition SelectionArea::caretAfter(int key, bool isFar) const {
  const TextPosition& caret = m_selection->caret();
  const CaretLines lines(m_view, *m_timeline);
  const bool isEnd = key == Qt::Key_End;
  if (isEnd || key == Qt::Key_Home)
    return isFar ? outermostPosition(*m_timeline, isEnd) : lines.edgeOfLine(caret, isEnd);
  const bool forwards = (key == Qt::Key_Right) != lines.isRightToLeft(caret);
  return steppedPosition(*m_timeline, caret, isFar ? TextUnit::Word : TextUnit::Character,
                         forwards);
}

/// In lines one after the other, the caret stays below the place where the first one began. A row
/// that has no item yet is entered at its nearest end.
TextPosition SelectionArea::inNextLine(bool isBelow) {
  const TextPosition caret = m_selection->caret();
  const CaretLines lines(m_view, *m_timeline);
  QQuickItem* item = lines.itemOf(caret);
  if (item && m_columnOf != caret) m_column = mapFromItem(item, lines.rectOf(caret).topLeft()).x();
  auto next = item ? lines.inNextLine(caret, isBelow, m_column) : std::nullopt;
  if (!next) next = adjacentBlock(*m_timeline, caret, isBelow);
  return next.value_or(outermostPosition(*m_timeline, isBelow));
}

/// Scrolls the moving end of the selection into view.
void SelectionArea::showCaret() {
  const TextPosition caret = m_selection->caret();
  const int row = m_timeline->rowOfBlock(caret.message, caret.block);
  if (row < 0) return;  // It is folded, or not loaded yet.
  if (!rowItem(m_view, row)) {
    QMetaObject::invokeMethod(m_view, "positionViewAtIndex", Q_ARG(int, row), Q_ARG(int, kContain));
  }
  const CaretLines lines(m_view, *m_timeline);
  for (int i = 0; i < 2; ++i) {  // Again, now that the heights of the new rows are known.
    QMetaObject::invokeMethod(m_view, "forceLayout");
    QQuickItem* item = lines.itemOf(caret);
    if (!item) return;
    const QRectF rect = lines.rectOf(caret);
    scrollSideways(item, rect, m_view);
    const QRectF shown = mapRectFromItem(item, rect);
    const double above = std::min(0.0, shown.top() - kCaretMargin);
    const double below = std::max(0.0, shown.bottom() - (height() - kCaretMargin));
    if (above < 0.0 || below > 0.0) scrollBy(above < 0.0 ? above : below);
  }
}

}  // namespace quire
