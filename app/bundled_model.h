#pragma once

#include <filesystem>

namespace quire {

/// The folder of the demonstration model that comes with Quire: QUIRE_BUNDLED_MODEL if that is set,
/// else the source tree that this program was built from, else ../share/quire/models/quire-mini
/// beside the program's own folder. The folder may not exist; loading it then says so.
std::filesystem::path bundled_model_path();

/// The folder of the demonstration model's draft model, beside that model's folder. It may not
/// exist.
std::filesystem::path bundled_draft_path();

/// Whether `path` leads to the demonstration model, however it is written.
bool is_bundled_model(const std::filesystem::path& path);

}  // namespace quire
