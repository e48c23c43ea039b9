#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// One piece of a message.
struct ContentPart {
  enum class Kind {
    kText,
    kReasoning,   ///< What the model thought before it answered.
    kImage,       ///< `text` names the image: its digest or address.
    kToolCall,    ///< `text` is the arguments, a JSON object.
    kToolResult,  ///< `text` is what the tool returned: plain text or JSON.
  };
  Kind kind = Kind::kText;
  std::string text;
  std::string tool{};     ///< Of a call or result: the tool's name.
  std::string call_id{};  ///< Of a call or result: joins the two; may be empty.
};

/// A message of a chat: who said it, and its parts in order.
struct ChatMessage {
  ChatMessage() = default;
  /// Plain text.
  ChatMessage(std::string message_role, std::string text, std::vector<TokenId> token_ids = {})
      : role(std::move(message_role)), tokens(std::move(token_ids)) {
    parts.push_back({.kind = ContentPart::Kind::kText, .text = std::move(text)});
  }

  /// The text parts and tool results, joined.
  std::string text() const {
    std::string joined;
    for (const ContentPart& part : parts) {
      const bool is_text = part.kind == ContentPart::Kind::kText;
      if (is_text || part.kind == ContentPart::Kind::kToolResult) joined += part.text;
    }
    return joined;
  }

  std::string role;  ///< "system", "user", "assistant", "tool", or any other that templates know.
  std::vector<ContentPart> parts;
  /// The ids that were sampled for text(), if it was generated here. They are spliced into the
  /// prompt in place of the encoded text wherever the template passes the text unchanged, so that
  /// what was generated is found in the cache.
  std::vector<TokenId> tokens;
};

}  // namespace quire
