#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine_options.h"
#include "kernels/backend.h"
#include "kernels/base/result.h"

namespace quire {

struct ServeOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  std::vector<std::string> models;  ///< Never empty. The first one is loaded at once.
  std::string draft = {};           ///< The first model's draft model; empty: none.
  std::string bundledModel = {};
  std::vector<std::string> keys = {};
  std::vector<std::string> origins = {};
  int maxRequests = 256;
  int idleMinutes = 0;  ///< After which an unused model is unloaded; 0: never.
  BackendOptions backend = {};
  EngineOptions engine = {};
  /// Called when the first model serves.
  std::function<void(const std::string& url, const std::vector<std::string>& models)> ready = {};
  /// Gets a line for each response, without contents. Thread: the server's.
  std::function<void(const std::string& line)> log = {};
};

/// Serves models over HTTP until SIGINT, SIGTERM or SIGHUP; answers that are being written then
/// end. Errors: what the server cannot do with its address, keys and origins; why the first model
/// cannot be loaded. Thread: the program's first; at most once.
Result<void> serve(const ServeOptions& options);

}  // namespace quire
