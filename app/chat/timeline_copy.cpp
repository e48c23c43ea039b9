// What of a timeline goes to the clipboard.
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include "app/chat/timeline_model.h"
#include "app/richtext/message_copy.h"

namespace quire {

QList<MarkdownBlock> TimelineModel::blocksOf(RecordId messageId) const {
  const auto parsed = m_parsed.constFind(messageId);
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message) return {};
  const bool whole = parsed != m_parsed.cend() && (*parsed)->length == message->text().size();
  if (whole) return (*parsed)->blocks.blocks();
  MessageBlocks blocks;
  blocks.append(message->text());
  blocks.finish();
  return blocks.blocks();
}

QString TimelineModel::sourceAt(int row) const {
  if (row < 0 || row >= m_rows.size()) return {};
  const MarkdownBlock& block = m_rows[row].block;
  if (block.group == 0) return block.text;
  return groupText(blocksOf(m_rows[row].message), block.group);
}

void TimelineModel::copySource(int row) const {
  QGuiApplication::clipboard()->setText(sourceAt(row));
}

void TimelineModel::copyTable(int row) const {
  if (row < 0 || row >= m_rows.size()) return;
  auto data = std::make_unique<QMimeData>();
  data->setText(sourceAt(row));
  data->setHtml(groupHtml(blocksOf(m_rows[row].message), m_rows[row].block.group));
  QGuiApplication::clipboard()->setMimeData(data.release());
}

}  // namespace quire
