#pragma once

#include <functional>
#include <string>

#include "engine/engine_options.h"
#include "kernels/backend.h"
#include "kernels/base/result.h"

namespace quire {

struct LocalApiOptions {
  std::string model;
  std::string draft = {};  ///< Its draft model; empty: none.
  std::string bundledModel = {};
  BackendOptions backend = {};
  EngineOptions engine = {};
};

/// Has one request of the API answered without a socket: `answered` is called once, from any
/// thread, with the status and the JSON of the response.
using LocalAsk = std::function<void(const std::string& path, std::string body,
                                    std::function<void(int status, std::string body)> answered)>;

/// Loads the model, then calls `work` on a thread of its own with what asks it; returns when `work`
/// has. Answers that nobody waits for any more are dropped. Errors: why the model cannot be loaded.
/// Thread: the program's first; at most once.
Result<void> runLocalApi(const LocalApiOptions& options,
                         const std::function<void(const LocalAsk& ask)>& work);

}  // namespace quire
