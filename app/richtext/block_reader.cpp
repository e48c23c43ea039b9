#include "app/richtext/block_reader.h"

#include <QRegularExpression>

#include <algorithm>

#include "app/richtext/math_spans.h"
#include "app/richtext/math_text.h"
#include "app/richtext/message_blocks.h"
#include "app/richtext/table_line.h"

namespace quire {
namespace {

constexpr qsizetype kMaxCodePart = 6000;
/// Keeps md4c from reading a block's mark at the beginning of text that only goes on.
constexpr QChar kWordJoiner(0x2060);

qsizetype fenceLength(QStringView text) {
  if (text.isEmpty() || (text[0] != u'`' && text[0] != u'~')) return 0;
  qsizetype length = 1;
  while (length < text.size() && text[length] == text[0]) ++length;
  if (length < 3) return 0;
  const bool backtickInInfo = text[0] == u'`' && text.mid(length).contains(u'`');
  return backtickInInfo ? 0 : length;
}

bool isHeading(QStringView text) {
  qsizetype level = 0;
  while (level < text.size() && text[level] == u'#') ++level;
  return level >= 1 && level <= 6 && (level == text.size() || text[level].isSpace());
}

bool isUnderline(QStringView text) {
  const QStringView line = text.trimmed();
  return !line.isEmpty() && (line[0] == u'=' || line[0] == u'-') &&
         std::all_of(line.begin(), line.end(), [&](QChar c) { return c == line[0]; });
}

bool isTableDelimiter(QStringView text) {
  static const QRegularExpression kDelimiter(
      QStringLiteral(R"(^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$)"));
  return text.contains(u'-') && text.contains(u'|') && kDelimiter.match(text.toString()).hasMatch();
}

bool beginsLeaf(QStringView rest) {
  const QStringView text = rest.trimmed();
  return fenceLength(text) > 0 || isHeading(text) || isRule(text) ||
         !displayMathCloser(text).isEmpty();
}

QString takeTaskMark(QStringView& text) {
  if (text.size() < 4 || text[0] != u'[' || text[2] != u']' || !text[3].isSpace()) return {};
  const QChar mark = text[1].toLower();
  if (mark != u' ' && mark != u'x') return {};
  text = text.mid(4);
  return mark == u' ' ? QStringLiteral("☐") : QStringLiteral("☑");
}

}  // namespace

void BlockReader::line(QStringView line) {
  if (line.endsWith(u'\r')) line.chop(1);
  if (!std::exchange(m_inLine, false)) return start(line);
  if (isInCode()) return addCode(line);
  if (!line.isEmpty()) addToParagraph(line);
}

void BlockReader::beginningOfLine(QStringView piece) {
  line(piece);
  m_inLine = true;
  if (isInCode()) {
    closePart();
    m_leaf.place.isLineJoined = true;
    return;
  }
  if (m_leaf.kind == LeafKind::Math) giveUpMath();
  closeLeaf();
  m_wasCut = true;
}

void BlockReader::finish() {
  if (m_leaf.kind == LeafKind::Math) endOpenMath();
  closeLeaf();
  flushMarker();
  m_containers.truncate(0);
  m_wasCut = false;
  m_inLine = false;
}

void BlockReader::finishForNow() {
  if (m_leaf.kind == LeafKind::Paragraph) {
    m_leaf.text = presentableTail(m_leaf.text);
    if (m_leaf.text.isEmpty() && m_leaf.place.marker.isEmpty()) m_leaf = {};
  }
  if (m_leaf.kind == LeafKind::Math) closeMath(m_leaf.text);
  finish();
}

void BlockReader::start(QStringView line) {
  QStringView rest = line;
  const int matched = m_containers.match(rest);
  if (isInCode()) {
    if (!m_containers.hasQuotesFrom(matched)) return continueCode(rest);
    closeLeaf();
  }
  if (isBlank(rest)) return blankLine(matched);
  const bool allMatched = matched == m_containers.size();
  if (m_leaf.kind == LeafKind::Math) {
    if (allMatched) return continueMath(rest);
    giveUpMath();
  }
  const bool inParagraph = m_leaf.kind == LeafKind::Paragraph;
  const bool begins = ContainerStack::beginsContainer(rest, inParagraph && allMatched);
  if (!allMatched && inParagraph && !begins && !beginsLeaf(rest)) return addToParagraph(rest);
  if (!allMatched || begins) {
    closeLeaf();
    flushMarker();
    if (m_containers.openNew(rest, matched, inParagraph && allMatched)) {
      const ListMarker& item = m_containers.last().list;
      m_marker = m_containers.last().isQuote ? QString()
                 : item.ordered              ? QStringLiteral("%1.").arg(item.number)
                                             : QStringLiteral("•");
    }
  }
  if (!isBlank(rest)) leafLine(rest);
}

void BlockReader::blankLine(int matched) {
  if (m_leaf.kind == LeafKind::Math) giveUpMath();
  closeLeaf();
  m_wasCut = false;
  if (matched == m_containers.size()) return;
  flushMarker();
  m_containers.truncate(matched);
}

/// An item without text is still shown.
void BlockReader::flushMarker() {
  if (m_marker.isEmpty()) return;
  openLeaf(LeafKind::Paragraph);
  m_blocks.append(m_leaf.place);
  m_leaf = {};
}

void BlockReader::leafLine(QStringView rest) {
  const QStringView text = dropIndent(rest, indentOf(rest));
  const bool inParagraph = m_leaf.kind == LeafKind::Paragraph;
  if (m_leaf.kind == LeafKind::Table && !beginsLeaf(rest)) {
    closeTableLine(false);
    m_leaf.text = text.toString();
    return;
  }
  if (inParagraph && indentOf(rest) > 3) return addToParagraph(text);
  if (openFence(rest) || openMath(text) || openTable(text)) return;
  if (isHeading(text)) {
    closeLeaf();
    openLeaf(LeafKind::Paragraph);
    m_leaf.text = text.toString();
    return closeLeaf();
  }
  if (inParagraph && isUnderline(text)) {
    m_leaf.text += u'\n' + text.toString();
    return closeLeaf();
  }
  if (isRule(text)) {
    closeLeaf();
    openLeaf(LeafKind::None);
    m_leaf.place.kind = BlockKind::Rule;
    m_blocks.append(m_leaf.place);
    m_leaf = {};
    return;
  }
  addToParagraph(text);
}

void BlockReader::openLeaf(LeafKind kind) {
  m_leaf = {};
  m_leaf.kind = kind;
  m_leaf.place.indent = m_containers.listDepth();
  m_leaf.place.quoteDepth = m_containers.quoteDepth();
  m_leaf.place.marker = std::exchange(m_marker, QString());
  m_leaf.place.isThought = m_isThought;
  m_leaf.place.isJoined = std::exchange(m_wasCut, false);
}

void BlockReader::addToParagraph(QStringView rest) {
  QStringView text = dropIndent(rest, indentOf(rest));
  const bool full = m_leaf.text.size() + text.size() > kMaxLeaf;
  if (m_leaf.kind != LeafKind::Paragraph || full) {
    const bool goesOn = m_leaf.kind == LeafKind::Paragraph;
    closeLeaf();
    m_wasCut = m_wasCut || goesOn;
    openLeaf(LeafKind::Paragraph);
    if (!m_leaf.place.marker.isEmpty()) {
      const QString box = takeTaskMark(text);
      if (!box.isEmpty()) m_leaf.place.marker = box;
    }
  } else {
    m_leaf.text += u'\n';
  }
  m_leaf.text += text;
}

void BlockReader::closeLeaf() {
  switch (m_leaf.kind) {
    case LeafKind::Paragraph:
      emitParsed();
      break;
    case LeafKind::Code:
      m_leaf.place.text = m_leaf.text;
      m_blocks.append(m_leaf.place);
      break;
    case LeafKind::Table:
      closeTableLine(true);
      break;
    case LeafKind::Math:
      closeMath(m_leaf.text);
      break;
    case LeafKind::None:
      break;
  }
  m_leaf = {};
}

void BlockReader::emitParsed() {
  const MarkdownBlock place = m_leaf.place;
  const bool isText = place.isJoined || m_containers.size() == ContainerStack::kMaxDepth;
  const QString text = isText ? kWordJoiner + m_leaf.text : m_leaf.text;
  QList<MarkdownBlock> blocks = parseMarkdown(text);
  if (blocks.isEmpty()) {  // What only defines something is still what the model wrote.
    blocks.append(MarkdownBlock{});
    blocks[0].markup = escapeMarkup(m_leaf.text.trimmed()).replace(u'\n', QStringLiteral("<br/>"));
  }
  for (MarkdownBlock& block : blocks) {
    block.indent += place.indent;
    block.quoteDepth += place.quoteDepth;
    block.isThought = place.isThought;
    const bool grouped = block.kind == BlockKind::Code || block.kind == BlockKind::Table;
    if (grouped) block.group = ++m_groups;
  }
  if (isText && blocks[0].markup.startsWith(kWordJoiner)) blocks[0].markup.remove(0, 1);
  blocks[0].isJoined = place.isJoined;
  if (!place.marker.isEmpty()) blocks[0].marker = place.marker;
  m_blocks += blocks;
}

bool BlockReader::openFence(QStringView rest) {
  const int indent = indentOf(rest);
  const QStringView text = dropIndent(rest, indent);
  const qsizetype length = fenceLength(text);
  if (length == 0) return false;
  closeLeaf();
  openLeaf(LeafKind::Code);
  m_leaf.place.kind = BlockKind::Code;
  m_leaf.place.group = ++m_groups;
  const QStringView info = text.mid(length).trimmed();
  const auto* const end =
      std::find_if(info.begin(), info.end(), [](QChar c) { return c.isSpace() || c == u'{'; });
  m_leaf.place.language = info.first(std::min<qsizetype>(end - info.begin(), 40)).toString();
  m_leaf.fence = text[0];
  m_leaf.fenceLength = length;
  m_leaf.fenceIndent = indent;
  return true;
}

void BlockReader::continueCode(QStringView rest) {
  const QStringView text = rest.trimmed();
  const qsizetype length = fenceLength(text);
  if (length >= m_leaf.fenceLength && length == text.size() && text[0] == m_leaf.fence) {
    return closeLeaf();
  }
  addCode(dropIndent(rest, m_leaf.fenceIndent));
}

bool BlockReader::mayEndCode(QStringView begun) const {
  const QStringView text = begun.trimmed();
  return !text.isEmpty() &&
         std::all_of(text.begin(), text.end(), [this](QChar c) { return c == m_leaf.fence; });
}

void BlockReader::addCode(QStringView text) {
  const bool full = m_leaf.lines >= kMaxCodeLines || m_leaf.text.size() > kMaxCodePart;
  if (full) closePart();
  if (m_leaf.lines > 0) m_leaf.text += u'\n';
  m_leaf.text += text;
  ++m_leaf.lines;
}

void BlockReader::closePart() {
  if (m_leaf.lines == 0) return;
  MarkdownBlock block = m_leaf.place;
  block.text = m_leaf.text;
  block.isLastPart = false;
  m_blocks.append(block);
  m_leaf.text.clear();
  m_leaf.lines = 0;
  ++m_leaf.place.part;
  m_leaf.place.marker.clear();
  m_leaf.place.isLineJoined = false;
}

bool BlockReader::openTable(QStringView text) {
  if (m_leaf.kind != LeafKind::Paragraph || !isTableDelimiter(text)) return false;
  const qsizetype headAt = m_leaf.text.lastIndexOf(u'\n') + 1;
  const QString head = m_leaf.text.mid(headAt) + u'\n' + text.toString();
  const QList<MarkdownBlock> parsed = parseMarkdown(head);
  if (parsed.size() != 1 || parsed[0].kind != BlockKind::Table) return false;
  MarkdownBlock place = m_leaf.place;
  if (headAt > 0) {
    m_leaf.text.truncate(headAt - 1);
    closeLeaf();
    place.marker.clear();
  }
  m_leaf = {};
  m_leaf.kind = LeafKind::Table;
  m_leaf.place = place;
  m_leaf.place.kind = BlockKind::Table;
  m_leaf.place.columns = parsed[0].columns;
  m_leaf.place.cells = parsed[0].cells;
  m_leaf.place.group = ++m_groups;
  return true;
}

/// Of this line of the table, read below a head of as many columns.
QStringList BlockReader::parsedCells() const {
  const int columns = m_leaf.place.columns;
  const QString head = QStringLiteral("|a").repeated(columns) + QStringLiteral("|\n") +
                       QStringLiteral("|---").repeated(columns) + QStringLiteral("|\n");
  const QList<MarkdownBlock> parsed = parseMarkdown(head + m_leaf.text);
  return parsed.isEmpty() ? QStringList() : parsed[0].cells.mid(columns);
}

void BlockReader::closeTableLine(bool isLast) {
  MarkdownBlock& place = m_leaf.place;
  if (m_leaf.place.part > 0) {
    const auto simple = simpleTableCells(m_leaf.text);
    place.cells = simple ? *simple : parsedCells();
    if (place.cells.isEmpty()) place.cells.append(escapeMarkup(m_leaf.text));
    while (place.cells.size() < place.columns) place.cells.append(QString());
    place.cells.resize(place.columns);
  }
  place.isLastPart = isLast;
  m_blocks.append(place);
  place.marker.clear();
  ++place.part;
}

bool BlockReader::openMath(QStringView text) {
  const QString closer = displayMathCloser(text);
  const bool whole = isWholeDisplayMath(text, closer);
  if (closer.isEmpty() || (!whole && text.mid(2).contains(closer))) return false;
  closeLeaf();
  openLeaf(LeafKind::Math);
  m_leaf.mathCloser = closer;
  m_leaf.text = text.toString();
  if (whole) closeLeaf();
  return true;
}

void BlockReader::continueMath(QStringView rest) {
  m_leaf.text += u'\n' + rest.toString();
  if (isWholeDisplayMath(m_leaf.text, m_leaf.mathCloser)) return closeLeaf();
  if (m_leaf.text.size() > kMaxLeaf) giveUpMath();
}

void BlockReader::closeMath(const QString& source) {
  MarkdownBlock block = m_leaf.place;
  block.kind = BlockKind::Math;
  block.text = withoutMathDelimiters(source);
  block.markup = escapeMarkup(mathText(block.text, MathStyle::Display))
                     .replace(u'\n', QStringLiteral("<br/>"));
  m_blocks.append(block);
  m_leaf = {};
}

/// The answer was cut off in what began as a formula: it is read as far as it goes, if it is one.
void BlockReader::endOpenMath() {
  if (looksLikeTex(m_leaf.text)) return closeMath(m_leaf.text);
  giveUpMath();
}

/// What began as a formula never ended: it is text.
void BlockReader::giveUpMath() {
  m_leaf.kind = LeafKind::Paragraph;
  closeLeaf();
}

}  // namespace quire
