#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model_loader.h"

namespace quire {

/// How one vector is made of those of a text's tokens.
enum class Pooling {
  kMean,  ///< Their mean.
  kLast,  ///< The last token's.
  kFirst  ///< The first token's ("cls").
};
std::string_view pooling_name(Pooling pooling);  ///< "mean", "last", "cls".
std::optional<Pooling> find_pooling(std::string_view name);

/// What the model's files say: modules.json and the configuration of its pooling module
/// (sentence-transformers), or GGUF's pooling_type. Nothing where they say nothing. Errors:
/// kCorruptFile; kUnsupported for another pooling, and for modules after it that change vectors.
Result<std::optional<Pooling>> read_pooling(const std::filesystem::path& model);

/// The tokens of a text that is embedded: with those that the model's files put around a text.
std::vector<TokenId> embedding_tokens(const Tokenizer& tokenizer, std::string_view text);

struct EmbedOptions {
  Pooling pooling = Pooling::kLast;
  bool normalizes = true;      ///< Vectors get the length 1.
  int max_batch_tokens = 512;  ///< Computed in one step.
  DType kv_dtype = DType::kF32;
  AdapterId adapter = 0;  ///< One that was added to the model's decoder, or 0.
};

/// The vector (C) of each text: its tokens' states after the model's last norm, pooled. Many texts
/// are computed together; a text's vector does not depend on the others. Keys and values lie in
/// memory of its own; an engine on the same model is left alone.
/// Errors: kInvalidArgument (a text without tokens, a token out of range), kContextOverflow,
/// kOutOfMemory, kUnsupported, kDevice.
Result<std::vector<std::vector<float>>> compute_embeddings(
    const LoadedModel& model, std::span<const std::vector<TokenId>> texts,
    const EmbedOptions& options);

}  // namespace quire
