#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/quantize/quantize_job.h"

namespace quire {

struct ImportanceOptions {
  int num_threads = 0;                                      ///< 0: all cores.
  int window = 512;                                         ///< Tokens that are computed together.
  std::function<void(size_t done, size_t total)> progress;  ///< Tokens.
  const std::atomic<bool>* cancelled = nullptr;
};

/// The mean squared input of each column of each matrix over a text, by the engine's own forward
/// pass on the CPU in f32. Experts that no token chose take the mean of the others. Tensors that
/// the loader reorders on reading (gpt-oss folders' experts) have none. `model` is what `path`
/// holds. Errors: those of load_model; kInvalidArgument for a text of less than two tokens;
/// kCancelled.
Result<Importance> measure_importance(const std::filesystem::path& path, std::string_view text,
                                      const ImportanceOptions& options);

/// How far a model's predictions are from another's over a text.
struct ModelComparison {
  double perplexity = 0.0;         ///< Of the original.
  double other_perplexity = 0.0;   ///< Of the other model.
  double mean_divergence = 0.0;    ///< KL(original || other), in nats a token.
  double same_top_fraction = 0.0;  ///< Tokens for which both have the same most likely next token.
  int64_t num_tokens = 0;
};

/// Both models are in memory at the same time. `with_special`: special tokens' contents in the text
/// become these tokens. Errors: as measure_importance(); kInvalidArgument for models of different
/// vocabularies.
Result<ModelComparison> compare_models(const std::filesystem::path& original,
                                       const std::filesystem::path& other, std::string_view text,
                                       bool with_special, const ImportanceOptions& options);

}  // namespace quire
