#pragma once

#include <filesystem>

#include "engine/engine.h"

namespace quire {

/// After Engine::device_failure(): closes the devices, starts them again (those that still start;
/// of "auto" the CPU always does), loads the model's weights onto them, and lets the engine go on.
/// It takes as long as loading does. Errors: as load_model, and kCorruptFile if the files have
/// changed since; then the engine can only end_all().
Result<void> reopen_model(const std::filesystem::path& path, const EngineOptions& options,
                          const LoadOptions& load, ModelDevices& devices, Engine& engine);

}  // namespace quire
