#pragma once

#include "app/chat/conversation.h"
#include "app/store/id_source.h"
#include "app/store/records.h"

namespace quire {

/// A chat of its own that begins as another one does, down to the message `last`. Its messages are
/// copies, and so are their files; what the answers were made from is copied by the store.
NewChat forkOf(const ChatRecord& chat, const Conversation& conversation, RecordId last,
               IdSource& ids);

/// What the first answer of a fork has in common with the chat it came from.
struct ForkedPart {
  bool isFirst = false;  ///< This is such an answer, and so tells what it reused.
  int tokens = 0;        ///< Of its prompt; 0: all of it.
};
ForkedPart forkedPartOf(const ChatRecord& chat, const Conversation& conversation,
                        const MessageRecord& answer);

}  // namespace quire
