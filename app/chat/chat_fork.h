#pragma once

#include "app/chat/conversation.h"
#include "app/store/id_source.h"
#include "app/store/records.h"

namespace quire {

/// A new chat that begins as another one does, down to the message `last`. Its messages and files
/// are copies; the store copies the origins of the answers.
NewChat forkOf(const ChatRecord& chat, const Conversation& conversation, RecordId last,
               IdSource& ids);

/// What the first answer of a fork has in common with the chat it came from.
struct ForkedPart {
  bool isFirst = false;  ///< The answer is the first one of a fork.
  int tokens = 0;        ///< Of its prompt that were copied; 0: all.
};
ForkedPart forkedPartOf(const ChatRecord& chat, const Conversation& conversation,
                        const MessageRecord& answer);

}  // namespace quire
