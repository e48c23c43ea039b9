#pragma once

#include <QStringList>

#include <functional>
#include <optional>

#include "app/engine/reply.h"
#include "app/remote/remote_endpoint.h"
#include "app/remote/secret_store.h"

namespace quire {

/// The result of testing an endpoint.
struct EndpointReport {
  QStringList models = {};  ///< Those that it lists.
  ServerKind server = ServerKind::kUnknown;
  bool hasList = true;  ///< False: it answers, but does not list its models.
  QString error = {};   ///< Why it cannot be used, in a sentence; else empty.
};

/// What the window needs to use endpoints. None of it blocks; all of it outlives the window's
/// models.
struct RemoteTools {
  /// Sets the endpoints that requests name from now on.
  std::function<void(const QList<RemoteEndpoint>& endpoints)> apply = {};
  /// Asks an endpoint for its models. The key is the stored one unless one is given.
  std::function<void(const RemoteEndpoint& endpoint, const std::optional<QString>& key,
                     Reply<EndpointReport> reply)>
      test = {};
  SecretStore* secrets = nullptr;
};

}  // namespace quire
