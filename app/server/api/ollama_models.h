#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/server/api/endpoint.h"
#include "app/server/api/model_directory.h"

namespace quire {

/// The routes that list and describe models: /api/tags, /api/ps, /api/show, /api/version.
std::vector<Route> ollamaModelRoutes();

/// The model with that name, which may end with ":latest"; nothing if there is none: then the error
/// was answered.
std::optional<ListedModel> findOllamaModel(const ApiContext& context, HttpExchange& exchange,
                                           const std::string& name);

}  // namespace quire
