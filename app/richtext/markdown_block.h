#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

enum class BlockKind { Paragraph, Heading, Code, Table, Rule, Math };

/// One block of an answer, which is laid out separately. Containers are flattened into their
/// leaves, which have a depth in lists and quotes. Long code is a group of several blocks, and a
/// table is a group with a block for each row, which bounds the cost of a block.
struct MarkdownBlock {
  BlockKind kind = BlockKind::Paragraph;
  /// Inline text of paragraphs, headings and formulas in Quire's own markup: <b> <i> <s> <code>
  /// <math> (LaTeX with its delimiters) <a href="..."> and <br/>; all other text is escaped
  /// (&amp; &lt; &gt; &quot;).
  QString markup;
  QString text;        ///< Code without a final line end, or the source of a formula.
  QString language;    ///< Of code; may be empty.
  QString marker;      ///< "•", "3." or a check box, on the first leaf of a list item.
  int level = 0;       ///< Heading: 1 to 6.
  int indent = 0;      ///< Depth in lists.
  int quoteDepth = 0;  ///< Depth in quotes.
  int columns = 0;     ///< Table.
  QStringList cells;   ///< Table: the cells of this row, as markup.
  int group = 0;       ///< Code and tables: the number of the group, from 1; else 0.
  int part = 0;        ///< Index within the group; row 0 of a table is its head.
  int codeState = 0;   ///< Code: the lexer's state at the beginning (see CodeState).
  bool isLastPart = true;
  bool isThought = false;     ///< Part of the model's reasoning.
  bool isJoined = false;      ///< Continues the previous block, which was split for its length.
  bool isLineJoined = false;  ///< Code: begins in the middle of a line.

  bool operator==(const MarkdownBlock&) const = default;
};

constexpr int kMaxMarkdownDepth = 24;  ///< Of lists and of quotes; deeper ones are shown at it.

/// Parses a short piece of Markdown (CommonMark with tables, strike-through and task lists). The
/// source is the untrusted output of a model: HTML becomes text, images become links, links that
/// are not of the web become text, and nothing is fetched. BlockReader splits long texts.
QList<MarkdownBlock> parseMarkdown(const QString& source);

/// A display formula, from its source with delimiters.
MarkdownBlock mathBlock(const QString& source);

/// Escapes the special characters of Quire's markup.
QString escapeMarkup(QStringView text);

}  // namespace quire
