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
/// Thread: the engine's.
class ChannelMarks {
 public:
  explicit ChannelMarks(const ChannelTokens& tokens) : m_tokens(tokens) {}

  /// The text to add for the token, whose own text is `text`.
  std::string push(TokenId id, std::string text);

 private:
  std::string end_thought();
  std::string push_beside_marks(const std::string& text);
  std::string think(const std::string& text);

  ChannelTokens m_tokens;
  bool m_in_name = false;         ///< Of a channel or role.
  bool m_begins_thought = false;  ///< <think> follows with the first text: it may stay empty.
  bool m_thinks = false;
  std::string m_name;
};

}  // namespace quire
