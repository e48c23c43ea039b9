#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

enum class BlockKind { Paragraph, Heading, Code, Table, Rule, Math };

/// One piece of an answer that is laid out by itself. Containers are flattened into their leaves:
/// a leaf knows how deep in lists and quotes it stands. Code and tables that are long are several
/// blocks of one group, so that none costs much: a table's block is one of its lines.
struct MarkdownBlock {
  BlockKind kind = BlockKind::Paragraph;
  /// Inline text in Quire's own little markup: <b> <i> <s> <code> <math> <a href="..."> and <br/>,
  /// all else escaped (&amp; &lt; &gt; &quot;). Paragraphs, headings and formulas.
  QString markup;
  QString text;        ///< Code as it stands, without a final line end; a formula's source.
  QString language;    ///< Of code; may be empty.
  QString marker;      ///< "•", "3." or a tick box, on the first leaf of a list item.
  int level = 0;       ///< Heading: 1 to 6.
  int indent = 0;      ///< Depth in lists.
  int quoteDepth = 0;  ///< Depth in quotes.
  int columns = 0;     ///< Table.
  QStringList cells;   ///< Of this line of a table; markup.
  int group = 0;       ///< Code and tables: which of the message's, from 1; else 0.
  int part = 0;        ///< Counts the blocks of one group from 0; a table's line 0 is its head.
  bool isLastPart = true;
  bool isThought = false;  ///< Stands in the model's reasoning.
  bool isJoined = false;   ///< Goes on where the text of the block before was cut for its length.
  bool isLineJoined = false;  ///< Code: begins in the middle of a line.

  bool operator==(const MarkdownBlock&) const = default;
};

/// The blocks of a piece of Markdown (CommonMark with tables, strike-through and task lists). HTML
/// is text, images are links, and nothing is ever fetched: the source is a model's output and
/// untrusted. Meant for short leaves: BlockReader takes long texts apart.
QList<MarkdownBlock> parseMarkdown(QStringView source);

/// Text with what Quire's markup gives a meaning to written as entities.
QString escapeMarkup(QStringView text);

}  // namespace quire
