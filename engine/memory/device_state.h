#pragma once

#include <memory>
#include <optional>

#include "engine/cache/host_block_store.h"
#include "engine/cache/state_cache.h"
#include "engine/cache/window_cache.h"
#include "engine/engine_options.h"
#include "engine/models/model_runner.h"

namespace quire {

/// What an engine allocates on a model's devices, and the context that fits.
struct DeviceState {
  CacheStorage kv;
  std::unique_ptr<HostBlockStore> host;          ///< Null: evicted blocks are computed again.
  std::unique_ptr<HostBlockStore> host_windows;  ///< The same of window parts.
  /// None after the devices were released. Behind the stores, so that it waits for its last step
  /// before their memory is freed.
  std::optional<ModelRunner> runner;
  int max_context;                ///< Tokens that a sequence may hold.
  StateCacheSizes states = {};    ///< Of kv's slots.
  WindowCacheSizes windows = {};  ///< Of kv's slots for window parts.
};

/// Errors: kOutOfMemory, kInvalidArgument.
Result<DeviceState> allocate_on_devices(Decoder& decoder, const EngineOptions& options);

/// The limits of a runner that serves sequences of up to `max_context` tokens.
ModelRunner::Limits runner_limits(const EngineOptions& options, int max_context);

}  // namespace quire
