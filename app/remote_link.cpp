#include "app/remote_link.h"

#include <utility>

namespace quire {

void linkRemote(AppModel& app, RemoteBackend& backend, SecretStore& secrets) {
  app.models()->remote()->setTools(
      {.apply = [&backend](const QList<RemoteEndpoint>& all) { backend.setEndpoints(all); },
       .test = [&backend](const RemoteEndpoint& endpoint, const std::optional<QString>& key,
                          Reply<EndpointReport> reply) { backend.test(endpoint, key, reply); },
       .secrets = &secrets});
}

}  // namespace quire
