#pragma once

#include "engine/engine_options.h"
#include "engine/models/layer_placement.h"
#include "engine/models/load_options.h"
#include "engine/models/model_files.h"

namespace quire {

/// `load`, and whether an engine with those options uses the model's own layers for speculation: if
/// it speculates, no Medusa heads were chosen, all layers are on one device, the layer is one that
/// Quire computes, and its tensors are whole. With SpeculationMode::kAuto not on a GPU, which runs
/// ahead instead.
LoadOptions with_draft_layers(const LoadOptions& load, const ModelFiles& files,
                              const EngineOptions& engine, const LayerPlacement& placement);

/// Loads the Medusa heads that the options name, if they do, onto the decoder's last backend.
/// Errors: those of MedusaHeads::load.
Result<void> add_medusa_heads(Decoder& decoder, const EngineOptions& engine,
                              const LoadOptions& load);

}  // namespace quire
