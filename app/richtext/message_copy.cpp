#include "app/richtext/message_copy.h"

#include <QMimeData>

#include <algorithm>
#include <span>
#include <utility>

#include "app/richtext/markup_text.h"
#include "app/richtext/reasoning_scanner.h"

namespace quire {
namespace {

QString plainMarkup(const QString& markup) {
  QString text;
  for (const MarkupRun& run : parseMarkup(markup)) text += run.text;
  return text.replace(QChar(QChar::LineSeparator), u'\n');
}

QString tableLine(const MarkdownBlock& block) {
  QStringList cells;
  for (const QString& cell : block.cells) cells.append(plainMarkup(cell).simplified());
  return cells.join(u'\t');
}

/// Quire's markup is HTML, except for the formulas.
QString inlineHtml(QString markup) {
  return markup.remove(QStringLiteral("<math>")).remove(QStringLiteral("</math>"));
}

QString tableLineHtml(const MarkdownBlock& block) {
  const QString tag = block.part == 0 ? QStringLiteral("th") : QStringLiteral("td");
  QString line;
  for (const QString& cell : block.cells)
    line += QStringLiteral("<%1>%2</%1>").arg(tag, inlineHtml(cell));
  return QStringLiteral("<tr>%1</tr>").arg(line);
}

QString paragraphHtml(const MarkdownBlock& block) {
  const QString text = inlineHtml(block.markup);
  if (block.kind == BlockKind::Heading)
    return QStringLiteral("<h%1>%2</h%1>").arg(block.level).arg(text);
  QString html =
      QStringLiteral("<p>%1</p>").arg(block.marker.isEmpty() ? text : block.marker + u' ' + text);
  if (block.indent > 0) {
    html = QStringLiteral("<p style=\"margin-left:%1em\">").arg(block.indent * 1.5) + html.mid(3);
  }
  for (int i = 0; i < block.quoteDepth; ++i)
    html = QStringLiteral("<blockquote>%1</blockquote>").arg(html);
  return html;
}

/// The consecutive blocks of a group, searched from the index `from` on.
std::span<const MarkdownBlock> groupOf(const QList<MarkdownBlock>& blocks, int group,
                                       qsizetype from) {
  const auto isInGroup = [group](const MarkdownBlock& block) { return block.group == group; };
  const auto first = std::find_if(blocks.cbegin() + from, blocks.cend(), isInGroup);
  return {first, std::find_if_not(first, blocks.cend(), isInGroup)};
}

/// Whether the group of the block before goes on. The first block of a selection may be any part of
/// its group.
bool continues(const QList<MarkdownBlock>& blocks, qsizetype at) {
  return at > 0 && blocks[at].group > 0 && blocks[at - 1].group == blocks[at].group;
}

QString blockHtml(const QList<MarkdownBlock>& blocks, qsizetype at) {
  const MarkdownBlock& block = blocks[at];
  switch (block.kind) {
    case BlockKind::Code:
    case BlockKind::Table:
      return groupHtml(blocks, block.group, at);
    case BlockKind::Rule:
      return QStringLiteral("<hr/>");
    case BlockKind::Math:
      return QStringLiteral("<pre>%1</pre>").arg(block.markup);
    case BlockKind::Paragraph:
    case BlockKind::Heading:
      break;
  }
  return paragraphHtml(block);
}

}  // namespace

QString plainText(const MarkdownBlock& block) {
  if (block.kind == BlockKind::Code) return block.text;
  if (block.kind == BlockKind::Table) return tableLine(block);
  if (block.kind == BlockKind::Rule) return QStringLiteral("———");
  return plainMarkup(block.markup);
}

QString groupText(const QList<MarkdownBlock>& blocks, int group, qsizetype from) {
  QString text;
  bool isFirst = true;
  for (const MarkdownBlock& block : groupOf(blocks, group, from)) {
    if (!std::exchange(isFirst, false) && !block.isLineJoined) text += u'\n';
    text += plainText(block);
  }
  return text;
}

QString groupHtml(const QList<MarkdownBlock>& blocks, int group, qsizetype from) {
  QString lines;
  for (const MarkdownBlock& block : groupOf(blocks, group, from)) {
    if (block.kind == BlockKind::Table) lines += tableLineHtml(block);
  }
  if (!lines.isEmpty()) {
    return QStringLiteral("<table border=\"1\" cellspacing=\"0\">%1</table>").arg(lines);
  }
  return QStringLiteral("<pre><code>%1</code></pre>")
      .arg(escapeMarkup(groupText(blocks, group, from)));
}

QString withoutControls(QString text) {
  constexpr QChar kNextLine(0x85);
  text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
  text.replace(u'\r', u'\n').replace(kNextLine, u'\n');
  text.removeIf(
      [](QChar c) { return c.category() == QChar::Other_Control && c != u'\n' && c != u'\t'; });
  return text;
}

MessageCopy::MessageCopy(QList<MarkdownBlock> blocks, QString source)
    : m_blocks(std::move(blocks)), m_source(std::move(source)) {}

QString MessageCopy::plain() const {
  QString text;
  for (qsizetype i = 0; i < m_blocks.size(); ++i) {
    const MarkdownBlock& block = m_blocks[i];
    if (block.isThought || continues(m_blocks, i)) continue;
    const bool inList = !block.marker.isEmpty() && block.kind == BlockKind::Paragraph;
    if (!text.isEmpty()) text += inList ? QStringLiteral("\n") : QStringLiteral("\n\n");
    text += QString(2 * std::max(0, block.indent - 1), u' ');
    if (!block.marker.isEmpty()) text += block.marker + u' ';
    text += block.group > 0 ? groupText(m_blocks, block.group, i) : plainText(block);
  }
  return withoutControls(std::move(text));
}

QString MessageCopy::markdown() const {
  const bool thinks = std::any_of(m_blocks.begin(), m_blocks.end(),
                                  [](const MarkdownBlock& block) { return block.isThought; });
  if (!thinks) return withoutControls(m_source);
  ReasoningScanner scanner;
  QString text;
  QList<ReasoningScanner::Piece> pieces = scanner.append(m_source);
  if (!scanner.hasThought()) {  // The prompt opened the reasoning.
    scanner = {};
    scanner.beginThinking();
    pieces = scanner.append(m_source);
  }
  pieces += scanner.finish();
  for (const ReasoningScanner::Piece& piece : std::as_const(pieces)) {
    if (!piece.isThought) text += piece.text;
  }
  return withoutControls(text.trimmed());
}

QString MessageCopy::html() const {
  QString html;
  for (qsizetype i = 0; i < m_blocks.size(); ++i) {
    if (!m_blocks[i].isThought && !continues(m_blocks, i)) html += blockHtml(m_blocks, i);
  }
  return withoutControls(std::move(html));
}

std::unique_ptr<QMimeData> MessageCopy::rich() const {
  auto data = std::make_unique<QMimeData>();
  data->setHtml(html());
  data->setText(plain());
  return data;
}

}  // namespace quire
