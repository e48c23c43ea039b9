#pragma once

#include <QList>
#include <QString>
#include <QStringView>

#include <utility>

#include "app/richtext/container_stack.h"
#include "app/richtext/markdown_block.h"

namespace quire {

/// Reads Markdown line by line into blocks. Lists, quotes, code, tables and formulas are followed
/// here, so that each item, each line of a table and each stretch of code is done as soon as what
/// follows it shows so; only the open leaf's own few lines are left to md4c.
///
/// A leaf is cut when it grows past kMaxLeaf characters, and code past kMaxCodeLines lines: nothing
/// that is parsed or laid out again for a token is longer than that. The cut depends on the text
/// alone, not on how it arrived.
///
/// Invariants: cheap to copy (bounded by one leaf); blocks handed out never change.
class BlockReader {
 public:
  static constexpr qsizetype kMaxLeaf = 3000;
  static constexpr int kMaxCodeLines = 40;

  /// One line without its end.
  void line(QStringView line);
  /// The beginning of a line that is too long to wait for its end.
  void beginningOfLine(QStringView piece);
  /// Ends the open leaf and leaves all containers.
  void finish();
  /// As finish(), for text that is still arriving: what is open is made presentable.
  void finishForNow();
  /// What is read from here on is (no longer) reasoning. Only between leaves.
  void setThought(bool isThought) { m_isThought = isThought; }

  QList<MarkdownBlock> takeBlocks() { return std::exchange(m_blocks, {}); }
  bool isInCode() const { return m_leaf.kind == LeafKind::Code; }
  /// Whether a line that is only begun may be part of the end of the open code.
  bool mayEndCode(QStringView begun) const;

 private:
  enum class LeafKind { None, Paragraph, Code, Table, Math };
  struct Leaf {
    LeafKind kind = LeafKind::None;
    QString text;         ///< Of code: of this part; of a table: of this line.
    MarkdownBlock place;  ///< What its blocks have in common.
    int lines = 0;        ///< Of code: in this part.
    QChar fence;
    qsizetype fenceLength = 0;
    int fenceIndent = 0;
    QString mathCloser;  ///< What ends the formula.
  };

  void start(QStringView line);
  void blankLine(int matched);
  void leafLine(QStringView rest);
  void continueCode(QStringView rest);
  void continueMath(QStringView rest);
  bool openFence(QStringView rest);
  bool openMath(QStringView text);
  bool openTable(QStringView text);
  void addToParagraph(QStringView rest);
  void addCode(QStringView text);
  void openLeaf(LeafKind kind);
  void closeLeaf();
  void closeTableLine(bool isLast);
  QStringList parsedCells() const;
  void closePart();
  void closeMath(const QString& source);
  void endOpenMath();
  void giveUpMath();
  void emitParsed();
  void flushMarker();

  ContainerStack m_containers;
  Leaf m_leaf;
  QList<MarkdownBlock> m_blocks;
  QString m_marker;  ///< Of an item whose first leaf has not come yet.
  int m_groups = 0;
  bool m_isThought = false;
  bool m_inLine = false;  ///< Behind beginningOfLine: what follows is the same line.
  bool m_wasCut = false;  ///< The next leaf goes on with the text of the one before.
};

}  // namespace quire
