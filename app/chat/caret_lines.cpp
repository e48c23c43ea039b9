#include "app/chat/caret_lines.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>

#include "app/chat/text_areas.h"

namespace quire {
namespace {

/// A line of a paragraph of a document.
struct CaretLine {
  QTextBlock block;
  QTextLine line;
};

CaretLine caretLineAt(const QTextDocument& document, int position) {
  const QTextBlock block = document.findBlock(position);
  if (!block.isValid()) return {};
  return {block, block.layout()->lineForTextPosition(position - block.position())};
}

/// The line before or after; one that is not valid: there is none.
CaretLine adjacentLine(const CaretLine& at, bool isBelow) {
  const int number = at.line.lineNumber() + (isBelow ? 1 : -1);
  const QTextLayout* layout = at.block.layout();
  if (number >= 0 && number < layout->lineCount()) return {at.block, layout->lineAt(number)};
  const QTextBlock block = isBelow ? at.block.next() : at.block.previous();
  if (!block.isValid()) return {};
  const int last = block.layout()->lineCount() - 1;
  return {block, last < 0 ? QTextLine() : block.layout()->lineAt(isBelow ? 0 : last)};
}

/// Where a broken line ends, the next one begins: its own last position is before its last
/// character.
int lastInLine(const CaretLine& at) {
  const bool isBroken = at.line.lineNumber() + 1 < at.block.layout()->lineCount();
  const int end = at.line.textStart() + at.line.textLength();
  const int last = isBroken ? at.block.layout()->previousCursorPosition(end) : end;
  return at.block.position() + std::max(last, at.line.textStart());
}

int nearestInLine(const CaretLine& at, double x) {
  const double inLayout = x - at.block.layout()->position().x();
  return std::min(at.block.position() + at.line.xToCursor(inLayout), lastInLine(at));
}

/// The first or the last line of a document.
CaretLine outermostLine(const QTextDocument& document, bool isLast) {
  const QTextBlock block = isLast ? document.lastBlock() : document.firstBlock();
  const int last = block.layout()->lineCount() - 1;
  return {block, last < 0 ? QTextLine() : block.layout()->lineAt(isLast ? last : 0)};
}

}  // namespace

TimelineModel::RowKind kindOfRow(const TimelineModel& timeline, int row) {
  return timeline.data(timeline.index(row), TimelineModel::kKind).value<TimelineModel::RowKind>();
}

bool hasText(TimelineModel::RowKind kind) {
  using Kind = TimelineModel::RowKind;
  return kind != Kind::Footer && kind != Kind::Thought && kind != Kind::Editor;
}

QList<RowText> CaretLines::textsOfRow(int row) const {
  QQuickItem* item = hasText(kindOfRow(m_timeline, row)) ? rowItem(m_view, row) : nullptr;
  return item ? RowText::of(item) : QList<RowText>();
}

/// What is folded counts as the end of what is shown.
std::optional<RowText> CaretLines::textOf(const TextPosition& position) const {
  const int row = m_timeline.rowOfBlock(position.message, position.block);
  const QList<RowText> texts = row < 0 ? QList<RowText>() : textsOfRow(row);
  const auto found =
      std::ranges::find_if(texts, [&](const RowText& text) { return text.holds(position.offset); });
  if (found != texts.cend()) return *found;
  return texts.isEmpty() ? std::nullopt : std::optional(texts.last());
}

QQuickItem* CaretLines::itemOf(const TextPosition& position) const {
  const auto text = textOf(position);
  if (text) return text->item();
  const int row = m_timeline.rowOfBlock(position.message, position.block);
  return row < 0 ? nullptr : rowItem(m_view, row);
}

QRectF CaretLines::rectOf(const TextPosition& position) const {
  const auto text = textOf(position);
  if (!text || text->isFormula()) {
    const QQuickItem* item = itemOf(position);
    if (!item) return {};
    return {position.offset > 0 ? item->width() : 0.0, 0.0, 0.0, item->height()};
  }
  QRectF rect;
  QMetaObject::invokeMethod(text->item(), "positionToRectangle", Q_RETURN_ARG(QRectF, rect),
                            Q_ARG(int, text->documentPosition(position.offset)));
  return rect;
}

bool CaretLines::isRightToLeft(const TextPosition& position) const {
  const auto text = textOf(position);
  const QTextDocument* document = text && !text->isFormula() ? documentOf(text->item()) : nullptr;
  if (!document) return false;
  const QTextBlock block = document->findBlock(text->documentPosition(position.offset));
  return block.isValid() && block.textDirection() == Qt::RightToLeft;
}

std::optional<TextPosition> CaretLines::inNextLine(const TextPosition& position, bool isBelow,
                                                   double x) const {
  const auto text = textOf(position);
  const QTextDocument* document = text && !text->isFormula() ? documentOf(text->item()) : nullptr;
  if (document) {
    const CaretLine at = caretLineAt(*document, text->documentPosition(position.offset));
    const CaretLine next = at.line.isValid() ? adjacentLine(at, isBelow) : CaretLine();
    const double inItem = text->item()->mapFromItem(m_view, {x, 0.0}).x();
    if (next.line.isValid())
      return TextPosition{position.message, position.block,
                          text->blockPosition(nearestInLine(next, inItem))};
  }
  const int step = isBelow ? 1 : -1;
  int row = m_timeline.rowOfBlock(position.message, position.block);
  if (row < 0) return std::nullopt;
  for (row += step; row >= 0 && row < m_timeline.numRows(); row += step) {
    const QList<RowText> texts = textsOfRow(row);
    if (!texts.isEmpty()) return inRow(row, texts, isBelow, x);
    if (!rowItem(m_view, row)) break;
  }
  return std::nullopt;
}

/// The position in the first or the last line of the row's text that is nearest to `x`.
TextPosition CaretLines::inRow(int row, const QList<RowText>& texts, bool isBelow, double x) const {
  const auto inItem = [&](const RowText& text) {
    return text.item()->mapFromItem(m_view, {x, 0.0}).x();
  };
  const auto distance = [&](const RowText& text) {
    return std::max({0.0, -inItem(text), inItem(text) - text.item()->width()});
  };
  const RowText& text = *std::ranges::min_element(texts, {}, distance);
  const auto [message, block] = m_timeline.placeOfRow(row);
  const QTextDocument* document = text.isFormula() ? nullptr : documentOf(text.item());
  if (!document) return {message, block, text.positionAt({inItem(text), 0.0})};
  const CaretLine line = outermostLine(*document, !isBelow);
  const int at = line.line.isValid() ? nearestInLine(line, inItem(text)) : 0;
  return {message, block, text.blockPosition(at)};
}

TextPosition CaretLines::edgeOfLine(const TextPosition& position, bool isEnd) const {
  const auto text = textOf(position);
  if (!text || text->isFormula())
    return {position.message, position.block, isEnd ? TextPosition::kEnd : 0};
  const QTextDocument* document = documentOf(text->item());
  const int from = text->documentPosition(position.offset);
  const CaretLine at = document ? caretLineAt(*document, from) : CaretLine();
  if (!at.line.isValid()) return position;
  const int to = isEnd ? lastInLine(at) : at.block.position() + at.line.textStart();
  return {position.message, position.block, text->blockPosition(to)};
}

QString CaretLines::textOfLine(const TextPosition& position) const {
  const QList<MarkdownBlock> blocks = m_timeline.selectableBlocks(position.message);
  if (position.block >= blocks.size()) return {};
  const qsizetype begin = edgeOfLine(position, false).offset;
  const qsizetype end = edgeOfLine(position, true).offset;
  return selectableText(blocks[position.block]).mid(begin, end - begin);
}

}  // namespace quire
