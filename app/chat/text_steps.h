#pragma once

#include <optional>

#include "app/chat/chat_selection.h"

namespace quire {

/// Whether the reader sees a block of a message that is loaded; false for what is folded.
bool isBlockShown(const TimelineModel& timeline, RecordId message, int block);
/// The nearest end of the next or the previous block that has text and is shown; nullopt: there is
/// none.
std::optional<TextPosition> adjacentBlock(const TimelineModel& timeline, const TextPosition& from,
                                          bool forwards);
/// The position one character or word after or before another in the texts that a timeline shows;
/// the same one at their end. The end of a paragraph is followed by the beginning of the next one.
TextPosition steppedPosition(const TimelineModel& timeline, const TextPosition& from, TextUnit unit,
                             bool forwards);
/// The first or the last position of the chat.
TextPosition outermostPosition(const TimelineModel& timeline, bool isEnd);

}  // namespace quire
