#include "engine/quantize/text_windows.h"

#include <algorithm>

namespace quire {

std::vector<TokenId> text_tokens(const Tokenizer& tokenizer, std::string_view text,
                                 bool with_special) {
  std::vector<TokenId> ids =
      with_special ? tokenizer.encode_with_special(text) : tokenizer.encode(text);
  const auto bos = tokenizer.bos_token();
  if (tokenizer.adds_bos() && bos) ids.insert(ids.begin(), *bos);
  return ids;
}

Result<void> for_each_window(std::span<const TokenId> ids, int max_positions,
                             const MeasureOptions& options,
                             const std::function<Result<void>(std::span<const TokenId>)>& work) {
  if (ids.size() < 2) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the text holds less than two tokens; choose a longer one", {});
  }
  CHECK(options.window > 1);
  if (max_positions < 2) {
    return make_error(ErrorCode::kUnsupported,
                      "a context of one token cannot be measured; choose another model", {});
  }
  const auto size = static_cast<size_t>(std::min(options.window, max_positions));
  for (size_t begin = 0; begin + 1 < ids.size(); begin += size) {
    if (options.cancelled != nullptr && options.cancelled->load(std::memory_order_relaxed)) {
      return Error{ErrorCode::kCancelled, "measuring was cancelled"};
    }
    const auto window = ids.subspan(begin, std::min(size, ids.size() - begin));
    if (auto done = work(window); !done) return done;
    if (options.progress) options.progress(begin + window.size(), ids.size());
  }
  return {};
}

}  // namespace quire
