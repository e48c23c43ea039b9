#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QStringView>

#include <utility>

#include "app/richtext/code_lexer.h"
#include "app/richtext/markdown_block.h"

namespace quire {

/// Cuts Markdown, read line by line, into sections that md4c can parse one by one: at blank lines
/// outside of fences and lists, and before each fence, heading, quote, display formula and item of
/// a top-level list. Only the open section is parsed again for a token.
///
/// Sections are bounded too: a paragraph is cut at kMaxLeaf characters, a table and code by their
/// lines, an item of a list at kMaxItem. The cuts depend on the text alone, not on how it arrived.
///
/// Invariants: cheap to copy (bounded by one section); blocks handed out never change.
class BlockReader {
 public:
  static constexpr qsizetype kMaxLeaf = 3000;
  static constexpr qsizetype kMaxItem = 24000;
  static constexpr int kMaxCodeLines = 40;

  /// One line without its end.
  void line(QStringView line);
  /// The beginning of a line that is too long to wait for its end.
  void beginningOfLine(QStringView piece);
  /// Ends the open section.
  void finish();
  /// As finish(), for text that is still arriving: what is open is made presentable.
  void finishForNow();
  /// Whether what follows is the model's reasoning. Only between sections.
  void setThought(bool isThought) { m_isThought = isThought; }
  /// Targets of reference links, [label]: target, by label. Their own lines are not shown.
  void setDefinitions(const QHash<QString, QString>& definitions) { m_definitions = definitions; }
  /// The definitions that have been read, whole lines by label.
  const QHash<QString, QString>& foundDefinitions() const { return m_foundDefinitions; }

  QList<MarkdownBlock> takeBlocks() { return std::exchange(m_blocks, {}); }
  bool isInCode() const { return m_section == Section::Code; }
  /// Whether a line that is only begun may be part of the end of the open code.
  bool mayEndCode(QStringView begun) const;

 private:
  enum class Section { None, Text, Item, Quote, Table, Code, Math };
  enum class Definition { None, New, Known };

  void addToItem(QStringView line);
  void addToQuote(QStringView line);
  void followFence(QStringView line);
  void addToText(QStringView line);
  void addToMath(QStringView line);
  void addCode(QStringView line);
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
  QString m_text;   ///< The section's lines; of code: of this part.
  int m_lines = 0;  ///< In m_text.
  bool m_isThought = false;
  bool m_inLine = false;    ///< After beginningOfLine(): the same line goes on.
  bool m_isJoined = false;  ///< The section goes on with the text before.

  bool m_afterBlank = false;  ///< Item: the last line was blank.
  int m_contentIndent = 0;    ///< Item: how far its content is indented.
  unsigned m_number = 0;      ///< Item: its number; 0 in a bullet list.
  QChar m_mark;               ///< Item: what its marker ends with.
  bool m_isCutItem = false;   ///< Item: m_text begins within it, after a cut.
  QString m_nestedFence;      ///< Item, quote: of the code that is open in it.

  QString m_tableHead;        ///< Table: its first two lines.
  bool m_isCutTable = false;  ///< Table: m_text begins after a cut.

  MarkdownBlock m_code;       ///< Code: what its parts have in common.
  CodeState m_codeState = 0;  ///< Code: at the beginning of this part.
  QString m_fence;
  int m_fenceIndent = 0;
  QString m_mathCloser;

  int m_groups = 0;
  int m_part = 0;  ///< Of the last table or code: parts so far.
  QHash<QString, QString> m_definitions;
  QHash<QString, QString> m_foundDefinitions;
  QList<MarkdownBlock> m_blocks;
};

/// The open paragraph of a streaming answer, made presentable (see MessageBlocks::append).
QString presentableTail(const QString& open);
/// Whether a last line such as "-", "1." or "``" may become a list, a fence or an underline with
/// the next characters; shown at once it would flicker as something else.
bool mayBecomeMarker(QStringView line);

}  // namespace quire
