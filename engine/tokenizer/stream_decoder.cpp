#include "engine/tokenizer/stream_decoder.h"

namespace quire {

std::string StreamDecoder::push(TokenId id) {
  std::string_view bytes = m_tokenizer.token_bytes(id);
  if (m_drop_space && !bytes.empty()) {
    if (bytes.front() == ' ') bytes.remove_prefix(1);
    m_drop_space = false;
  }
  std::string text;
  m_stream.append(bytes, text);
  return text;
}

std::string StreamDecoder::finish() {
  std::string text;
  m_stream.finish(text);
  return text;
}

}  // namespace quire
