#pragma once

#include <optional>
#include <string>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// The special tokens of models with channels: gpt-oss's harmony format, or Gemma 4's, whose
/// channels have a mark at each end, the first one followed by the name's line. Empty for other
/// vocabularies.
struct ChannelTokens {
  std::optional<TokenId> start;    ///< <|start|>, before the turn's role.
  std::optional<TokenId> channel;  ///< <|channel|>, before the channel's name.
  std::optional<TokenId> message;  ///< <|message|>, after the name.
  std::optional<TokenId> end;      ///< <|end|>, after the channel's text.
  std::optional<TokenId> open;     ///< Gemma's <|channel>, before the channel's name.
  std::optional<TokenId> close;    ///< Gemma's <channel|>, after the channel's text.
};

ChannelTokens channel_tokens(const Tokenizer& tokenizer);

/// Turns an answer in channels into text: the final channel is the answer, every other one is put
/// between <think> and </think>, the marks of other models' reasoning; names of channels and turns
/// are left out. Text beside Gemma's channels is the answer. Without channels it changes nothing.
///
/// With `shows_calls` a harmony channel that is addressed to a function becomes
/// "<|channel|>commentary to=functions.NAME<|message|>ARGUMENTS<|call|>", wherever its recipient
/// stands: after the role or after the channel's name.
/// Thread: the engine's.
class ChannelMarks {
 public:
  explicit ChannelMarks(const ChannelTokens& tokens, bool shows_calls = false)
      : m_tokens(tokens),
        m_shows_calls(shows_calls && tokens.channel),
        m_may_be_addressed(m_shows_calls) {}

  /// The text to add for the token, whose own text is `text`.
  std::string push(TokenId id, std::string text);

 private:
  std::string begin_name(bool is_role);
  std::string begin_text();
  std::string end_part();
  std::string hold_address(const std::string& text);
  std::string push_beside_marks(const std::string& text);
  std::string think(const std::string& text);

  ChannelTokens m_tokens;
  bool m_in_name = false;         ///< Of a channel or role.
  bool m_begins_thought = false;  ///< <think> follows with the first text: it may stay empty.
  bool m_thinks = false;
  const bool m_shows_calls;
  bool m_may_be_addressed;  ///< The answer has begun with nothing but what may be a recipient.
  bool m_calls = false;
  std::string m_name;
  std::string m_function;  ///< That the channel is addressed to; empty: none.
};

}  // namespace quire
