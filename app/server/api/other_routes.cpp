// APIs that are not there yet: their paths answer 404.
#include "app/server/api/endpoint.h"

namespace quire {

std::vector<Route> responsesRoutes() {
  return {};
}

}  // namespace quire
