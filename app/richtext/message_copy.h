#pragma once

#include <QList>
#include <QString>

#include <memory>

#include "app/richtext/markdown_block.h"

class QMimeData;

namespace quire {

/// Inline text without its marks.
QString plainText(const MarkdownBlock& block);
/// Code or a table as one text; a table's cells are set apart by tabs.
QString groupText(const QList<MarkdownBlock>& blocks, int group, qsizetype from = 0);
QString groupHtml(const QList<MarkdownBlock>& blocks, int group, qsizetype from = 0);

/// A message for the clipboard. Its HTML is made from the parsed blocks alone: nothing in it is
/// fetched, and no HTML of the model's gets through.
class MessageCopy {
 public:
  /// `source`: what the model wrote.
  MessageCopy(QList<MarkdownBlock> blocks, QString source);

  /// What one reads, without marks; the model's reasoning is left out.
  QString plain() const;
  /// What the model wrote, without its reasoning.
  QString markdown() const;
  QString html() const;
  /// HTML, and the plain text for programs that take no HTML.
  std::unique_ptr<QMimeData> rich() const;

 private:
  QList<MarkdownBlock> m_blocks;
  QString m_source;
};

}  // namespace quire
