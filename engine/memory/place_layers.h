#pragma once

#include "engine/engine_options.h"
#include "engine/memory/model_devices.h"
#include "engine/models/decoder.h"
#include "engine/models/model_files.h"

namespace quire {

/// What a model needs of memory, estimated from its files before it is loaded.
struct ModelNeeds {
  std::vector<uint64_t> layer_bytes;  ///< Of each layer: its weights, keys and values.
  /// Of the embedding and the head, at each end, and of a layer for speculation that is loaded.
  uint64_t end_bytes = 0;
  uint64_t work_bytes = 0;  ///< Of a step's work space, on each device.
  uint64_t read_bytes = 0;  ///< Of weights, what one token's computation reads of all layers.
};

/// Keys and values count as options.kv_bytes, or as what one sequence of the served context (at
/// most 8,192 tokens) takes.
ModelNeeds estimate_needs(const ModelFiles& files, const EngineOptions& options, DType kv_dtype);

/// Whether one chat's tokens come faster if that many devices compute each layer together than if
/// each has some of the layers: what is saved of reading the weights is more than what exchanges
/// take.
bool pays_off(const GroupSpeed& speed, const ModelNeeds& needs, size_t num_devices);

/// Spreads the layers over the devices in order: each device gets as many as its free memory holds,
/// and the CPU, whose memory is the system's, gets all remaining ones. Several GPUs of one kind
/// that hold the model, where one does not, are joined if Quire chose them and it pays off. Errors:
/// kOutOfMemory with the numbers if layers remain.
Result<LayerPlacement> place_layers(const ModelFiles& files, const EngineOptions& options,
                                    ModelDevices& devices);

}  // namespace quire
