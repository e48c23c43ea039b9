#pragma once

#include "app/app_model.h"
#include "app/remote/remote_backend.h"

namespace quire {

/// Lets the window enter, test and use endpoints. Both outlive the application's model.
void linkRemote(AppModel& app, RemoteBackend& backend, SecretStore& secrets);

}  // namespace quire
