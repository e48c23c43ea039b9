#pragma once

#include <vector>

#include "app/engine/text_backend.h"

namespace quire {

// What a TextBackend replies, from a model's tokenizer and template alone. Thread: any.

TokenizedText tokenizedText(const TextModel& model, const ChatRequest& request, bool withPieces);
DetokenizedText detokenizedText(const TextModel& model, const QList<qint32>& tokens);

/// The tokens of each input as the model reads a text to be embedded. Errors: kInvalidArgument for
/// an input without tokens or with unknown ones, kContextOverflow for one that is too long.
Result<std::vector<std::vector<TokenId>>> embeddingTokens(const TextModel& model,
                                                          const std::vector<RawPrompt>& inputs);

}  // namespace quire
