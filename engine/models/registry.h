#pragma once

#include <memory>

#include "engine/io/weights.h"
#include "engine/models/decoder.h"
#include "engine/models/load_options.h"

namespace quire {

/// Builds the decoder of config.architecture from its weights. The source is not needed afterwards.
/// Errors: kUnsupported for an unknown architecture; those of WeightLoader; kOutOfMemory.
Result<std::unique_ptr<Decoder>> make_decoder(const ModelConfig& config, WeightSource& source,
                                              Backend& backend, const LoadOptions& options = {});

}  // namespace quire
