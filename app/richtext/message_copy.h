#pragma once

#include <QList>
#include <QString>

#include <memory>

#include "app/richtext/markdown_block.h"

class QMimeData;

namespace quire {

/// The text of a block without markup.
QString plainText(const MarkdownBlock& block);
/// The text of a group of blocks (code or a table), searched from `from` on; cells are separated by
/// tabs.
QString groupText(const QList<MarkdownBlock>& blocks, int group, qsizetype from = 0);
QString groupHtml(const QList<MarkdownBlock>& blocks, int group, qsizetype from = 0);

/// Text for the clipboard, without the control characters that steer the terminal it may be pasted
/// into; line ends and tabs stay.
QString withoutControls(QString text);

/// A message for the clipboard. Its HTML is made from the parsed blocks, so it contains no HTML of
/// the model and fetches nothing. None of its texts has control characters.
class MessageCopy {
 public:
  /// `source`: the Markdown that the model wrote.
  MessageCopy(QList<MarkdownBlock> blocks, QString source);

  /// The displayed text, without markup and reasoning.
  QString plain() const;
  /// The Markdown without the reasoning.
  QString markdown() const;
  QString html() const;
  /// HTML, with plain text as the alternative.
  std::unique_ptr<QMimeData> rich() const;

 private:
  QList<MarkdownBlock> m_blocks;
  QString m_source;
};

}  // namespace quire
