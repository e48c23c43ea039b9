#pragma once

#include <memory>

#include "engine/cache/host_block_store.h"
#include "engine/cache/kv_storage.h"
#include "engine/engine_options.h"
#include "engine/model_runner.h"

namespace quire {

/// What an engine keeps on a model's devices, and the context that this is enough for.
struct OnDevices {
  KvStorage kv;
  ModelRunner runner;
  std::unique_ptr<HostBlockStore> host;
  int max_context;
};

/// Errors: kOutOfMemory, kInvalidArgument.
Result<OnDevices> allocate_on_devices(Decoder& decoder, const EngineOptions& options);

}  // namespace quire
