#include "engine/draft_loading.h"

#include "engine/models/decoder.h"
#include "engine/models/medusa_heads.h"
#include "engine/models/null_backend.h"

namespace quire {
namespace {

/// Whether draft layers are used with that mode on these devices.
bool may_guess(const EngineOptions& engine, const LayerPlacement& placement) {
  if (engine.speculation == SpeculationMode::kOff || placement.size() > 1) return false;
  const bool is_gpu = placement.front().backend->info().has_own_memory;
  return engine.speculation == SpeculationMode::kAlways || !is_gpu;
}

/// Whether the files hold a whole layer that Quire computes. Reads headers and small tensors only.
bool has_sound_layer(const ModelFiles& files, const LoadOptions& load) {
  if (files.config.num_speculative_layers == 0) return false;
  NullBackend nowhere;
  const auto decoder =
      make_decoder(files, nowhere,
                   {.cancelled = load.cancelled, .speculative_layers = true, .check_only = true});
  return decoder && (*decoder)->draft_layers() != nullptr;
}

}  // namespace

LoadOptions with_draft_layers(const LoadOptions& load, const ModelFiles& files,
                              const EngineOptions& engine, const LayerPlacement& placement) {
  LoadOptions options = load;
  options.speculative_layers = engine.draft_layers && engine.medusa_heads.empty() &&
                               may_guess(engine, placement) && has_sound_layer(files, load);
  return options;
}

Result<void> check_medusa_heads(const EngineOptions& engine, const LayerPlacement& placement) {
  const bool is_off = engine.medusa_heads.empty() || engine.speculation == SpeculationMode::kOff;
  if (is_off || placement.size() == 1) return {};
  return Error{ErrorCode::kUnsupported,
               "Medusa heads guess only for a model whose layers are all on one device. Choose one "
               "device that has room for the model, or leave the heads out."};
}

Result<void> add_medusa_heads(Decoder& decoder, const EngineOptions& engine,
                              const LoadOptions& load) {
  if (engine.medusa_heads.empty() || !may_guess(engine, decoder.placement())) return {};
  auto heads = MedusaHeads::load(engine.medusa_heads, decoder.config(),
                                 *decoder.placement().back().backend, load);
  if (!heads) return heads.error();
  decoder.use_heads(std::move(*heads));
  return {};
}

}  // namespace quire
