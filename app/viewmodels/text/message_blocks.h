#pragma once

#include <QList>

#include "app/viewmodels/text/block_splitter.h"
#include "app/viewmodels/text/markdown_block.h"

namespace quire {

/// An answer as typed blocks, kept while it grows.
/// Invariants: blocks before stable() never change again; after finish() the blocks are those of
/// the whole text, however it arrived.
class MessageBlocks {
 public:
  /// While it streams, the last line is shown as it will most likely end: a line that may turn out
  /// to be a marker is held back, and emphasis that is still open is drawn as if it were closed.
  void append(QStringView text);
  void finish();

  const QList<MarkdownBlock>& blocks() const { return m_blocks; }
  int stable() const { return m_stable; }

 private:
  void parse(const QString& open);

  BlockSplitter m_splitter;
  QList<MarkdownBlock> m_blocks;
  int m_stable = 0;
};

/// The open part of a streaming answer, made presentable (see MessageBlocks::append).
QString presentableTail(const QString& open);

}  // namespace quire
