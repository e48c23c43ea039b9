#pragma once

#include <QList>

#include "app/richtext/block_reader.h"
#include "app/richtext/markdown_block.h"
#include "app/richtext/reasoning_scanner.h"

namespace quire {

/// An answer as typed blocks, updated while it grows. A token costs the parsing of the open
/// section, not of the whole answer. Invariants: blocks before stable() change only if append()
/// says so; after finish() the blocks are those of the whole text, regardless of the pieces in
/// which it arrived.
class MessageBlocks {
 public:
  /// Appends streamed text. A last line that may become a marker is not shown yet, and open
  /// emphasis is shown as if it were closed. Returns the index of the first block that may have
  /// changed.
  int append(QStringView text);
  /// Ends the answer and resolves its reference links. Returns as append().
  int finish();

  const QList<MarkdownBlock>& blocks() const { return m_blocks; }
  int stable() const { return m_stable; }
  bool isFinished() const { return m_isFinished; }
  /// Whether the text so far ends within reasoning.
  bool isThinking() const { return m_scanner.isThinking(); }
  bool hasThought() const { return m_scanner.hasThought(); }
  qsizetype thoughtLength() const { return m_thoughtLength; }

 private:
  void take(const QList<ReasoningScanner::Piece>& pieces);
  void readLines(QStringView text);
  void readLine(QStringView line);
  void readLongBeginnings(QString& line);
  void endPiece();
  void showOpen();
  void readAgain(bool beginsThinking, const QHash<QString, QString>& definitions);
  QHash<QString, QString> usedDefinitions() const;

  ReasoningScanner m_scanner;
  BlockReader m_reader;
  QString m_line;  ///< The unread part of the last line.
  QString m_text;  ///< The whole text, until finish().
  QList<MarkdownBlock> m_blocks;
  int m_stable = 0;
  qsizetype m_thoughtLength = 0;
  bool m_isThought = false;
  bool m_beginsThinking = false;
  bool m_foundStrayEnd = false;
  bool m_isFinished = false;
};

}  // namespace quire
