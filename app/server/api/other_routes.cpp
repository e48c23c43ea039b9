// APIs that are not there yet: their paths answer 404.
#include "app/server/api/endpoint.h"
#include "app/server/api/tool_filter.h"

namespace quire {

std::vector<Route> anthropicRoutes() {
  return {};
}

std::vector<Route> ollamaRoutes() {
  return {};
}

std::vector<Route> responsesRoutes() {
  return {};
}

std::unique_ptr<ToolFilter> makeToolFilter(const TextModel&) {
  return nullptr;
}

}  // namespace quire
