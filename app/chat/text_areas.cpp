#include "app/chat/text_areas.h"

#include <QAbstractTextDocumentLayout>
#include <QGlyphRun>
#include <QQuickTextDocument>
#include <QRawFont>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <limits>

#include "app/richtext/text_direction.h"

namespace quire {
namespace {

using Extent = std::pair<qreal, qreal>;  ///< Left and right end.

/// Where a letter is. Where two directions meet, a position has two carets, and Qt gives one of
/// them; so the glyph says it. Letters that share the glyph of another have none.
Extent extentOfLetter(const QTextLine& line, int at) {
  for (const QGlyphRun& run : line.glyphRuns(at, 1)) {
    const qreal left = run.positions().value(0).x();
    const qreal width = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes()).value(0).x();
    if (width > 0.0) return {left, left + width};
  }
  return std::minmax(
      {line.cursorToX(at, QTextLine::Leading), line.cursorToX(at, QTextLine::Trailing)});
}

/// Where a part of a line is. What is together in the text need not be so in the line: a word from
/// left to right in a text from right to left stands on its own.
QList<Extent> extentsOfPart(const QTextLine& line, int from, int to, bool isSimple) {
  if (isSimple) return {std::minmax(line.cursorToX(from), line.cursorToX(to))};
  constexpr qreal kNear = 0.5;
  QList<Extent> extents;
  for (int at = from; at < to; ++at) {
    const Extent letter = extentOfLetter(line, at);
    const bool touches = !extents.isEmpty() && letter.first <= extents.last().second + kNear &&
                         letter.second >= extents.last().first - kNear;
    if (!touches) {
      extents.append(letter);
    } else {
      Extent& last = extents.last();
      last = {std::min(last.first, letter.first), std::max(last.second, letter.second)};
    }
  }
  return extents;
}

/// The beginning and the end of the line at a position.
std::pair<int, int> lineAt(const QTextDocument& document, int position) {
  const QTextBlock block = document.findBlock(position);
  const QTextLayout* layout = block.isValid() ? block.layout() : nullptr;
  const QTextLine line =
      layout ? layout->lineForTextPosition(position - block.position()) : QTextLine();
  if (!line.isValid()) return {position, position};
  const int begin = block.position() + line.textStart();
  return {begin, begin + line.textLength()};
}

}  // namespace

QQuickItem* rowItem(QQuickItem* view, int row) {
  QQuickItem* item = nullptr;
  QMetaObject::invokeMethod(view, "itemAtIndex", Q_RETURN_ARG(QQuickItem*, item), Q_ARG(int, row));
  return item;
}

QList<QQuickItem*> textItemsOf(QQuickItem* item) {
  QList<QQuickItem*> found;
  for (QQuickItem* child : item->childItems()) {
    if (!child->isVisible()) continue;
    const bool isText = child->inherits("QQuickTextEdit") && child->property("readOnly").toBool();
    if (isText) {
      found.append(child);
    } else {
      found += textItemsOf(child);
    }
  }
  return found;
}

QTextDocument* documentOf(const QQuickItem* text) {
  auto* document = text->property("textDocument").value<QQuickTextDocument*>();
  return document ? document->textDocument() : nullptr;
}

std::pair<int, int> positionsIn(const QQuickItem* text, const QTextDocument& document,
                                const QQuickItem* target, const QRectF& part) {
  constexpr double kFar = 1e6;  // Beyond either end of a line, which may run to the left.
  const QRectF shown = text->mapRectFromItem(target, part);
  const QAbstractTextDocumentLayout* layout = document.documentLayout();
  int first = std::numeric_limits<int>::max();
  int last = 0;
  for (const double y : {shown.top(), shown.bottom()}) {
    for (const double x : {-kFar, kFar}) {
      const int position = layout->hitTest({x, y}, Qt::FuzzyHit);
      if (position < 0) return {0, document.characterCount()};
      // The whole line: its ends need not be the ends of its text, of which parts may run to the
      // left.
      const auto [begin, end] = lineAt(document, position);
      first = std::min(first, begin);
      last = std::max(last, end);
    }
  }
  return {first, last};
}

QList<QRectF> rectsOf(const QTextDocument& document, qsizetype begin, qsizetype length) {
  QList<QRectF> rects;
  const qsizetype end = begin + length;
  QTextBlock block = document.findBlock(static_cast<int>(begin));
  for (; block.isValid() && block.position() < end; block = block.next()) {
    const QTextLayout* layout = block.layout();
    const auto inBlock = static_cast<int>(std::max<qsizetype>(begin - block.position(), 0));
    const QString text = block.text();  // That of its layout is empty.
    const QTextLine start = layout ? layout->lineForTextPosition(inBlock) : QTextLine();
    if (!start.isValid()) continue;
    for (int i = start.lineNumber(); i < layout->lineCount(); ++i) {
      const QTextLine line = layout->lineAt(i);
      const int first = block.position() + line.textStart();
      if (first >= end) break;
      const auto from = static_cast<int>(std::max<qsizetype>(begin, first));
      const auto to = static_cast<int>(std::min<qsizetype>(end, first + line.textLength()));
      if (from >= to) continue;
      const QPointF origin = layout->position() + QPointF(0.0, line.y());
      const bool isSimple =
          block.textDirection() == Qt::LeftToRight &&
          runsLeftToRight(QStringView(text).mid(line.textStart(), line.textLength()));
      for (const auto& [left, right] :
           extentsOfPart(line, from - block.position(), to - block.position(), isSimple)) {
        rects.append(QRectF(origin.x() + left, origin.y(), right - left, line.height()));
      }
    }
  }
  return rects;
}

QRectF shownRect(QQuickItem* item, const QRectF& rect, QQuickItem* target) {
  QRectF shown = item->mapRectToItem(target, rect);
  for (QQuickItem* at = item; at && at != target; at = at->parentItem()) {
    if (at->clip()) shown &= at->mapRectToItem(target, at->clipRect());
  }
  return shown;
}

void scrollSideways(QQuickItem* item, const QRectF& rect, const QQuickItem* view) {
  constexpr double kSideMargin = 24.0;
  for (QQuickItem* at = item; at && at != view; at = at->parentItem()) {
    if (!at->inherits("QQuickFlickable")) continue;
    const QRectF part = item->mapRectToItem(at, rect);
    if (part.left() >= 0.0 && part.right() <= at->width()) continue;
    const double last = std::max(0.0, at->property("contentWidth").toDouble() - at->width());
    double by = part.left() - kSideMargin;
    if (part.right() > at->width()) by = std::min(by, part.right() + kSideMargin - at->width());
    at->setProperty("contentX", std::clamp(at->property("contentX").toDouble() + by, 0.0, last));
  }
}

}  // namespace quire
