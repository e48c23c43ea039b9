#include "engine/tokenizer/length_check.h"

#include <algorithm>
#include <string>

namespace quire {
namespace {

/// Texts of `limit` tokens are seldom longer than this, and are then not encoded twice.
size_t first_beginning(size_t limit) {
  constexpr size_t kLeastBytes = 64 << 10;
  constexpr size_t kBytesPerToken = 8;
  return std::max(kLeastBytes, limit * kBytesPerToken);
}

/// The tokens of a text's shortest beginning that has more than `most`; else of the whole text.
size_t count_until(const Tokenizer& tokenizer, std::string_view text, size_t first_bytes,
                   size_t most) {
  for (size_t bytes = first_bytes;; bytes *= 2) {
    const size_t count = tokenizer.encode(text.substr(0, bytes)).size();
    if (count > most || bytes >= text.size()) return count;
  }
}

}  // namespace

bool is_far_beyond(const Tokenizer& tokenizer, std::span<const std::string_view> texts,
                   size_t limit) {
  const size_t first_bytes = first_beginning(limit);
  size_t num_bytes = 0;
  for (const std::string_view text : texts) num_bytes += text.size();
  if (num_bytes <= first_bytes) return false;
  const size_t most = 2 * limit;
  size_t count = 0;
  for (const std::string_view text : texts) {
    count += count_until(tokenizer, text, first_bytes, most - count);
    if (count > most) return true;
  }
  return false;
}

Error far_beyond_error(size_t limit) {
  return make_error(ErrorCode::kContextOverflow,
                    "The prompt has more than %1 tokens, and the context holds %2; shorten it, or "
                    "choose a model that reads more at once.",
                    {std::to_string(2 * limit), std::to_string(limit)});
}

}  // namespace quire
