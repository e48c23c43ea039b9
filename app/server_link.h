#pragma once

#include "app/app_model.h"
#include "app/remote/secret_store.h"
#include "app/server/api_server.h"

namespace quire {

/// Gives the window's switch the API's server, and a place for its key among the user's secrets.
/// `secrets` outlives the server.
void linkServer(AppModel& app, ApiServer& server, SecretStore& secrets);

}  // namespace quire
