#pragma once

#include <functional>
#include <memory>

#include "app/server/api/endpoint.h"

namespace quire {

struct Embeddings;

/// /v1/embeddings: vectors as numbers or base64.
void embedTexts(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange);

/// Calls `write`, which makes text of the vectors: at once if they are few, else on another thread,
/// because the calling one is an engine's, for which all answers wait.
void writeVectors(const Embeddings& result, std::function<void(const Embeddings&)> write);

}  // namespace quire
