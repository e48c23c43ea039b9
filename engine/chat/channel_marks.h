#pragma once

#include <optional>
#include <string>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// The marks between which a model with channels (gpt-oss's harmony format) writes; none of them if
/// the vocabulary has no channels.
struct ChannelTokens {
  std::optional<TokenId> start;    ///< <|start|>, before whose turn it is.
  std::optional<TokenId> channel;  ///< <|channel|>, before the channel's name.
  std::optional<TokenId> message;  ///< <|message|>, behind the name.
  std::optional<TokenId> end;      ///< <|end|>, behind the channel's words.
};

ChannelTokens channel_tokens(const Tokenizer& tokenizer);

/// Turns what an answer says in channels into text: the final channel is the answer, every other
/// one stands between <think> and </think>, as other models mark their reasoning themselves; names
/// of channels and turns are left out. Without channels it changes nothing.
/// Thread: the engine's.
class ChannelMarks {
 public:
  explicit ChannelMarks(const ChannelTokens& tokens) : m_tokens(tokens) {}

  /// What the token adds to the text; `text` is what it adds by itself.
  std::string push(TokenId id, std::string text);

 private:
  std::string end_thought();

  ChannelTokens m_tokens;
  bool m_in_name = false;  ///< Of a channel, or of whose turn it is.
  bool m_thinks = false;
  std::string m_name;
};

}  // namespace quire
