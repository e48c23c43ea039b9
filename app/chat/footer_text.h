#pragma once

#include <QString>

#include "app/engine/chat_backend.h"
#include "app/store/records.h"

namespace quire {

/// Details of an answer's prompt that are not stored; they are known while the chat is open.
struct PromptNote {
  PromptReport report;
  int systemTurns = 0;  ///< System turns among those that report.miss counts.
};

// The texts of an answer's footer: its speed and where its prompt came from. Each may be empty;
// `note` may be null.

QString speedText(const MessageRecord& answer);
/// How many guesses of next tokens were right, and what that saved; empty if none were computed.
QString speedHint(const MessageRecord& answer);
/// "32 of 58 from cache (16 from disk)".
QString cacheText(const MessageRecord& answer, const PromptNote* note);
/// cacheText() in full sentences, with the reason for a cache miss.
QString cacheHint(const MessageRecord& answer, const PromptNote* note);
/// The cost of sending a message, "about 12 tokens · 24 to compute"; empty for no tokens.
QString estimateText(int messageTokens, int computedTokens);
/// "6 oldest messages left out".
QString leftOutText(const PromptNote* note);
QString leftOutHint(const PromptNote* note);

}  // namespace quire
