#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringView>

#include <utility>

#include "app/richtext/code_lexer.h"
#include "app/richtext/markdown_block.h"
#include "app/richtext/nested_fence.h"

namespace quire {

/// Splits Markdown, line by line, into sections that md4c can parse separately: at blank lines
/// outside of fences and lists, and before each fence, heading, quote, display formula and item of
/// a top-level list. While text arrives, only the open section is parsed again.
///
/// Sections are bounded: a paragraph is split at kMaxLeaf characters, an item of a list at
/// kMaxItem or, within code, at kMaxNestedCode, or at kMaxItemLines, tables by their number of
/// lines or at kMaxItem, other code by its number of lines. A table that is far too wide is text.
/// In an item or a quote, of blank lines that follow each other kMaxBlankLines are read. The splits
/// depend only on the text, not on the pieces in which it arrived.
///
/// Invariants: cheap to copy (bounded by one section); blocks once returned never change.
class BlockReader {
 public:
  static constexpr qsizetype kMaxLeaf = 3000;
  static constexpr qsizetype kMaxItem = 24000;
  static constexpr qsizetype kMaxNestedCode = 48000;
  static constexpr int kMaxItemLines = 2000;
  static constexpr int kMaxBlankLines = 3;
  static constexpr int kMaxCodeLines = 40;

  /// Reads one line without its line end.
  void line(QStringView line);
  /// Reads the beginning of a long line before its end has arrived.
  void beginningOfLine(QStringView piece);
  /// Ends the open section.
  void finish();
  /// As finish(), for text that is still arriving: closes open markup in the open section.
  void finishForNow();
  /// Whether the following text is the model's reasoning. To be called between sections.
  void setThought(bool isThought) { m_isThought = isThought; }
  /// The definitions of reference links ("[label]: target"), by label. Their lines are not shown.
  void setDefinitions(const QHash<QString, QString>& definitions) { m_definitions = definitions; }
  /// The definitions found so far, as whole lines by label.
  const QHash<QString, QString>& foundDefinitions() const { return m_foundDefinitions; }

  QList<MarkdownBlock> takeBlocks() { return std::exchange(m_blocks, {}); }
  bool isInCode() const { return m_section == Section::Code; }
  /// Whether an incomplete line may become the closing fence of the open code.
  bool mayEndCode(QStringView begun) const;

 private:
  enum class Section { None, Text, Item, Quote, Table, Code, Math };
  enum class Definition { None, New, Known };

  void addToItem(QStringView line);
  void addToQuote(QStringView line);
  bool isBeyondLimit(QStringView line, const NestedFence& fence, bool beginsItem) const;
  void cut(const NestedFence& fence);
  void addToText(QStringView line);
  void addToMath(QStringView line);
  void addCode(QStringView line);
  bool openFence(QStringView text, int indent);
  bool openMath(QStringView text);
  void openText(QStringView text);
  bool openTable(QStringView line);
  bool openItem(QStringView line, int indent);
  Definition readDefinition(QStringView line);
  void open(Section section, QStringView line);
  void append(QStringView line);
  void close();
  void closeCodePart(bool isLast);
  void closeMath();
  void parseSection(bool tableGoesOn = false);
  QString definitionsFor(QStringView text) const;

  Section m_section = Section::None;
  QString m_text;   ///< The lines of the section; for code, of the current part.
  int m_lines = 0;  ///< In m_text.
  bool m_isThought = false;
  bool m_inLine = false;    ///< After beginningOfLine(): the next text continues the line.
  bool m_isJoined = false;  ///< The section continues the text before it.

  int m_blankLines = 0;       ///< Item: how many blank lines there were last.
  int m_contentIndent = 0;    ///< Item: the indentation of its content.
  unsigned m_number = 0;      ///< Item: its number; 0 in a bullet list.
  QChar m_mark;               ///< Item: the last character of its marker.
  bool m_isCutItem = false;   ///< Item: m_text begins after a split of the item.
  NestedFence m_nestedFence;  ///< Item, quote: at the end of m_text.

  QString m_tableHead;        ///< Table: its first two lines.
  bool m_isCutTable = false;  ///< Table: m_text begins after a split.

  MarkdownBlock m_code;       ///< Code: the common values of its parts.
  CodeState m_codeState = 0;  ///< Code: at the beginning of the current part.
  QString m_fence;
  int m_fenceIndent = 0;
  QString m_mathCloser;

  int m_groups = 0;
  int m_part = 0;  ///< The number of parts of the last table or code.
  QHash<QString, QString> m_definitions;
  QHash<QString, QString> m_foundDefinitions;
  QList<MarkdownBlock> m_blocks;
};

}  // namespace quire
