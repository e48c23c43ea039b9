// The texts of a timeline for a selection.
#include "app/chat/timeline_model.h"

namespace quire {

bool TimelineModel::isUserMessage(RecordId messageId) const {
  const MessageRecord* message = m_conversation.find(messageId);
  return message && message->role == MessageRole::User;
}

QList<MarkdownBlock> TimelineModel::selectableBlocks(RecordId messageId) const {
  if (!isUserMessage(messageId)) return blocksOf(messageId);
  const QString text = m_conversation.find(messageId)->text();
  QList<MarkdownBlock> pieces;
  for (qsizetype at = 0; at < text.size();) {
    const qsizetype end = userPieceEnd(text, at);
    MarkdownBlock piece;
    piece.markup = escapeMarkup(QStringView(text).mid(at, end - at));
    piece.markup.replace(u'\n', QStringLiteral("<br/>"));
    pieces.append(piece);
    at = end;
  }
  return pieces;
}

bool TimelineModel::showsThought(RecordId messageId) const {
  const Parsed* parsed = findParsed(messageId);
  return parsed && parsed->isThoughtOpen;
}

}  // namespace quire
