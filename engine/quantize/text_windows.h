#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// How a model computes a text whose predictions or activations are measured.
struct MeasureOptions {
  int num_threads = 0;                                      ///< 0: all cores.
  int window = 512;                                         ///< Tokens that are computed together.
  std::function<void(size_t done, size_t total)> progress;  ///< Tokens.
  const std::atomic<bool>* cancelled = nullptr;
};

/// The text's tokens, with BOS where the files ask for it. `with_special`: special tokens' contents
/// in the text become these tokens.
std::vector<TokenId> text_tokens(const Tokenizer& tokenizer, std::string_view text,
                                 bool with_special);

/// Calls work(window) for consecutive windows, each as long as the options and `max_positions`
/// allow. A single token that is left at the end is not computed: it predicts nothing.
/// Errors: kInvalidArgument for fewer than two tokens; kUnsupported for a context of one;
/// kCancelled; those of `work`.
Result<void> for_each_window(std::span<const TokenId> ids, int max_positions,
                             const MeasureOptions& options,
                             const std::function<Result<void>(std::span<const TokenId>)>& work);

}  // namespace quire
