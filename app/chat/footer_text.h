#pragma once

#include <QString>

#include "app/engine/chat_backend.h"
#include "app/store/records.h"

namespace quire {

/// Details of an answer's prompt that are not stored; known while the chat is open.
struct PromptNote {
  PromptReport report;
  int systemTurns = 0;  ///< At the head of the turns that report.miss counts.
};

// The words under an answer: how fast it was and where its prompt came from. Each is empty where
// there is nothing to say; `note` may be null.

QString speedText(const MessageRecord& answer);
/// "32 of 58 from cache (16 from disk)".
QString cacheText(const MessageRecord& answer, const PromptNote* note);
/// The same in sentences, with the reason for a cache miss.
QString cacheHint(const MessageRecord& answer, const PromptNote* note);
/// "about 12 tokens · 24 to compute": what sending a message costs; empty for no tokens.
QString estimateText(int messageTokens, int computedTokens);
/// "6 oldest messages left out".
QString leftOutText(const PromptNote* note);
QString leftOutHint(const PromptNote* note);

}  // namespace quire
