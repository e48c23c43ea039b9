#include "app/richtext/block_slice.h"

#include <QTextBoundaryFinder>
#include <QTextLayout>

#include <algorithm>

#include "app/richtext/markup_text.h"
#include "app/richtext/message_copy.h"

namespace quire {
namespace {

QString cellText(const QString& markup) {
  QString text;
  for (const MarkupRun& run : parseMarkup(markup)) text += run.text;
  return text.replace(QChar(QChar::LineSeparator), u' ');
}

/// The end of the tag or of the character, which may be an entity, at a position of markup.
qsizetype tokenEnd(QStringView markup, qsizetype at) {
  const char16_t closer = markup[at] == u'<' ? u'>' : markup[at] == u'&' ? u';' : u'\0';
  const qsizetype end = closer == u'\0' ? at : markup.indexOf(closer, at);
  return end < 0 ? markup.size() : end + 1;
}

/// The end of the run of formula that begins with the tag at a position.
qsizetype formulaEnd(QStringView markup, qsizetype at) {
  constexpr QStringView kEnd = u"</math>";
  const qsizetype end = markup.indexOf(kEnd, at);
  return end < 0 ? markup.size() : end + kEnd.size();
}

/// Keeps all tags, so that the markup stays well-formed.
QString slicedMarkup(const QString& markup, qsizetype from, qsizetype to) {
  QString slice;
  qsizetype position = 0;
  for (qsizetype at = 0; at < markup.size();) {
    const QStringView rest = QStringView(markup).mid(at);
    const bool isFormula = rest.startsWith(u"<math>");
    const bool isTag = !isFormula && rest.startsWith(u'<') && !rest.startsWith(u"<br/>");
    const qsizetype end = isFormula ? formulaEnd(markup, at) : tokenEnd(markup, at);
    const QStringView token = QStringView(markup).mid(at, end - at);
    const qsizetype length = isTag ? 0 : isFormula ? cellText(token.toString()).size() : 1;
    if (isTag || (position < to && position + length > from)) slice += token;
    position += length;
    at = end;
  }
  return slice;
}

/// Empties the cells that are not selected; if all that is selected is in one cell, it stays alone.
void sliceCells(MarkdownBlock& block, qsizetype from, qsizetype to) {
  QStringList cells;
  qsizetype numSelected = 0;
  QString selected;
  qsizetype begin = 0;
  for (const QString& cell : std::as_const(block.cells)) {
    const qsizetype end = begin + cellText(cell).size();
    const bool isIn = from < end && to > begin;
    cells.append(isIn ? slicedMarkup(cell, from - begin, to - begin) : QString());
    if (isIn) selected = cells.last();
    numSelected += isIn ? 1 : 0;
    begin = end + 1;
  }
  block.cells = numSelected == 1 ? QStringList{selected} : cells;
}

/// The formula at a position; an empty range: there is none.
std::pair<qsizetype, qsizetype> formulaAt(const MarkdownBlock& block, qsizetype position) {
  const QStringList markups =
      block.kind == BlockKind::Table ? block.cells : QStringList{block.markup};
  qsizetype begin = 0;
  for (const QString& markup : markups) {
    for (const MarkupRun& run : parseMarkup(markup)) {
      const qsizetype end = begin + run.text.size();
      if (run.math && position >= begin && position < end) return {begin, end};
      begin = end;
    }
    ++begin;  // The tab after a cell.
  }
  return {position, position};
}

std::pair<qsizetype, qsizetype> wordAt(const MarkdownBlock& block, const QString& text,
                                       qsizetype position) {
  if (block.kind != BlockKind::Code) {
    const auto formula = formulaAt(block, position);
    if (formula.first < formula.second) return formula;
  }
  QTextBoundaryFinder words(QTextBoundaryFinder::Word, text);
  words.setPosition(position);
  if (!words.isAtBoundary()) words.toPreviousBoundary();
  const qsizetype begin = std::max<qsizetype>(words.position(), 0);
  const qsizetype end = words.toNextBoundary();
  return {begin, end < 0 ? text.size() : end};
}

}  // namespace

QString selectableText(const MarkdownBlock& block) {
  if (block.kind != BlockKind::Table) return plainText(block);
  QStringList cells;
  for (const QString& cell : block.cells) cells.append(cellText(cell));
  return cells.join(u'\t');
}

std::pair<qsizetype, qsizetype> unitAt(const MarkdownBlock& block, qsizetype position,
                                       TextUnit unit) {
  const QString text = selectableText(block);
  position = std::clamp<qsizetype>(position, 0, text.size());
  if (unit == TextUnit::Character || text.isEmpty()) return {position, position};
  if (block.kind == BlockKind::Math || block.kind == BlockKind::Rule) return {0, text.size()};
  // After the last character, the word or line before it is meant.
  const qsizetype inside = std::min(position, text.size() - 1);
  if (unit == TextUnit::Word) return wordAt(block, text, inside);
  const QChar separator = block.kind == BlockKind::Table ? u'\t' : u'\n';
  const qsizetype begin = position == 0 ? 0 : text.lastIndexOf(separator, position - 1) + 1;
  const qsizetype end = text.indexOf(separator, position);
  return {begin, end < 0 ? text.size() : end};
}

std::optional<qsizetype> caretStep(const MarkdownBlock& block, qsizetype position, TextUnit unit,
                                   bool forwards) {
  const QString text = selectableText(block);
  position = std::clamp<qsizetype>(position, 0, text.size());
  if (position == (forwards ? text.size() : 0)) return std::nullopt;
  if (block.kind == BlockKind::Math || block.kind == BlockKind::Rule)
    return forwards ? text.size() : 0;
  const QTextLayout layout(text);
  const auto mode =
      unit == TextUnit::Character ? QTextLayout::SkipCharacters : QTextLayout::SkipWords;
  const auto from = static_cast<int>(position);
  const qsizetype to =
      forwards ? layout.nextCursorPosition(from, mode) : layout.previousCursorPosition(from, mode);
  if (block.kind == BlockKind::Code) return to;
  const auto [begin, end] = formulaAt(block, to);
  return begin == end || to == begin ? to : forwards ? end : begin;
}

MarkdownBlock slicedBlock(const MarkdownBlock& block, qsizetype from, qsizetype to) {
  MarkdownBlock slice = block;
  const qsizetype size = selectableText(block).size();
  if (from <= 0 && to >= size) return slice;
  if (from > 0) slice.marker.clear();
  switch (block.kind) {
    case BlockKind::Code:
      slice.text = block.text.mid(from, to - from);
      break;
    case BlockKind::Table:
      sliceCells(slice, from, to);
      break;
    case BlockKind::Paragraph:
    case BlockKind::Heading:
      slice.markup = slicedMarkup(block.markup, from, to);
      break;
    case BlockKind::Rule:
    case BlockKind::Math:
      if (from >= size) return {};
      break;  // Selected whole.
  }
  return slice;
}

}  // namespace quire
