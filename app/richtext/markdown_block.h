#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

enum class BlockKind { Paragraph, Heading, Code, Table, Rule, Math };

/// One block of an answer, laid out on its own. Containers are flattened into their leaves: a leaf
/// has its depth in lists and quotes. Long code and tables are several blocks of one group, so that
/// none costs much: a table has a block for each row.
struct MarkdownBlock {
  BlockKind kind = BlockKind::Paragraph;
  /// Inline text in Quire's own markup: <b> <i> <s> <code> <math> <a href="..."> and <br/>, all
  /// else escaped (&amp; &lt; &gt; &quot;). Paragraphs, headings and formulas.
  QString markup;
  QString text;        ///< Code without a final line end; a formula's source.
  QString language;    ///< Of code; may be empty.
  QString marker;      ///< "•", "3." or a tick box, on the first leaf of a list item.
  int level = 0;       ///< Heading: 1 to 6.
  int indent = 0;      ///< Depth in lists.
  int quoteDepth = 0;  ///< Depth in quotes.
  int columns = 0;     ///< Table.
  QStringList cells;   ///< Of this row of a table; markup.
  int group = 0;       ///< Code and tables: which of the message's, from 1; else 0.
  int part = 0;        ///< Counts the blocks of one group from 0; row 0 of a table is its head.
  int codeState = 0;   ///< Code: the lexer's state where this part begins (see CodeState).
  bool isLastPart = true;
  bool isThought = false;     ///< Part of the model's reasoning.
  bool isJoined = false;      ///< Continues the block before, which was cut for its length.
  bool isLineJoined = false;  ///< Code: begins in the middle of a line.

  bool operator==(const MarkdownBlock&) const = default;
};

constexpr int kMaxMarkdownDepth = 24;  ///< Of lists, and of quotes; deeper ones are shown there.

/// The blocks of a piece of Markdown (CommonMark with tables, strike-through and task lists). HTML
/// is text, images are links, and nothing is ever fetched: the source is a model's output and
/// untrusted. Meant for short pieces: BlockReader cuts long texts.
QList<MarkdownBlock> parseMarkdown(const QString& source);

/// A formula on its own, from its source with its delimiters.
MarkdownBlock mathBlock(const QString& source);

/// Text with what Quire's markup gives a meaning to written as entities.
QString escapeMarkup(QStringView text);

}  // namespace quire
