#pragma once

#include <filesystem>
#include <string_view>

namespace quire {

/// Replaces a small file that only this user may read as a whole, so that other programs never see
/// a part of it; a symbolic link is replaced and not followed. It is not flushed to the disk, so it
/// suits files that can be made again. Returns whether it was replaced; if not, the old file stays.
bool replace_private_file(const std::filesystem::path& path, std::string_view text);

/// A folder of the desktop's base directories (XDG): the environment variable's value, or `in_home`
/// within the home folder (on Windows %LOCALAPPDATA%). Empty without an absolute path for either.
std::filesystem::path base_folder(const char* variable, const char* in_home);

}  // namespace quire
