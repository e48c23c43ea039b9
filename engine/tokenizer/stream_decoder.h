#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace quire {

/// Turns the tokens of an answer into text as they come, never emitting part of a character: a
/// token may be one byte of an emoji. Special tokens add nothing unless shown. Joined, the pieces
/// are the whole decoded text with ill-formed bytes replaced by U+FFFD. Thread: one at a time; the
/// tokenizer outlives it. Invariants: at most 3 bytes are held.
class StreamDecoder {
 public:
  /// For text that begins at the first token; the tokenizer's leading space is dropped.
  explicit StreamDecoder(const Tokenizer& tokenizer)
      : StreamDecoder(tokenizer, tokenizer.strips_leading_space()) {}
  /// `drop_leading_space`: false for text that continues other text.
  StreamDecoder(const Tokenizer& tokenizer, bool drop_leading_space)
      : m_tokenizer(tokenizer), m_drop_space(drop_leading_space) {}

  /// These special tokens add what they are spelt as.
  void show(std::vector<TokenId> special) { m_shown = std::move(special); }

  /// The whole characters that `id` completes; often none.
  std::string push(TokenId id) {
    std::string_view bytes = bytes_of(id);
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
  std::string_view bytes_of(TokenId id) const {
    const bool is_shown = std::ranges::find(m_shown, id) != m_shown.end();
    return is_shown ? m_tokenizer.token_piece(id) : m_tokenizer.token_bytes(id);
  }

  const Tokenizer& m_tokenizer;
  std::vector<TokenId> m_shown;
  Utf8Stream m_stream;
  bool m_drop_space;
};

}  // namespace quire
