#include "app/richtext/text_direction.h"

#include <QGuiApplication>

#include <algorithm>

#include "app/richtext/markdown_block.h"

namespace quire {
namespace {

/// Of the character at a position.
TextDirection directionAt(QStringView text, qsizetype at) {
  const bool isPair = text[at].isHighSurrogate() && at + 1 < text.size();
  const char32_t letter =
      isPair ? QChar::surrogateToUcs4(text[at], text[at + 1]) : text[at].unicode();
  switch (QChar::direction(letter)) {
    case QChar::DirL:
      return TextDirection::LeftToRight;
    case QChar::DirR:
    case QChar::DirAL:
      return TextDirection::RightToLeft;
    default:
      return TextDirection::None;
  }
}

/// Whether a block belongs to the same list or quote as the one before.
bool isInSamePart(const MarkdownBlock& block, const MarkdownBlock& before) {
  const bool isInList = block.indent > 0 && before.indent > 0;
  const bool isInQuote = block.quoteDepth > 0 && before.quoteDepth > 0;
  const bool isInTable = block.kind == BlockKind::Table && block.part > 0;
  return block.isThought == before.isThought && (isInList || isInQuote || isInTable);
}

TextDirection ownDirection(const MarkdownBlock& block) {
  if (block.kind == BlockKind::Paragraph || block.kind == BlockKind::Heading) {
    return directionOfMarkup(block.markup);
  }
  TextDirection found = TextDirection::None;
  for (const QString& cell : block.cells) {
    if (found == TextDirection::None) found = directionOfMarkup(cell);
  }
  return found;
}

}  // namespace

TextDirection directionOf(QStringView text) {
  for (qsizetype at = 0; at < text.size(); ++at) {
    const TextDirection direction = directionAt(text, at);
    if (direction != TextDirection::None) return direction;
  }
  return TextDirection::None;
}

TextDirection directionOfMarkup(QStringView markup) {
  TextDirection ofCode = TextDirection::None;
  bool isCode = false;
  bool isMath = false;
  for (qsizetype at = 0; at < markup.size();) {
    const bool isTag = markup[at] == u'<';
    if (isTag || markup[at] == u'&') {  // A tag, or the name of a character without direction.
      const qsizetype end = markup.indexOf(isTag ? u'>' : u';', at);
      if (end < 0) break;
      const QStringView tag = markup.mid(at + 1, end - at - 1);
      if (tag.endsWith(u"code")) isCode = !tag.startsWith(u'/');
      if (tag.endsWith(u"math")) isMath = !tag.startsWith(u'/');
      at = end + 1;
      continue;
    }
    const TextDirection direction = isMath ? TextDirection::None : directionAt(markup, at);
    ++at;
    if (direction == TextDirection::None) continue;
    if (!isCode) return direction;
    if (ofCode == TextDirection::None) ofCode = direction;
  }
  return ofCode;
}

TextDirection directionOfBlock(const MarkdownBlock& block, const MarkdownBlock* before,
                               TextDirection previous) {
  const bool isBound = before && previous != TextDirection::None && isInSamePart(block, *before);
  const TextDirection own = isBound ? TextDirection::None : ownDirection(block);
  return own == TextDirection::None ? previous : own;
}

bool runsLeftToRight(QStringView text) {
  return std::none_of(text.begin(), text.end(), [](QChar letter) {
    const char16_t unit = letter.unicode();
    if (unit < 0x0590) return false;  // Before the Hebrew letters.
    const bool isMark = (unit >= 0x200e && unit <= 0x200f) || (unit >= 0x202a && unit <= 0x202e) ||
                        (unit >= 0x2066 && unit <= 0x2069);
    return unit <= 0x08ff || isMark || letter.isSurrogate() || (unit >= 0xfb1d && unit <= 0xfdff) ||
           (unit >= 0xfe70 && unit <= 0xfeff);
  });
}

bool readsRightToLeft(TextDirection direction) {
  return direction == TextDirection::None ? QGuiApplication::isRightToLeft()
                                          : direction == TextDirection::RightToLeft;
}

}  // namespace quire
