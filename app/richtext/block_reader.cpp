#include "app/richtext/block_reader.h"

#include <QRegularExpression>

#include <algorithm>

#include "app/richtext/line_marks.h"
#include "app/richtext/math_spans.h"
#include "kernels/base/visible_text.h"

namespace quire {
namespace {

constexpr qsizetype kMaxCodePart = 6000;
constexpr int kMaxTableLines = 40;
constexpr qsizetype kMaxDefinitions = 64;
/// Twice as many columns as are shown. md4c fills all rows of a table up to the number of columns.
constexpr qsizetype kMaxReadColumns = 64;
/// Prevents md4c from reading a block marker at the beginning of continued text.
constexpr QChar kWordJoiner(0x2060);

bool isFarTooWide(QStringView line) {
  return line.count(u'|') > kMaxReadColumns && isTableDelimiter(line);
}

/// Code with signs for characters that are invisible or change the order of others: what a reader
/// checks is then what is copied and run.
QString visibleCode(QStringView code) {
  const auto isPlain = [](QChar c) {
    return (c >= u' ' && c <= u'~') || c == u'\n' || c == u'\t' || c == u'\f';
  };
  if (std::all_of(code.begin(), code.end(), isPlain)) return code.toString();
  return QString::fromStdString(visible_text(code.toUtf8().toStdString(), "\n\t\f"));
}

/// Removes from code what BlockReader::append() has put into its lines.
void restoreDelimiters(QString& code) {
  if (!code.contains(kWordJoiner)) return;
  QStringList lines = code.split(u'\n');
  for (QString& line : lines) {
    const qsizetype at = line.indexOf(kWordJoiner);
    if (at >= 0 && isFarTooWide(QStringView(line).mid(at + 1))) line.remove(at, 1);
  }
  code = lines.join(u'\n');
}

/// The state of the lexer after `text`.
CodeState stateAfter(const QString& text, const QString& language, CodeState state) {
  for (const QStringView line : QStringView(text).split(u'\n'))
    lexCode(line, codeLanguage(language), state);
  return state;
}

/// Appends a complete code block in parts of kMaxCodeLines lines.
void appendCode(QList<MarkdownBlock>& blocks, const MarkdownBlock& code) {
  const QStringList lines = visibleCode(code.text).split(u'\n');
  MarkdownBlock block = code;
  CodeState state = 0;
  for (qsizetype at = 0; at < lines.size(); at += BlockReader::kMaxCodeLines) {
    block.text = lines.mid(at, BlockReader::kMaxCodeLines).join(u'\n');
    block.codeState = state;
    block.isLastPart = at + BlockReader::kMaxCodeLines >= lines.size();
    blocks.append(block);
    if (!block.isLastPart) state = stateAfter(block.text, block.language, state);
    block.marker.clear();
    ++block.part;
  }
}

}  // namespace

void BlockReader::line(QStringView line) {
  if (line.endsWith(u'\r')) line.chop(1);
  if (std::exchange(m_inLine, false)) {
    if (isInCode()) return addCode(line);
    if (!line.isEmpty()) append(line);
    return;
  }
  if (isInCode())
    return closesFence(line, m_fence) ? close() : addCode(dropIndent(line, m_fenceIndent));
  if (m_section == Section::Math) return addToMath(line);
  const QStringView text = line.trimmed();
  if (text.isEmpty()) {
    if (m_section != Section::Item) return close();
    if (m_nestedFence.isOpen()) return addToItem({});
    // md4c looks at all open items for each blank line.
    if (m_blankLines++ < kMaxBlankLines) append({});
    return;
  }
  const int indent = indentOf(line);
  if (m_section == Section::Item && indent >= m_contentIndent) return addToItem(line);
  // Models often indent code in a list by too few spaces.
  if (m_section == Section::Item && m_nestedFence.isOpen())
    return addToItem(QString(m_contentIndent - indent, u' ') + line.toString());
  if (openFence(text, indent) || openMath(text)) return;
  const bool isSetext = m_section == Section::Text && isUnderline(text);
  if (isHeading(text) || (isRule(text) && !isSetext)) {
    open(Section::Text, text);
    return close();
  }
  if (openItem(line, indent)) return;
  if (text.startsWith(u'>')) {
    if (m_section != Section::Quote) open(Section::Quote, {});
    return addToQuote(line);
  }
  if (m_section == Section::Item && m_blankLines > 0) close();
  if (m_section == Section::None) return openText(text);
  addToText(line);
  if (isSetext) close();
}

bool BlockReader::openFence(QStringView text, int indent) {
  const QStringView fence = fenceOf(text);
  if (fence.isEmpty()) return false;
  open(Section::Code, {});
  m_fence = fence.toString();
  m_fenceIndent = indent;
  m_code.language = codeLanguageName(text.mid(fence.size()));
  return true;
}

bool BlockReader::openMath(QStringView text) {
  const QString closer = displayMathCloser(text);
  const bool isWhole = !closer.isEmpty() && isWholeDisplayMath(text, closer);
  if (!isWhole && (closer.isEmpty() || text.mid(2).contains(closer))) return false;
  open(Section::Math, text);
  m_mathCloser = closer;
  if (isWhole) closeMath();
  return true;
}

/// Opens a text section. A link definition is a section of its own.
void BlockReader::openText(QStringView text) {
  const Definition definition = readDefinition(text);
  if (definition == Definition::Known) return;
  open(Section::Text, text);
  if (definition == Definition::New) close();
}

void BlockReader::beginningOfLine(QStringView piece) {
  line(piece);
  m_inLine = true;
  if (isInCode()) {
    closeCodePart(false);
    m_code.isLineJoined = true;
    return;
  }
  const bool inItem = m_section == Section::Item;
  if (m_section == Section::Math) m_section = Section::Text;
  if (m_section != Section::None) parseSection();
  m_isCutTable = false;
  m_section = inItem ? Section::Item : Section::Text;
  m_isCutItem = inItem;
  m_isJoined = true;
  m_nestedFence.doubt();  // The next section begins without it.
}

void BlockReader::finish() {
  if (m_section == Section::Math && looksLikeTex(m_text)) closeMath();
  close();
  m_isJoined = false;
  m_inLine = false;
}

void BlockReader::finishForNow() {
  const bool isText =
      m_section == Section::Text || m_section == Section::Item || m_section == Section::Quote;
  if (isText && !m_nestedFence.isOpen()) m_text = closeOpenMarkup(m_text);
  if (m_section == Section::Math) closeMath();
  finish();
}

/// A list item may interrupt a paragraph only if it is not empty and, if numbered, begins with 1.
bool BlockReader::openItem(QStringView line, int indent) {
  const QRegularExpressionMatch match = listMarker().match(line.left(64).toString());
  if (!match.hasMatch()) return false;
  const bool isOrdered = match.hasCaptured(1) && !match.captured(1).isEmpty();
  const bool isEmpty = line.trimmed().size() <= match.captured(1).size() + 1;
  unsigned number = isOrdered ? match.captured(1).toUInt() : 0;
  if (m_section == Section::Text && (isEmpty || number > 1)) return false;
  const QChar mark = (isOrdered ? match.captured(2) : match.captured(3))[0];
  if (isOrdered && m_section == Section::Item && mark == m_mark) number = m_number + 1;
  open(Section::Item, line);
  const int space = indentOf(match.captured(4));
  m_contentIndent =
      indent + static_cast<int>(match.captured(1).size()) + 1 + (space > 4 || isEmpty ? 1 : space);
  m_number = number;
  m_mark = mark;
  m_nestedFence.beginItem(line, match.capturedEnd(4), m_contentIndent);
  return true;
}

void BlockReader::addToItem(QStringView line) {
  m_blankLines = 0;
  const bool beginsItem = beginsWithMarker(line.trimmed());
  const bool isNestedItem = beginsItem && indentOf(line) < m_contentIndent + 4;
  NestedFence fence = m_nestedFence;
  fence.followItem(line, m_contentIndent, beginsItem);
  if (isBeyondLimit(line, fence, isNestedItem)) {
    const bool isJoined = !fence.isCode() && !isNestedItem && !m_text.endsWith(u'\n');
    cut(fence);
    m_isJoined = isJoined;
    m_isCutItem = true;
  }
  m_nestedFence = std::move(fence);
  if (!m_nestedFence.isOpen() && openTable(line)) return;
  append(m_isCutItem ? dropIndent(line, m_contentIndent) : line);
}

void BlockReader::addToQuote(QStringView line) {
  NestedFence fence = m_nestedFence;
  fence.followQuote(line);
  if (isBeyondLimit(line, fence, false)) {
    const bool isJoined = !(m_nestedFence.isCode() && fence.isCode());
    cut(fence);
    m_isJoined = isJoined;
  }
  m_nestedFence = std::move(fence);
  if (!m_nestedFence.isOpen() && openTable(line)) return;
  append(line);
}

/// Whether the item or quote is too long to hold the line too, after which its fence is `fence`.
/// The end of code is never separated from it.
bool BlockReader::isBeyondLimit(QStringView line, const NestedFence& fence, bool beginsItem) const {
  if (m_nestedFence.isCode() && !fence.isOpen()) return false;
  const bool isShort = !fence.isOpen() && (beginsItem || m_section == Section::Quote);
  const qsizetype limit = fence.isCode() ? kMaxNestedCode : isShort ? kMaxLeaf : kMaxItem;
  return m_text.size() + line.size() > limit || m_lines >= kMaxItemLines;
}

/// Splits an item or a quote before a line after which its fence is `fence`. Code that goes on is
/// opened again.
void BlockReader::cut(const NestedFence& fence) {
  parseSection();
  if (m_nestedFence.isCode() && fence.isCode()) append(fence.opener());
}

void BlockReader::addToText(QStringView line) {
  m_nestedFence.doubt();  // md4c ends the quote's code here.
  if (m_section == Section::Table) {
    if (m_lines >= kMaxTableLines || m_text.size() + line.size() > kMaxItem) {
      parseSection(true);
      m_isCutTable = true;
    }
    return append(line);
  }
  const bool isText = m_section == Section::Text;
  if (m_text.size() + line.size() > (isText ? kMaxLeaf : kMaxItem)) {
    parseSection();
    m_isJoined = isText;
    if (m_section == Section::Item) m_section = Section::Text;
  }
  if (!openTable(line)) append(line);
}

/// md4c begins no table inside a paragraph, so a table that follows text directly is separated from
/// it. True if a table section was opened.
bool BlockReader::openTable(QStringView line) {
  if (m_text.isEmpty() || !isTableDelimiter(line)) return false;
  const qsizetype headAt = m_text.lastIndexOf(u'\n') + 1;
  const QString head = m_text.mid(headAt);
  if (!head.contains(u'|')) return false;
  if (m_section != Section::Text) {
    if (headAt > 0) m_text.insert(headAt, u'\n');
    return false;
  }
  if (isFarTooWide(line)) return false;
  const QString lines = head + u'\n' + line.toString() + u'\n';
  const QList<MarkdownBlock> parsed = parseMarkdown(lines);
  if (parsed.size() != 1 || parsed[0].kind != BlockKind::Table) return false;
  m_text.truncate(headAt);
  open(Section::Table, head);
  append(line);
  m_tableHead = lines;
  return true;
}

BlockReader::Definition BlockReader::readDefinition(QStringView line) {
  static const QRegularExpression kDefinition(QStringLiteral(
      R"re(^\[([^\[\]]{1,100})\]:\s*(<[^<>]*>|\S+)(\s+("[^"]*"|'[^']*'|\([^()]*\)))?$)re"));
  if (!line.startsWith(u'[') || line.size() > 500) return Definition::None;
  const QRegularExpressionMatch match = kDefinition.match(line.toString());
  if (!match.hasMatch()) return Definition::None;
  const QString label = match.captured(1).toCaseFolded();
  if (m_definitions.contains(label)) return Definition::Known;
  if (m_foundDefinitions.size() < kMaxDefinitions && !m_foundDefinitions.contains(label))
    m_foundDefinitions.insert(label, line.toString());
  return Definition::New;
}

QString BlockReader::definitionsFor(QStringView text) const {
  QString lines;
  if (m_definitions.isEmpty() || !text.contains(u'[')) return lines;
  for (auto it = m_definitions.cbegin(); it != m_definitions.cend(); ++it) {
    const bool isUsed = text.contains(u'[' + it.key() + u']', Qt::CaseInsensitive);
    if (isUsed) lines += QStringLiteral("\n\n") + it.value();
  }
  return lines;
}

void BlockReader::open(Section section, QStringView line) {
  close();
  m_section = section;
  m_code = {};
  m_code.kind = BlockKind::Code;
  m_codeState = 0;
  m_part = 0;
  if (section == Section::Code) m_code.group = ++m_groups;
  if (!line.isEmpty()) append(line);
}

void BlockReader::append(QStringView line) {
  if (m_lines++ > 0) m_text += u'\n';
  const bool mayBeginTable =
      m_section == Section::Text || m_section == Section::Item || m_section == Section::Quote;
  if (mayBeginTable && isFarTooWide(line)) {
    qsizetype content = 0;
    while (isBeforeContent(line[content])) ++content;
    m_text += line.left(content);
    m_text += kWordJoiner;
    line = line.mid(content);
  }
  m_text += line;
}

void BlockReader::close() {
  if (m_section == Section::Code) {
    closeCodePart(true);
  } else if (m_section != Section::None) {
    parseSection();
  }
  m_section = Section::None;
  m_isCutItem = false;
  m_isCutTable = false;
  m_blankLines = 0;
  m_nestedFence = {};
}

bool BlockReader::mayEndCode(QStringView begun) const {
  const QStringView text = begun.trimmed();
  return !text.isEmpty() && consistsOf(text, m_fence[0]);
}

void BlockReader::addCode(QStringView line) {
  if (m_lines >= kMaxCodeLines || m_text.size() > kMaxCodePart) closeCodePart(false);
  append(visibleCode(line));
}

void BlockReader::closeCodePart(bool isLast) {
  if (m_lines == 0 && !isLast) return;
  m_code.text = std::exchange(m_text, QString());
  m_code.codeState = m_codeState;
  m_code.isLastPart = isLast;
  m_code.isThought = m_isThought;
  m_blocks.append(m_code);
  if (!isLast) m_codeState = stateAfter(m_code.text, m_code.language, m_codeState);
  m_lines = 0;
  ++m_code.part;
  m_code.isLineJoined = false;
}

void BlockReader::addToMath(QStringView line) {
  const bool givesUp = line.trimmed().isEmpty() || m_text.size() + line.size() > kMaxLeaf;
  if (givesUp) m_section = Section::Text;
  if (line.trimmed().isEmpty()) return close();
  append(line.trimmed());
  if (!givesUp && isWholeDisplayMath(m_text, m_mathCloser)) closeMath();
}

void BlockReader::closeMath() {
  m_blocks.append(mathBlock(std::exchange(m_text, QString())));
  m_blocks.last().isThought = m_isThought;
  m_lines = 0;
  m_section = Section::None;
}

/// Parses and clears m_text.
void BlockReader::parseSection(bool tableGoesOn) {
  // md4c would not see an empty last line of open code, and definitions would be lines of it.
  if (const QString& closer = m_nestedFence.closer(); m_nestedFence.isCode())
    append(m_isCutItem ? dropIndent(closer, m_contentIndent) : closer);
  m_lines = 0;
  const QString text = std::exchange(m_text, QString());
  const bool isJoined = std::exchange(m_isJoined, false);
  if (text.trimmed().isEmpty()) return;
  const QString source =
      (m_isCutTable ? m_tableHead : QString()) +
      (isJoined && m_section != Section::Quote ? QString(kWordJoiner) : QString()) + text;
  QList<MarkdownBlock> blocks = parseMarkdown(source + definitionsFor(text));
  if (m_isCutTable && !blocks.isEmpty()) blocks.removeFirst();  // The repeated head.
  if (blocks.isEmpty()) {  // Link definitions alone give no block, but are still shown.
    blocks.append(MarkdownBlock{});
    blocks[0].markup = escapeMarkup(text.trimmed()).replace(u'\n', QStringLiteral("<br/>"));
  }
  MarkdownBlock& first = blocks[0];
  if (isJoined && first.markup.startsWith(kWordJoiner)) first.markup.remove(0, 1);
  first.isJoined = isJoined;
  const bool isNumbered = m_section == Section::Item && !m_isCutItem && m_number > 0;
  if (isNumbered && first.marker.endsWith(u'.')) first.marker = QStringLiteral("%1.").arg(m_number);
  const int groupsBefore = m_groups - (m_isCutTable ? 1 : 0);
  const int partsBefore = m_isCutTable ? m_part - 1 : 0;
  for (MarkdownBlock& block : blocks) {
    block.isThought = m_isThought;
    if (m_isCutItem) block.indent = std::min(block.indent + 1, kMaxMarkdownDepth);
    if (block.group > 0) {
      block.group += groupsBefore;
      block.part += partsBefore;
      m_groups = std::max(m_groups, block.group);
    }
    if (block.kind == BlockKind::Code) {
      restoreDelimiters(block.text);
      appendCode(m_blocks, block);
    } else {
      m_blocks.append(block);
    }
  }
  m_part = m_blocks.last().part + 1;
  if (tableGoesOn) m_blocks.last().isLastPart = false;
}

}  // namespace quire
