#pragma once

#include <memory>

#include "app/server/api/endpoint.h"

namespace quire {

/// /v1/embeddings: vectors as numbers or base64.
void embedTexts(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange);

}  // namespace quire
