#pragma once

#include <cstddef>

#include "app/engine/chat_backend.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

// What can be said of a prompt's length before it is rendered and encoded. Thread: any.

/// Other programs' prompts with more text than this are prepared and tokenised on threads of their
/// own, in the background: they take tenths of seconds, for which no other prompt should wait.
inline constexpr size_t kLongPromptBytes = 256 << 10;

/// The bytes of all texts that are read to prepare the request, tools and schemas too; of texts
/// that are held in UTF-16 the number of units. Reads none of them.
size_t promptBytes(const ChatRequest& request);
/// What promptBytes() lacks of the number of bytes in UTF-8. Converts the texts.
size_t moreBytesInUtf8(const ChatRequest& request);

/// Refuses a prompt whose text certainly exceeds the context, without encoding all of it. Of a chat
/// that may lose its old turns only what always stays is looked at. A prompt that passes may still
/// be too long. Errors: kContextOverflow.
Result<void> checkPromptLength(const Tokenizer& tokenizer, const ChatRequest& request,
                               int maxContext);

}  // namespace quire
