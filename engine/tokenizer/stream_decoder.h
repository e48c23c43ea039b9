#pragma once

#include <string>

#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace quire {

/// Turns the tokens of an answer into text as they come, never emitting part of a character: a
/// token may be one byte of an emoji. Special tokens add nothing. Joined, the pieces are the whole
/// decoded text with ill-formed bytes replaced by U+FFFD.
/// Thread: one at a time; the tokenizer outlives it. Invariants: at most 3 bytes are held.
class StreamDecoder {
 public:
  /// For text that begins at the first token; the tokenizer's leading space is dropped.
  explicit StreamDecoder(const Tokenizer& tokenizer)
      : StreamDecoder(tokenizer, tokenizer.strips_leading_space()) {}
  /// `drop_leading_space`: false for text that continues other text.
  StreamDecoder(const Tokenizer& tokenizer, bool drop_leading_space)
      : m_tokenizer(tokenizer), m_drop_space(drop_leading_space) {}

  /// The whole characters that `id` completes; often none.
  std::string push(TokenId id) {
    std::string_view bytes = m_tokenizer.token_bytes(id);
    if (m_drop_space && !bytes.empty()) {
      if (bytes.front() == ' ') bytes.remove_prefix(1);
      m_drop_space = false;
    }
    std::string text;
    m_stream.append(bytes, text);
    return text;
  }
  /// The answer is over: what is left of an unfinished character is one U+FFFD.
  std::string finish() {
    std::string text;
    m_stream.finish(text);
    return text;
  }

 private:
  const Tokenizer& m_tokenizer;
  Utf8Stream m_stream;
  bool m_drop_space;
};

}  // namespace quire
