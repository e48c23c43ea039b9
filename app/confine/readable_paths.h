#pragma once

#include <filesystem>
#include <vector>

namespace quire {

/// What reading the model at `path` opens, for ConfineLimits::readable: a file and the other parts
/// of its split set beside it; or a folder with what its links name, as the Hugging Face cache
/// stores files.
std::vector<std::filesystem::path> readable_paths(const std::filesystem::path& path);

}  // namespace quire
