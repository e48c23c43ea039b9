// The texts of a timeline for "Find in this chat".
#include <algorithm>

#include "app/chat/timeline_model.h"
#include "app/richtext/markup_text.h"
#include "app/richtext/math_spans.h"

namespace quire {
namespace {

/// Inline markup as the text that its item shows: a formula that is typeset is one character, and
/// its source is text only if it is beyond the limits.
QString shownText(const QString& markup) {
  QString text;
  for (const MarkupRun& run : parseMarkup(markup)) {
    const bool isTypeset = run.math && formulaOf(withoutMathDelimiters(run.text), false);
    text += isTypeset ? QString(QChar::ObjectReplacementCharacter) : run.text;
  }
  return text;
}

QStringList textsOf(const MarkdownBlock& block) {
  switch (block.kind) {
    case BlockKind::Code:
      return {block.text};
    case BlockKind::Rule:
      return {};
    case BlockKind::Table: {
      QStringList cells;
      for (const QString& cell : block.cells) cells.append(shownText(cell));
      return cells;
    }
    case BlockKind::Math:
      if (formulaOf(block.text, true)) return {};
      return {block.text};
    case BlockKind::Paragraph:
    case BlockKind::Heading:
      break;
  }
  return {shownText(block.markup)};
}

}  // namespace

std::optional<QStringList> TimelineModel::readTexts(RecordId messageId, TextPlace& place) const {
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message) return std::nullopt;
  if (message->role == MessageRole::User) {
    const QString text = message->text();
    if (place.offset >= text.size()) return std::nullopt;
    const qsizetype end = userPieceEnd(text, place.offset);
    const QString piece = text.mid(place.offset, end - place.offset);
    place = {place.block + 1, end};
    return QStringList{piece};
  }
  const Parsed* parsed = findParsed(messageId);
  if (!parsed || place.block >= parsed->blocks.blocks().size()) return std::nullopt;
  return textsOf(parsed->blocks.blocks()[place.block++]);
}

int TimelineModel::rowOfBlock(RecordId messageId, int block) const {
  const int first = firstRowOf(messageId);
  if (first < 0) return -1;
  const int last = lastRowOf(messageId);
  for (int row = first; row <= last; ++row) {
    const Row& at = m_rows[row];
    const bool isText =
        at.kind != RowKind::Thought && at.kind != RowKind::Footer && at.kind != RowKind::Editor;
    if (isText && at.blockIndex == block) return row;
  }
  return -1;
}

std::pair<RecordId, int> TimelineModel::placeOfRow(int row) const {
  if (row < 0 || row >= m_rows.size()) return {0, 0};
  const bool isFooter = m_rows[row].kind == RowKind::Footer;
  const Row& at = isFooter && row > 0 ? m_rows[row - 1] : m_rows[row];
  return {at.message, at.blockIndex};
}

void TimelineModel::unfold(RecordId messageId, int block) {
  const MessageRecord* message = m_conversation.find(messageId);
  const int first = firstRowOf(messageId);
  if (!message || first < 0) return;
  Parsed& parsed = parsedOf(messageId);
  const QList<MarkdownBlock>& blocks = parsed.blocks.blocks();
  if (message->role == MessageRole::User) {
    if (block == 0) return;  // It is always shown.
    parsed.unfolded.insert(0);
  } else {
    if (block >= blocks.size()) return;
    if (blocks[block].isThought) parsed.isThoughtOpen = true;
    if (isFolded(parsed, block)) parsed.unfolded.insert(blocks[block].group);
  }
  syncBlocks(messageId, 0);
  emit dataChanged(index(firstRowOf(messageId)), index(lastRowOf(messageId)),
                   {kIsFolded, kFoldText, kText});
}

}  // namespace quire
