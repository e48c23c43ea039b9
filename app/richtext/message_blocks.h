#pragma once

#include <QHash>
#include <QList>

#include <limits>
#include <memory>

#include "app/richtext/block_reader.h"
#include "app/richtext/markdown_block.h"
#include "app/richtext/reasoning_scanner.h"

namespace quire {

/// An answer as typed blocks, updated while it grows. A token costs the parsing of the open
/// section, not of the whole answer. If the text has to be read again from its beginning, that is
/// done in slices by the calls that follow, and the blocks of the first reading stay until then.
/// Invariants: blocks before stable() change only if append() or finish() says so; once
/// isFinished() the blocks are those of the whole text, regardless of the pieces in which it
/// arrived.
class MessageBlocks {
 public:
  static constexpr qsizetype kSlice = 8192;
  static constexpr qsizetype kAll = std::numeric_limits<qsizetype>::max();

  /// Appends streamed text. A last line that may become a marker is not shown yet, and open
  /// emphasis is shown as if it were closed. Returns the index of the first block that may have
  /// changed. A second reading is continued by the length of `text` and kSlice more.
  int append(QStringView text);
  /// Ends the answer and resolves its reference links. Returns as append(). At most `characters`
  /// are read for a second time: to be called again until isFinished().
  int finish(qsizetype characters = kAll);
  /// After finish(): the answer goes on after `text`, which is all of it so far. It is read again,
  /// since its last block may grow.
  void resume(QStringView text);

  const QList<MarkdownBlock>& blocks() const { return m_blocks; }
  int stable() const { return m_stable; }
  bool isFinished() const { return m_isFinished; }
  /// Whether finish() was called, and resume() was not since.
  bool isEnded() const { return m_isEnded && !m_isResumed; }
  /// Whether the text so far ends within reasoning.
  bool isThinking() const { return m_scanner.isThinking(); }
  bool hasThought() const { return m_scanner.hasThought(); }
  qsizetype thoughtLength() const { return m_thoughtLength; }

 private:
  bool read(QStringView text);
  void end();
  void take(const QList<ReasoningScanner::Piece>& pieces);
  void readLines(QStringView text);
  void readLine(QStringView line);
  void readLongBeginnings(QString& line);
  void endPiece();
  void showOpen();
  void beginAgain(bool beginsThinking, const QHash<QString, QString>& definitions);
  bool catchUp(qsizetype& characters);
  bool countUses(qsizetype& characters);
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
  bool m_isResolved = false;  ///< Its definitions are those that an earlier reading has found.
  bool m_isEnded = false;     ///< Its last section is closed, so that no text can follow.
  bool m_isResumed = false;
  bool m_isFinished = false;
  QHash<QString, int> m_uses;              ///< By label, in the first m_usesCounted characters.
  qsizetype m_usesCounted = 0;             ///< Of m_text.
  std::unique_ptr<MessageBlocks> m_again;  ///< A second reading that has not caught up; or null.
};

}  // namespace quire
