#pragma once

#include <functional>

#include "app/app_model.h"
#include "app/remote/secret_store.h"
#include "app/server/api_server.h"
#include "engine/engine.h"

namespace quire {

/// Gives the window's switch the API's server, and a place for its key among the user's secrets.
/// `secrets` and what `statsOf` uses (ApiServerOptions::statsOf) outlive the server.
void linkServer(AppModel& app, ApiServer& server, SecretStore& secrets,
                std::function<EngineStats(const QString& path)> statsOf);

}  // namespace quire
