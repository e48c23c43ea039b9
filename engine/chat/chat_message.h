#pragma once

#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

struct ChatMessage {
  std::string role;  ///< "system", "user", "assistant".
  std::string content;
  /// The ids that were sampled for this content, if it was generated here. They are spliced into
  /// the prompt in place of the encoded text wherever the template passes the content unchanged, so
  /// that what was generated is found in the cache.
  std::vector<TokenId> tokens;
};

}  // namespace quire
