#include "app/chat/text_steps.h"

namespace quire {
namespace {

/// The pieces of a user's message are one text: where one ends, the next one begins.
TextPosition inLaterPiece(const TimelineModel& timeline, const TextPosition& at,
                          const MarkdownBlock& piece) {
  if (caretStep(piece, at.offset, TextUnit::Character, true)) return at;
  const auto next = adjacentBlock(timeline, at, true);
  return next && next->message == at.message ? *next : at;
}

}  // namespace

std::optional<TextPosition> adjacentBlock(const TimelineModel& timeline, const TextPosition& from,
                                          bool forwards) {
  const QList<RecordId>& messages = timeline.shownMessages();
  const int step = forwards ? 1 : -1;
  int block = from.block + step;
  for (qsizetype at = timeline.positionOf(from.message); at >= 0 && at < messages.size();
       at += step) {
    const QList<MarkdownBlock> blocks = timeline.selectableBlocks(messages[at]);
    if (messages[at] != from.message) block = forwards ? 0 : static_cast<int>(blocks.size()) - 1;
    for (; block >= 0 && block < blocks.size(); block += step) {
      const qsizetype size = selectableText(blocks[block]).size();
      if (size > 0 && isBlockShown(timeline, messages[at], block))
        return TextPosition{messages[at], block, forwards ? 0 : size};
    }
  }
  return std::nullopt;
}

bool isBlockShown(const TimelineModel& timeline, RecordId message, int block) {
  return timeline.firstRowOf(message) < 0 || timeline.rowOfBlock(message, block) >= 0;
}

TextPosition steppedPosition(const TimelineModel& timeline, const TextPosition& from, TextUnit unit,
                             bool forwards) {
  const bool isOneText = timeline.isUserMessage(from.message);
  const QList<MarkdownBlock> blocks = timeline.selectableBlocks(from.message);
  const auto step = from.block < blocks.size()
                        ? caretStep(blocks[from.block], from.offset, unit, forwards)
                        : std::nullopt;
  if (step) {
    const TextPosition to{from.message, from.block, *step};
    return isOneText ? inLaterPiece(timeline, to, blocks[from.block]) : to;
  }
  const auto next = adjacentBlock(timeline, from, forwards);
  if (!next) return from;
  const bool goesOn = isOneText && next->message == from.message;
  return goesOn ? steppedPosition(timeline, *next, unit, forwards) : *next;
}

TextPosition outermostPosition(const TimelineModel& timeline, bool isEnd) {
  const QList<RecordId>& messages = timeline.shownMessages();
  if (messages.isEmpty()) return {};
  const RecordId message = isEnd ? messages.last() : messages.first();
  const QList<MarkdownBlock> blocks = timeline.selectableBlocks(message);
  if (blocks.isEmpty() || !isEnd) return {message, 0, 0};
  return {message, static_cast<int>(blocks.size()) - 1, selectableText(blocks.last()).size()};
}

}  // namespace quire
