#pragma once

#include "app/store/id_source.h"
#include "app/store/records.h"
#include "app/viewmodels/chat/conversation.h"

namespace quire {

/// A chat of its own that begins as another one does, down to the message `last`. Its messages are
/// copies; what the answers were made from is copied by the store.
NewChat forkOf(const ChatRecord& chat, const Conversation& conversation, RecordId last,
               const QList<AttachmentRecord>& attachments, IdSource& ids);

/// Whether this answer is the first that was made in a fork, and so tells what it reused.
bool isFirstOfFork(const ChatRecord& chat, const Conversation& conversation,
                   const MessageRecord& answer);

}  // namespace quire
