#pragma once

#include "engine/engine_options.h"
#include "engine/models/layer_placement.h"
#include "engine/models/load_options.h"
#include "engine/models/model_files.h"

namespace quire {

/// Returns `load` with LoadOptions::speculative_layers set as an engine with those options needs
/// it. It is set if the engine speculates and has draft_layers set, no Medusa heads were chosen,
/// all layers are on one device, and the files hold a whole layer that Quire computes. With
/// SpeculationMode::kAuto it is not set on a GPU, which runs one step ahead instead.
LoadOptions with_draft_layers(const LoadOptions& load, const ModelFiles& files,
                              const EngineOptions& engine, const LayerPlacement& placement);

/// Errors: kUnsupported for Medusa heads of a model whose layers are on several devices.
Result<void> check_medusa_heads(const EngineOptions& engine, const LayerPlacement& placement);

/// Loads the Medusa heads that the options name onto the decoder's backend. Does nothing if they
/// name none or speculation is off, or on a GPU with SpeculationMode::kAuto, where nothing would
/// use them. Errors: those of MedusaHeads::load.
Result<void> add_medusa_heads(Decoder& decoder, const EngineOptions& engine,
                              const LoadOptions& load);

}  // namespace quire
