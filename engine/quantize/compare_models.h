#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/quantize/text_windows.h"

namespace quire {

/// How far a model's predictions are from another's over a text.
struct ModelComparison {
  double perplexity = 0.0;         ///< Of the original.
  double other_perplexity = 0.0;   ///< Of the other model.
  double mean_divergence = 0.0;    ///< KL(original || other), in nats a token.
  double same_top_fraction = 0.0;  ///< Tokens for which both have the same most likely next token.
  int64_t num_tokens = 0;
};

/// Both models are in memory at the same time. `with_special`: special tokens' contents in the text
/// become these tokens. Errors: those of load_model and for_each_window; kInvalidArgument for
/// models of different vocabularies.
Result<ModelComparison> compare_models(const std::filesystem::path& original,
                                       const std::filesystem::path& other, std::string_view text,
                                       bool with_special, const MeasureOptions& options);

}  // namespace quire
