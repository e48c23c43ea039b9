#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

enum class BlockKind { Paragraph, Heading, Code, Table, Rule };

/// One piece of an answer that is laid out by itself. Containers are flattened into their leaves:
/// a leaf knows how deep in lists and quotes it stands.
struct MarkdownBlock {
  BlockKind kind = BlockKind::Paragraph;
  /// Inline text in Quire's own little markup: <b> <i> <s> <code> <a href="..."> and <br/>, all
  /// else escaped (&amp; &lt; &gt; &quot;). Paragraphs and headings.
  QString markup;
  QString text;        ///< Code as it stands, without a final line end.
  QString language;    ///< Of code; may be empty.
  QString marker;      ///< "•", "3." or a tick box, on the first leaf of a list item.
  int level = 0;       ///< Heading: 1 to 6.
  int indent = 0;      ///< Depth in lists.
  int quoteDepth = 0;  ///< Depth in quotes.
  int columns = 0;     ///< Table.
  QStringList cells;   ///< Table, row by row, the head first; markup.

  bool operator==(const MarkdownBlock&) const = default;
};

/// The blocks of a piece of Markdown (CommonMark with tables, strike-through and task lists). HTML
/// is text, images are links, and nothing is ever fetched: the source is a model's output and
/// untrusted.
QList<MarkdownBlock> parseMarkdown(QStringView source);

/// Text with what Quire's markup gives a meaning to written as entities.
QString escapeMarkup(QStringView text);

}  // namespace quire
