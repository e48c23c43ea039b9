#pragma once

#include "engine/engine_options.h"
#include "engine/memory/model_devices.h"
#include "engine/models/decoder.h"
#include "engine/models/model_files.h"

namespace quire {

/// What a model needs of memory, estimated from its files before it is loaded.
struct ModelNeeds {
  std::vector<uint64_t> layer_bytes;  ///< Of each layer: its weights, keys and values.
  uint64_t end_bytes = 0;             ///< Of the embedding and the head, at each end.
  uint64_t work_bytes = 0;            ///< Of a step's work space, on each device.
};

/// Keys and values count with options.kv_bytes, or with what one sequence of the context served (of
/// 8,192 tokens at most) takes.
ModelNeeds estimate_needs(const ModelFiles& files, const EngineOptions& options, DType kv_dtype);

/// Spreads the layers over the devices in their order: each takes as many as its free memory holds,
/// the last of them the rest; on the first alone, if all fit. The CPU, whose memory is the
/// system's, always takes the rest. Errors: kOutOfMemory with the numbers if nothing does.
Result<LayerPlacement> place_layers(const ModelFiles& files, const EngineOptions& options,
                                    ModelDevices& devices);

}  // namespace quire
