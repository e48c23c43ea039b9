#pragma once

#include <QList>

#include "app/richtext/block_reader.h"
#include "app/richtext/markdown_block.h"
#include "app/richtext/reasoning_scanner.h"

namespace quire {

/// An answer as typed blocks, kept while it grows. A token costs the parsing of the open section,
/// not of the answer. Invariants: blocks before stable() change only if append() says so; after
/// finish() the blocks are those of the whole text, however it arrived.
class MessageBlocks {
 public:
  /// While it streams, the last line is shown as it will most likely end: a line that may turn out
  /// to be a marker is held back, and emphasis that is still open is drawn as if it were closed.
  /// Returns the first block that may be another than before.
  int append(QStringView text);
  /// Ends the answer. Links that name their target elsewhere are resolved now. Returns as append().
  int finish();

  const QList<MarkdownBlock>& blocks() const { return m_blocks; }
  int stable() const { return m_stable; }
  bool isFinished() const { return m_isFinished; }
  /// The text ends within reasoning, so far.
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
  QString m_line;  ///< Of the last line, what has not been read.
  QString m_text;  ///< All of it, until finish().
  QList<MarkdownBlock> m_blocks;
  int m_stable = 0;
  qsizetype m_thoughtLength = 0;
  bool m_isThought = false;
  bool m_beginsThinking = false;
  bool m_foundStrayEnd = false;
  bool m_isFinished = false;
};

}  // namespace quire
